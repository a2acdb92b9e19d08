"""Which memories are moved, from whom to whom, and what is refused before anything is."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from agent_memory_os.errors import (
    AgentMemoryError,
    BadFleetFile,
    ClockWrong,
    InvalidInput,
    NotAllowed,
    UnknownName,
)
from agent_memory_os.model.recall import Filter
from agent_memory_os.service import moves
from agent_memory_os.service.memory.add import NewMemory
from agent_memory_os.service.memory.room import Room
from agent_memory_os.service.moves import EVERYTHING, Chosen, Step
from agent_memory_os.service.moves import agent as agents
from agent_memory_os.service.upkeep import AuditFilter
from agent_memory_os.store.peer import peers
from agent_memory_os.store.write import writing
from tests.service.moves.sample import every, moved, shown, total
from tests.store.sample import OPERATOR, Fleet

CHOSEN: dict[str, Chosen] = {
    "typed": Chosen(Filter(types=("decision", "warning"))),
    "tagged": Chosen(Filter(tags=("t", "u"))),
    "said": Chosen(Filter(author="Sam")),
    "session": Chosen(Filter(session="s1")),
    "pinned": Chosen(Filter(pinned=True)),
    "team": Chosen(audience="team:apollo"),
    "project": Chosen(audience="project:apollo/site"),
    "agent": Chosen(audience="agent:eve"),
    "everyone": Chosen(audience="global"),
    "happened": Chosen(Filter(since=5, until=9, time_field="event")),
}


def furnish(fleet: Fleet) -> None:
    """Have Ada remember a memory for each way to choose."""
    fleet.remember("typed", type="decision")
    fleet.remember("tagged", tags=("t", "u"))
    fleet.remember("half tagged", tags=("t",))
    fleet.remember("said", author="Sam")
    fleet.remember("session", session="s1")
    fleet.remember("pinned", pinned=True)
    fleet.remember("team", "team:apollo")
    fleet.remember("project", "project:apollo/site")
    fleet.remember("agent", "agent:eve")
    fleet.remember("everyone", "global")
    fleet.remember("happened", event_at=7)


def test_what_is_chosen_is_moved(fleet: Fleet) -> None:
    """Each way to narrow moves the memory that it means, and the preview says so."""
    furnish(fleet)
    alone = fleet.node.moves.preview(OPERATOR, "ada", "bob", Chosen(audience="private"))
    assert (alone.memories, len(alone.sample), alone.kept) == (7, 5, ())
    for name, chosen in CHOSEN.items():
        plan = fleet.node.moves.preview(OPERATOR, "ada", "bob", chosen)
        assert (plan.memories, [one.text for one in plan.sample]) == (1, [name])
        assert moved(fleet.node, "ada", "bob", chosen) == Step(1, 0, ""), name
    left = [one.text for one in every(fleet.node, OPERATOR) if one.owner_name == "ada"]
    assert left == ["half tagged"]


def test_the_preview_changes_nothing(fleet: Fleet) -> None:
    """It counts, shows the first few, and tells who reads them then; the audit has it."""
    furnish(fleet)
    plan = fleet.node.moves.preview(OPERATOR, "ada", "bob")
    assert (plan.source_name, plan.target_name, plan.memories, plan.skipped) == (
        "ada",
        "bob",
        11,
        0,
    )
    assert {one.name for one in plan.kept} == {
        "team:apollo",
        "project:apollo/site",
        "agent:eve",
        "global",
    }
    assert set(shown(fleet.node, fleet.ada).values()) == {"ada"}
    moved(fleet.node, "ada", "bob")
    lines = fleet.node.upkeep.audit(OPERATOR, AuditFilter(action="move"), 100).entries
    assert len([one for one in lines if one.object]) == 11


def test_who_is_removed_is_moved_from_and_not_to(fleet: Fleet) -> None:
    """An agent that was removed has its memories still, and gets none."""
    fleet.remember("kettle", "agent:eve")
    fleet.node.organisation.remove_agent("ada")
    with pytest.raises(UnknownName):
        moved(fleet.node, "bob", "ada")
    assert moved(fleet.node, "ada", "bob").moved == 1
    assert shown(fleet.node, fleet.eve) == {"kettle": "bob"}


REFUSED: dict[str, tuple[type[AgentMemoryError], Callable[[Fleet], object]]] = {
    "to itself": (InvalidInput, lambda f: moved(f.node, "ada", "ada")),
    "to itself by its id": (InvalidInput, lambda f: moved(f.node, "ada", f.ada.agent or "")),
    "from nobody": (UnknownName, lambda f: moved(f.node, "ghost", "ada")),
    "to nobody": (UnknownName, lambda f: moved(f.node, "ada", "ghost")),
    "an owner": (InvalidInput, lambda f: moved(f.node, "ada", "bob", Chosen(Filter(owner="eve")))),
    "forgotten": (
        InvalidInput,
        lambda f: moved(f.node, "ada", "bob", Chosen(Filter(state="forgotten"))),
    ),
    "no type": (InvalidInput, lambda f: moved(f.node, "ada", "bob", Chosen(Filter(types=("x",))))),
    "no audience": (InvalidInput, lambda f: moved(f.node, "ada", "bob", Chosen(audience="us"))),
    "no team": (UnknownName, lambda f: moved(f.node, "ada", "bob", Chosen(audience="team:x"))),
    "no cursor": (
        InvalidInput,
        lambda f: list(f.node.moves.run(OPERATOR, "ada", "bob", cursor="1")),
    ),
    "an agent moves": (NotAllowed, lambda f: list(f.node.moves.run(f.ada, "ada", "bob"))),
    "an agent looks": (NotAllowed, lambda f: f.node.moves.preview(f.bob, "ada", "bob")),
}


def test_what_cannot_be_is_refused(fleet: Fleet) -> None:
    """It is told in a sentence, and nothing is moved."""
    fleet.remember("kettle", "team:apollo")
    for kind, act in REFUSED.values():
        with pytest.raises(kind):
            act(fleet)
    assert shown(fleet.node, fleet.bob) == {"kettle": "ada"}


def test_several_of_one_name_are_not_guessed(fleet: Fleet) -> None:
    """Of two removed agents that were called the same, one is named by its id."""
    for name in ("eve", "bob"):
        fleet.node.organisation.remove_agent(name)
    fleet.say("UPDATE agents SET name = 'eve' WHERE name = 'bob'")
    with pytest.raises(UnknownName, match="More than one agent"):
        fleet.node.moves.preview(OPERATOR, "eve", "ada")
    assert fleet.node.moves.preview(OPERATOR, fleet.eve.agent or "", "ada").memories == 0


def test_with_a_fault_in_the_fleet_file_nothing_is_moved(fleet: Fleet) -> None:
    """Nobody knows then who should be in which team."""
    fleet.remember("kettle")
    node = fleet.node
    broken = moves.Moves(node.context._replace(fault="agents.toml is no TOML"))
    with pytest.raises(BadFleetFile):
        list(broken.run(OPERATOR, "ada", "bob"))
    assert not shown(node, fleet.bob)


def test_with_a_wrong_clock_nothing_shared_is_moved(
    fleet: Fleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is private is moved all the same, and what is shared once the clock is right."""
    fleet.remember("ours", "team:apollo")
    fleet.remember("mine")
    fleet.node.organisation.add_team("artemis")
    fleet.node.organisation.join("ada", "team:artemis")
    with monkeypatch.context() as patch:
        patch.setattr(peers, "offset", lambda _: 600_000)
        with pytest.raises(ClockWrong):
            moved(fleet.node, "ada", "bob")
        with pytest.raises(ClockWrong):
            list(fleet.node.moves.run(OPERATOR, "ada", "bob", cursor="mem_" + "a" * 32))
        with pytest.raises(ClockWrong):
            list(fleet.node.moves.run_team(OPERATOR, "apollo", "artemis"))
        assert moved(fleet.node, "ada", "bob", Chosen(audience="private")).moved == 1
    assert moved(fleet.node, "ada", "bob").moved == 1


