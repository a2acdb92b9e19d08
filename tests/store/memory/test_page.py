"""Pages and timelines are the same in every way that they are read."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

import pytest

from agent_memory_os.model.memory import MAX_TIME
from agent_memory_os.model.principal import Principal
from agent_memory_os.model.recall import Filter
from agent_memory_os.service.memory.add import NewMemory
from agent_memory_os.store import gate as gates
from agent_memory_os.store.database import Row, Snapshot
from agent_memory_os.store.gate import Gate
from agent_memory_os.store.memory import page
from agent_memory_os.store.memory.page import _Ask
from agent_memory_os.store.queries import Queries
from tests.store.sample import OPERATOR, Fleet

ORDERS = ("page", "recent", "before", "after")
FIELDS = ("created", "updated", "event", "valid")
FILTERS = (
    Filter(),
    Filter(owner="ada"),
    Filter(owner="bob", types=("fact",)),
    Filter(since=1_000, until=MAX_TIME),
    Filter(state="all"),
)


def crowded(fleet: Fleet) -> None:
    """Fill the store with memories of two owners for every audience, some forgotten or expired."""
    audiences = ("private", "team:apollo", "project:apollo/site", "agent:eve", "global")
    for number, audience in enumerate(audiences * 4):
        fields: dict[str, object] = {
            "type": ("note", "fact")[number % 2],
            "event_at": 1_000 * (number % 7),
        }
        fields["expires_at"] = 1 if number % 9 == 0 else None
        kept = fleet.remember(f"Memory {number}.", audience, **fields)
        if number % 6 == 0:
            fleet.node.memories.forget(fleet.ada, kept.id)
    mine = fleet.node.memories.add(fleet.bob, NewMemory("Of Bob.", type="fact")).memory
    fleet.node.memories.edit(fleet.bob, mine.id, {"content": "Changed."})


def asked(snapshot: Snapshot, gate: Gate, order: str, wanted: Filter, limit: int = 50) -> _Ask:
    """Return what a principal asks of an order, around the same instant each time."""
    parameters = gates.narrowed(gate, wanted, snapshot.now) | {
        "state": wanted.state,
        "before_at": MAX_TIME,
        "before_id": None,
        "at": 3_000,
        "at_id": snapshot.value("SELECT id FROM memories WHERE rowid = 2"),
        "limit": limit,
    }
    by = wanted.time_field if order in ("before", "after") else "created"
    ends = {"before": {"high": 3_001}, "after": {"low": 3_000}}.get(order, {})
    return page._ask(order, by, snapshot, parameters, **ends)  # noqa: SLF001 - the query itself


def ways(ask: _Ask, gate: Gate) -> Iterator[list[Row]]:
    """Yield what each way gives that may answer: every reach, and those of a large store."""
    yield ask.rows("all")
    if not gate.sight.principal.is_operator:
        yield ask.rows("seen")
    if ask.parameters["owner"] is not None:
        yield ask.rows("owned")
    plan = page._Plan("all", 1_000_000, 1_000_000)  # noqa: SLF001 - as of a large store
    for way in (page._filed, page._near, page._sought):  # noqa: SLF001 - each by itself
        found = way(ask, plan)
        if found is not None:
            yield found


@pytest.mark.parametrize("order", ORDERS)
def test_every_way_gives_the_same_rows_in_the_same_order(fleet: Fleet, order: str) -> None:
    """Whichever rows a way looks at, the same ones pass, and stand in the same order."""
    crowded(fleet)
    told = 0
    principals = (fleet.ada, fleet.bob, fleet.eve, OPERATOR)
    for principal, wanted, field in itertools.product(principals, FILTERS, FIELDS):
        with fleet.database.read() as snapshot:
            gate = gates.open_gate(snapshot, principal)
            ask = asked(snapshot, gate, order, wanted._replace(time_field=field))
            answers = [*ways(ask, gate)]
        assert all(answer == answers[0] for answer in answers)
        told += len(answers[0])
    assert told


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize("order", ORDERS)
def test_an_index_serves_each_order(fleet: Fleet, order: str, field: str) -> None:
    """Rows come in their order from an index, from where they are asked for, and are not sorted."""
    with fleet.database.read() as snapshot:
        gate = gates.open_gate(snapshot, fleet.ada)
        ask = asked(snapshot, gate, order, Filter(time_field=field))
        form = Queries("page").form(order, reach="all", instant=field)
        plan = [str(row[3]) for row in snapshot.rows(f"EXPLAIN QUERY PLAN {form}", ask.parameters)]
    index = f"memories_by_{ask.order}"
    bounds = ">? AND <expr><?" if ask.order in ("event", "valid") else f">? AND {ask.order}_at<?"
    assert any(f"SEARCH m USING INDEX {index} (" in line and bounds in line for line in plan)
    assert not any("FOR ORDER BY" in line for line in plan)


@pytest.mark.parametrize("file", ["session", "author", "said", "pinned", "forgotten", "types"])
def test_an_index_tells_what_is_narrowed_to(fleet: Fleet, file: str) -> None:
    """What a caller narrows to is looked up in an index where there is one."""
    form = Queries("page").form("filed", file=file)
    said = {"author": "ada", "said": "ada"}
    parameters = {"session": "s", "types": '["note"]', "most": 3, **said}
    with fleet.database.read() as snapshot:
        plan = [str(row[3]) for row in snapshot.rows(f"EXPLAIN QUERY PLAN {form}", parameters)]
    assert re.match(r"(SCAN|SEARCH) m USING (COVERING )?INDEX memories_", plan[0])


def test_little_is_looked_at_where_little_is_seen(fleet: Fleet) -> None:
    """The plan follows how much of the store the reader sees, and whose memories it asks for."""
    for number in range(40):
        fleet.remember(f"Kept {number}.")
    kept = fleet.remember("For Eve.", "agent:eve")

    def reach(principal: Principal, wanted: Filter) -> str:
        with fleet.database.read() as snapshot:
            gate = gates.open_gate(snapshot, principal)
            return page._plan(asked(snapshot, gate, "page", wanted), gate).reach  # noqa: SLF001 - the choice itself

    assert kept.audience == ("agent:eve",)
    assert reach(fleet.eve, Filter()) == "seen"
    assert reach(fleet.ada, Filter()) == "all"
    assert reach(OPERATOR, Filter()) == "all"
    assert reach(OPERATOR, Filter(owner="eve")) == "owned"
    assert reach(OPERATOR, Filter(owner="ada")) == "all"


def test_the_nearest_rows_are_enough_where_they_fill_the_page(fleet: Fleet) -> None:
    """The nearest rows answer alone where enough of them pass, or where there are no more."""
    kept = fleet.fill(40)
    plan = page._Plan("seen", 10, 40)  # noqa: SLF001 - as of a reader of a quarter
    for types, limit, rows in ((("note",), 1, 1), (("fact",), 1, None), (("fact",), 9, 0)):
        with fleet.database.read() as snapshot:
            gate = gates.open_gate(snapshot, fleet.ada)
            ask = asked(snapshot, gate, "page", Filter(types=types), limit)
            found = page._near(ask, plan)  # noqa: SLF001 - by itself
            assert (None if found is None else len(found)) == rows
    assert len(kept) == 40


def test_a_form_is_chosen_among_the_known_ones() -> None:
    """A form of a query takes in the fragments that were chosen, and knows no others."""
    queries = Queries("page")
    form = queries.form("page", reach="all", instant="event")
    assert "{{" not in form
    assert "coalesce(m.event_at, m.created_at) >= :since" in form
    assert "m.created_at >= :low" in form
    with pytest.raises(KeyError):
        queries.form("page", reach="anything", instant="event")
