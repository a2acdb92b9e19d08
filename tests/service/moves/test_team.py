"""What is shared with one team is shared with another, by those who are in both."""

from __future__ import annotations

import pytest

from agent_memory_os.errors import InvalidInput, NotAllowed, UnknownName
from agent_memory_os.service.memory.add import NewMemory
from agent_memory_os.service.moves import Step
from tests.service.moves.sample import total
from tests.store.sample import OPERATOR, Fleet


@pytest.fixture
def both(fleet: Fleet) -> Fleet:
    """Give a fleet with a second team, in which is Ada alone."""
    fleet.node.organisation.add_team("artemis")
    fleet.node.organisation.join("ada", "team:artemis")
    return fleet


def audience(fleet: Fleet, memory: str) -> tuple[str, ...]:
    """Return with whom a memory is shared."""
    return fleet.node.memories.get(OPERATOR, memory).audience


@pytest.mark.parametrize("keep", [False, True])
def test_it_is_shared_with_the_other_team(both: Fleet, keep: bool) -> None:  # noqa: FBT001
    """Instead of the first, or as well; what is not shared with the first stays as it is."""
    ours = both.remember("ours", "team:apollo, agent:eve")
    alone = both.remember("alone")
    gone = both.remember("forgotten", "team:apollo")
    both.node.memories.forget(both.ada, gone.id)
    there = both.remember("there already", "team:apollo, team:artemis")
    theirs = both.node.memories.add(both.bob, NewMemory("of bob"), "team:apollo").memory
    plan = both.node.moves.preview_team(OPERATOR, "apollo", "artemis", keep=keep)
    assert (plan.memories, plan.left) == (1 if keep else 2, (("bob", 1),))
    assert [one.id for one in plan.sample] == ([ours.id] if keep else [ours.id, there.id])
    steps = both.node.moves.run_team(OPERATOR, "apollo", "artemis", keep=keep)
    assert total(steps) == Step(*((1, 2) if keep else (2, 1)), "")
    first = ("team:apollo",) if keep else ()
    assert set(audience(both, ours.id)) == {"agent:eve", *first, "team:artemis"}
    assert set(audience(both, there.id)) == {*first, "team:artemis"}
    assert audience(both, alone.id) == ()
    assert audience(both, theirs.id) == ("team:apollo",)
    again = total(both.node.moves.run_team(OPERATOR, "apollo", "artemis", keep=keep))
    assert again.moved == 0
    assert both.node.moves.preview_team(OPERATOR, "apollo", "artemis", keep=keep).memories == 0


def test_what_cannot_be_is_refused(both: Fleet) -> None:
    """An agent, one team alone, and a team that is not there."""
    moves = both.node.moves
    for act in (moves.preview_team, lambda *both: list(moves.run_team(*both))):
        with pytest.raises(NotAllowed):
            act(both.ada, "apollo", "artemis")
        with pytest.raises(InvalidInput, match="two teams"):
            act(OPERATOR, "apollo", "apollo")
        with pytest.raises(UnknownName):
            act(OPERATOR, "apollo", "ghost")