def test_many_are_moved_in_steps_that_can_be_gone_on_with(fleet: Fleet) -> None:
    """Each step is a transaction; whoever stops goes on behind it, and nothing is done twice."""
    fleet.fill(60)
    steps = fleet.node.moves.run(OPERATOR, "ada", "bob")
    first = next(steps)
    steps.close()  # type: ignore[attr-defined]
    assert 0 < first.moved < 60
    rest = total(fleet.node.moves.run(OPERATOR, "ada", "bob", cursor=first.cursor))
    assert (first.moved + rest.moved, rest.skipped, rest.cursor) == (60, 0, "")
    assert set(shown(fleet.node, fleet.ada).values()) == {"bob"}
    assert total(fleet.node.moves.run(OPERATOR, "ada", "bob")) == Step(0, 0, "")


def test_what_goes_meanwhile_is_passed_over(fleet: Fleet) -> None:
    """A memory that was forgotten or erased since it was looked up is not moved."""
    kept = fleet.remember("kept")
    gone = [fleet.remember(f"gone {number}") for number in range(2)]
    fleet.node.memories.forget(fleet.ada, gone[0].id)
    fleet.node.memories.erase(fleet.ada, [gone[1].id])
    organisation = fleet.node.organisation
    way = agents.Way(organisation.agent("ada"), organisation.agent("bob"))
    with writing(fleet.database) as writer:
        done = [agents.put(writer, way, memory.id) for memory in (kept, *gone)]
    assert done == [True, False, False]


def test_the_room_of_a_key_is_that_of_its_holder(fleet: Fleet) -> None:
    """A limit holds back what the agent adds through its key, and not what the operator moves."""
    fleet.fill(3)
    assert moved(fleet.node, "ada", "bob").moved == 3
    near = fleet.node.within(Room(fleet.bob.agent or "", 2))
    with pytest.raises(AgentMemoryError, match="may own 2 memories"):
        near.memories.add(fleet.bob, NewMemory("one more"))


def test_of_nothing_nothing_is_moved(fleet: Fleet) -> None:
    """One step that did nothing is all."""
    assert list(fleet.node.moves.run(OPERATOR, "eve", "bob", EVERYTHING)) == [Step(0, 0, "")]
    assert fleet.node.moves.preview(OPERATOR, "eve", "bob").memories == 0
