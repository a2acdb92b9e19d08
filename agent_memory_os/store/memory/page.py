"""Reading memories in an order of time, by the plan that looks at the fewest rows.

Each order has an index. Who sees much finds a page among the nearest rows of all; for who sees
little that would be a walk through everything, and its own rows are looked at instead. How much a
reader sees is known, about, from the totals of its scopes; where in the order that lies is not, so
the nearest rows are tried first, as far as that costs little beside looking at all that it sees. A
few rows that a caller narrows to are looked up: by an index, or by one pass over all. Whatever the
way, each row passes the one gate, and the answer is the same.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import sqrt

from agent_memory_os.model.memory import MAX_TIME, MIN_TIME, Memory
from agent_memory_os.model.recall import Filter
from agent_memory_os.store.database import Row, Snapshot
from agent_memory_os.store.file.value import WrongValue
from agent_memory_os.store.gate import Gate, narrowed
from agent_memory_os.store.memories import with_audience
from agent_memory_os.store.queries import Queries
from agent_memory_os.value import NamedTuple, cast

_sql = Queries("page")

_FEW = 3
"""A set that is not this many times smaller than all is not worth sorting."""

_SURE = 8
"""So many times the rows in which a page is to be expected are looked at in order, and at least one
in so many of what is seen, before all that is seen is."""

_MOST_FILED = 2_000
"""More rows than this, of those that an index tells, are not looked up one by one."""

_SCAN = 8
"""So many rows are passed over in a search through all while one is read by its number."""

_NARROWING = ("types", "tags", "session", "author", "pinned")
_FILES = ("session", "author", "said", "pinned", "forgotten", "types")


class _Plan(NamedTuple):
    """Which rows are to be looked at, about how many those are, and how many there are at all."""

    reach: str
    size: int
    most: int


class _Ask(NamedTuple):
    """A query of an order, with all its parameters; ``order`` is the instant that orders."""

    name: str
    order: str
    snapshot: Snapshot
    parameters: Mapping[str, object]

    @property
    def limit(self) -> int:
        """How many rows are wanted."""
        return cast("int", self.parameters["limit"])

    def rows(self, reach: str, **others: object) -> list[Row]:
        """Return the rows that pass, of those within a reach."""
        form = _sql.form(
            self.name,
            reach=reach,
            instant=str(self.parameters["time_field"]),
            way="author" if reach == "all" else "rows",
        )
        return self.snapshot.rows(form, {**self.parameters, **others})

    def numbers(self, form: str, most: int) -> list[int] | None:
        """Return the rows that a query gives, or ``None`` where those are more than so many."""
        found = self.snapshot.rows(form, {**self.parameters, "most": most + 1})
        return [row[0] for row in found] if len(found) <= most else None


def page(snapshot: Snapshot, gate: Gate, parameters: Mapping[str, object]) -> list[Memory]:
    """Return memories in order of creation, newest first."""
    high = cast("int", parameters["before_at"]) + 1
    ask = _ask("page", "created", snapshot, parameters, high=high)
    shown = with_audience(snapshot, gate, _nearest(ask, gate))
    if shown and shown[-1].content.created_at >= high:
        # Who goes on from there would come by here again, and never to an end.
        raise WrongValue("times are out of their order")
    return shown


def moments(
    snapshot: Snapshot, gate: Gate, side: str, parameters: Mapping[str, object]
) -> list[tuple[int, Memory]]:
    """Return memories ``before`` or ``after`` an instant with their own instants, nearest first."""
    at = cast("int", parameters["at"])
    ends = {"high": at + 1} if side == "before" else {"low": at}
    ask = _ask(side, str(parameters["time_field"]), snapshot, parameters, **ends)
    found = _nearest(ask, gate)
    shown = with_audience(snapshot, gate, found, "i")
    return [(row[-1], memory) for row, memory in zip(found, shown, strict=True)]


def recent(snapshot: Snapshot, gate: Gate, wanted: Filter, limit: int) -> list[int]:
    """Return the newest rows that pass the filter."""
    parameters = {**narrowed(gate, wanted, snapshot.now), "limit": limit}
    ask = _ask("recent", "created", snapshot, parameters)
    return [row[0] for row in _nearest(ask, gate)]


def said_by(snapshot: Snapshot, gate: Gate, wanted: Filter, author: str, limit: int) -> list[int]:
    """Return the newest rows of an author, of any case, that pass the filter."""
    if snapshot.value(_sql["has_said"], (author,)) is None:
        return []
    parameters = {**narrowed(gate, wanted, snapshot.now), "limit": limit, "said": author}
    ask = _ask("said_by", "created", snapshot, parameters)
    return [row[0] for row in _nearest(ask, gate)]


def _ask(
    name: str,
    order: str,
    snapshot: Snapshot,
    parameters: Mapping[str, object],
    *,
    low: int = MIN_TIME,
    high: int = MAX_TIME + 1,
) -> _Ask:
    """Return a query with every end of a time set, each as near as is known."""
    since, until = parameters["since"], parameters["until"]
    start = MIN_TIME if since is None else cast("int", since)
    end = MAX_TIME + 1 if until is None else cast("int", until)
    if parameters["time_field"] == order:
        low, high = max(low, start), min(high, end)
    ends = {"since": start, "until": end, "low": low, "high": min(high, MAX_TIME + 1)}
    return _Ask(name, order, snapshot, {"state": "active", **parameters, **ends})


def _nearest(ask: _Ask, gate: Gate) -> list[Row]:
    """Return the first rows of an order, by the way that is likely to be the cheapest."""
    plan = _plan(ask, gate)
    is_little = plan.reach != "all" and plan.size <= sqrt(ask.limit * plan.most)
    if is_little or (plan.reach == "all" and not _is_narrow(ask)):
        return ask.rows(plan.reach)
    for way in (_filed, _near, _sought):
        found = way(ask, plan)
        if found is not None:
            return found
    return ask.rows(plan.reach)


def _plan(ask: _Ask, gate: Gate) -> _Plan:
    most: int = ask.snapshot.value(_sql["most"])
    sizes = {}
    if not gate.sight.principal.is_operator:
        sizes["seen"] = ask.snapshot.value(_sql["seen"], (gate.parameters["gate_scopes"],))
    if ask.parameters["owner"] is not None:
        sizes["owned"] = ask.snapshot.value(_sql["owned"], {"owner": ask.parameters["owner"]})
    best = min(sizes, key=sizes.__getitem__, default="all")
    size = sizes.get(best, most)
    return _Plan(best, size, most) if size * _FEW <= most else _Plan("all", size, most)


def _is_narrow(ask: _Ask) -> bool:
    """Say whether few of the rows that are seen may be wanted."""
    if ask.parameters["state"] != "active" or "said" in ask.parameters:
        return True
    return any(ask.parameters[name] is not None for name in _NARROWING) or _is_of_other_time(ask)


def _is_of_other_time(ask: _Ask) -> bool:
    """Say whether rows are asked for of a stretch of another time than the one that orders."""
    ends = (ask.parameters["since"], ask.parameters["until"])
    return ask.parameters["time_field"] != ask.order and ends != (MIN_TIME, MAX_TIME + 1)


def _filed(ask: _Ask, plan: _Plan) -> list[Row] | None:
    """Answer from the few rows that an index tells, if it tells few."""
    most = min(_MOST_FILED, plan.size // _SURE)
    for file in _FILES:
        if ask.parameters["state"] == file or ask.parameters.get(file):
            rows = ask.numbers(_sql.form("filed", file=file), most)
            if rows is not None:
                return ask.rows("filed", filed=json.dumps(rows))
    return None


def _near(ask: _Ask, plan: _Plan) -> list[Row] | None:
    """Answer from the nearest rows of all, if the page is full with those that pass."""
    expected = ask.limit * plan.most // max(1, plan.size)
    skipped = max(_SURE * expected, plan.size // _SURE)
    edge = "oldest_edge" if ask.name == "after" else "newest_edge"
    form = _sql.form(edge, instant=ask.order)
    at = ask.snapshot.value(form, {**ask.parameters, "skipped": skipped})
    if at is None:
        return ask.rows("all")
    found = ask.rows("all", **({"high": at + 1} if ask.name == "after" else {"low": at}))
    return found if len(found) >= ask.limit else None


def _sought(ask: _Ask, plan: _Plan) -> list[Row] | None:
    """Answer from what is found by passing over all, where that costs less than what is seen."""
    if not _is_narrow(ask) or plan.most >= _SCAN * plan.size:
        return None
    form = _sql.form("sought", instant=str(ask.parameters["time_field"]))
    rows = ask.numbers(form, plan.size)
    return None if rows is None else ask.rows("filed", filed=json.dumps(rows))
