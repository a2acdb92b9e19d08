"""Links and supersessions: who may say what of two memories."""

from __future__ import annotations

import pytest

from agent_memory_os.errors import InvalidInput, NotAllowed, NotFound
from agent_memory_os.service.memory.add import NewMemory
from tests.store.sample import OPERATOR, Fleet


def pair(fleet: Fleet) -> tuple[str, str]:
    """Return a memory of Ada's and one of Bob's that both may read."""
    hers = fleet.remember("ada says", "team:apollo").id
    his = fleet.node.memories.add(fleet.bob, NewMemory("bob says"), "team:apollo").memory.id
    return hers, his


def test_what_each_asserts_is_its_own(fleet: Fleet) -> None:
    """Two agents may link the same two memories, and neither weakens or takes back the other's."""
    hers, his = pair(fleet)
    memories = fleet.node.memories
    memories.link(fleet.ada, hers, his, weight=900)
    memories.link(fleet.bob, hers, his, weight=100)
    memories.link(fleet.bob, hers, his, weight=200)
    held = {link.by: link.weight for link in memories.links(fleet.ada, hers)}
    assert held == {fleet.ada.agent: 900, fleet.bob.agent: 200}
    memories.unlink(fleet.bob, hers, his)
    assert [link.by for link in memories.links(fleet.bob, his)] == [fleet.ada.agent]
    with pytest.raises(NotAllowed, match="Only who asserted"):
        memories.unlink(fleet.bob, hers, his)
    memories.unlink(fleet.ada, hers, his)
    with pytest.raises(NotFound, match="There is no link related_to"):
        memories.unlink(fleet.ada, hers, his)


def test_the_operator_takes_back_what_anybody_asserts(fleet: Fleet) -> None:
    """The operator's unlink ends the link, whoever had asserted it, and its own link says so."""
    hers, his = pair(fleet)
    memories = fleet.node.memories
    memories.link(fleet.ada, hers, his)
    memories.link(fleet.bob, hers, his)
    assert memories.link(OPERATOR, hers, his).by == "operator"
    memories.unlink(OPERATOR, hers, his)
    assert memories.links(fleet.ada, hers) == ()


def test_a_link_that_was_taken_back_can_be_asserted_again(fleet: Fleet) -> None:
    """Linking, unlinking and linking again leaves the link."""
    hers, his = pair(fleet)
    for _ in range(2):
        fleet.node.memories.link(fleet.ada, hers, his, "caused_by")
        fleet.node.memories.unlink(fleet.ada, hers, his, "caused_by")
    fleet.node.memories.link(fleet.ada, hers, his, "caused_by")
    assert len(fleet.node.memories.links(fleet.ada, hers)) == 1


def test_a_link_needs_two_memories_that_are_seen(fleet: Fleet) -> None:
    """Neither end may be hidden, nor be the other, however the ids are written."""
    hers, _ = pair(fleet)
    hidden = fleet.node.memories.add(fleet.bob, NewMemory("bob's own")).memory.id
    for src, dst in ((hers, hidden), (hidden, hers)):
        with pytest.raises(NotFound):
            fleet.node.memories.link(fleet.ada, src, dst)
    with pytest.raises(InvalidInput, match="not linked to itself"):
        fleet.node.memories.link(fleet.ada, hers, hers[:20])


def test_a_link_is_gone_with_an_end(fleet: Fleet) -> None:
    """Whoever may not see one end any more does not see the link, and sees it again after."""
    hers, his = pair(fleet)
    fleet.node.memories.link(fleet.ada, hers, his)
    fleet.node.memories.revoke(fleet.bob, his)
    assert fleet.node.memories.links(fleet.ada, hers) == ()
    assert len(fleet.node.memories.links(fleet.bob, his)) == 1
    fleet.node.memories.share(fleet.bob, his, "team:apollo")
    assert len(fleet.node.memories.links(fleet.ada, hers)) == 1
    fleet.node.memories.erase(fleet.bob, [his])
    assert fleet.node.memories.links(fleet.ada, hers) == ()


def test_who_supersedes_owns_one_of_the_two(fleet: Fleet) -> None:
    """The older one's owner decides, the newer one's proposes, and others do neither."""
    hers, his = pair(fleet)
    fleet.node.organisation.join("eve", "team:apollo")
    memories = fleet.node.memories
    proposal = memories.supersede(fleet.bob, hers, his)
    assert "proposal" in proposal.notes[0]
    assert memories.link(fleet.ada, his, hers, "supersedes").by == fleet.ada.agent
    with pytest.raises(NotAllowed, match="may say that one supersedes"):
        memories.link(fleet.eve, his, hers, "supersedes")
    with pytest.raises(NotAllowed):
        memories.supersede(fleet.ada, hers, his)
    own = fleet.remember("ada says more", "team:apollo").id
    assert memories.supersede(fleet.ada, hers, own).notes == ()
    with pytest.raises(InvalidInput, match="itself"):
        memories.supersede(fleet.ada, own, own)
