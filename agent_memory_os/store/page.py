"""Reading memories in an order of time, by the plan that looks at the fewest rows.

An agent that sees much finds a page among the first rows of all, in their order; for one that sees
little that would be a walk through everything, and its own rows are looked at instead. How much a
reader sees is known, about, from the totals of its scopes. Whatever the plan, each row passes the
one gate, and the answer is the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import sqrt

from agent_memory_os.model.memory import MAX_TIME, MIN_TIME, Memory
from agent_memory_os.model.recall import Filter
from agent_memory_os.store.database import Snapshot
from agent_memory_os.store.file.value import WrongValue
from agent_memory_os.store.gate import Gate, narrowed
from agent_memory_os.store.memories import with_audience
from agent_memory_os.store.queries import Queries
from agent_memory_os.value import cast

_sql = Queries("page")

_NARROWING = ("types", "tags", "session", "author", "pinned")
_FEW = 3
"""A set that is not this many times smaller than all is not worth sorting."""


def page(snapshot: Snapshot, gate: Gate, parameters: Mapping[str, object]) -> list[Memory]:
    """Return memories in order of creation, newest first."""
    found = snapshot.rows(*_query("page", snapshot, gate, parameters))
    shown = with_audience(snapshot, gate, found)
    if shown and shown[-1].content.created_at > cast("int", parameters["before_at"]):
        # Who goes on from there would come by here again, and never to an end.
        raise WrongValue("times are out of their order")
    return shown


def moments(
    snapshot: Snapshot, gate: Gate, side: str, parameters: Mapping[str, object]
) -> list[tuple[int, Memory]]:
    """Return memories ``before`` or ``after`` an instant with their own instants, nearest first."""
    found = snapshot.rows(*_query(side, snapshot, gate, parameters))
    shown = with_audience(snapshot, gate, found, "i")
    return [(row[-1], memory) for row, memory in zip(found, shown, strict=True)]


def recent(snapshot: Snapshot, gate: Gate, wanted: Filter, limit: int) -> list[int]:
    """Return the newest rows that pass the filter."""
    parameters = {**narrowed(gate, wanted, snapshot.now), "limit": limit}
    return [row[0] for row in snapshot.rows(*_query("recent", snapshot, gate, parameters))]


def said_by(snapshot: Snapshot, gate: Gate, wanted: Filter, author: str, limit: int) -> list[int]:
    """Return the newest rows of an author, of any case, that pass the filter."""
    if snapshot.value(_sql["has_said"], (author,)) is None:
        return []
    parameters = {**narrowed(gate, wanted, snapshot.now), "limit": limit, "said": author}
    return [row[0] for row in snapshot.rows(*_query("said_by", snapshot, gate, parameters))]


def _query(
    name: str, snapshot: Snapshot, gate: Gate, parameters: Mapping[str, object]
) -> tuple[str, dict[str, object]]:
    instant = str(parameters["time_field"])
    reach = _reach(snapshot, gate, parameters)
    way = "author" if reach == "all" else "rows"
    form = _sql.form(name, reach=reach, instant=instant, way=way)
    since, until = parameters["since"], parameters["until"]
    return form, {
        **parameters,
        "since": MIN_TIME if since is None else since,
        "until": MAX_TIME + 1 if until is None else until,
    }


def _reach(snapshot: Snapshot, gate: Gate, parameters: Mapping[str, object]) -> str:
    most: int = snapshot.value(_sql["most"])
    sizes = {}
    if not gate.sight.principal.is_operator:
        sizes["seen"] = snapshot.value(_sql["seen"], (gate.parameters["gate_scopes"],))
    if parameters["owner"] is not None:
        sizes["owned"] = snapshot.value(_sql["owned"], {"owner": parameters["owner"]})
    best = min(sizes, key=sizes.__getitem__, default="all")
    if best == "all" or sizes[best] * _FEW > most:
        return "all"
    if _is_narrow(parameters):
        return best
    # One in so many rows is found: all that is seen, or the rows among which a page is.
    return best if sizes[best] < sqrt(cast("int", parameters["limit"]) * most) else "all"


def _is_narrow(parameters: Mapping[str, object]) -> bool:
    """Say whether few of the rows that are seen may be wanted, or the order has no index."""
    if parameters["time_field"] != "created" or parameters.get("state", "active") != "active":
        return True
    if "said" in parameters:
        return True
    return any(parameters[name] is not None for name in _NARROWING)
