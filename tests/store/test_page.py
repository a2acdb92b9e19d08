"""Pages and timelines are the same by every plan."""

from __future__ import annotations

import itertools

import pytest

from agent_memory_os.model.memory import MAX_TIME
from agent_memory_os.model.principal import Principal
from agent_memory_os.model.recall import Filter
from agent_memory_os.service.memory.add import NewMemory
from agent_memory_os.store import gate as gates
from agent_memory_os.store import page
from agent_memory_os.store.gate import Gate
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


def ways(gate: Gate, wanted: Filter) -> list[str]:
    """Give the plans that may answer a principal's wish."""
    seen = [] if gate.sight.principal.is_operator else ["seen"]
    return ["all", *seen, *(["owned"] if wanted.owner else [])]


@pytest.mark.parametrize("order", ORDERS)
def test_every_plan_gives_the_same_rows_in_the_same_order(
    fleet: Fleet, monkeypatch: pytest.MonkeyPatch, order: str
) -> None:
    """Whichever rows a plan looks at, the same ones pass, and stand in the same order."""
    crowded(fleet)
    told = 0
    principals = (fleet.ada, fleet.bob, fleet.eve, OPERATOR)
    for principal, wanted, field in itertools.product(principals, FILTERS, FIELDS):
        with fleet.database.read() as snapshot:
            gate = gates.open_gate(snapshot, principal)
            parameters = gates.narrowed(gate, wanted._replace(time_field=field), snapshot.now)
            parameters |= {"state": wanted.state, "before_at": MAX_TIME, "before_id": None}
            middle = snapshot.value("SELECT id FROM memories WHERE rowid = 2")
            parameters |= {"at": 3_000, "at_id": middle, "limit": 50}
            answers = []
            for way in ways(gate, wanted):
                monkeypatch.setattr(page, "_reach", lambda *_, way=way: way)
                answers.append(snapshot.rows(*page._query(order, snapshot, gate, parameters)))  # noqa: SLF001
        assert all(answer == answers[0] for answer in answers)
        told += len(answers[0])
    assert told


def test_a_little_is_looked_at_where_little_is_seen(fleet: Fleet) -> None:
    """The plan follows how much of the store the reader sees, and what is asked for."""
    for number in range(40):
        fleet.remember(f"Kept {number}.")
    kept = fleet.remember("For Eve.", "agent:eve")

    def reach(principal: Principal, wanted: Filter, limit: int = 3) -> str:
        with fleet.database.read() as snapshot:
            gate = gates.open_gate(snapshot, principal)
            parameters = gates.narrowed(gate, wanted, snapshot.now) | {"limit": limit}
            return page._reach(snapshot, gate, parameters)  # noqa: SLF001 - the choice itself

    assert kept.audience == ("agent:eve",)
    assert reach(fleet.eve, Filter()) == "seen"
    assert reach(fleet.eve, Filter(types=("fact",))) == "seen"
    assert reach(fleet.ada, Filter()) == "all"
    assert reach(OPERATOR, Filter()) == "all"
    assert reach(OPERATOR, Filter(owner="eve")) == "owned"
    assert reach(OPERATOR, Filter(owner="ada")) == "all"


def test_a_form_is_chosen_among_the_known_ones() -> None:
    """A form of a query takes in the fragments that were chosen, and knows no others."""
    queries = Queries("page")
    form = queries.form("page", reach="all", instant="event")
    assert "{{" not in form
    assert "coalesce(m.event_at, m.created_at) >= :since" in form
    with pytest.raises(KeyError):
        queries.form("page", reach="anything", instant="event")
