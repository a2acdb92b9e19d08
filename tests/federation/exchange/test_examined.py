"""A node that has peers is sound, and what is altered in it is found and made as it was."""

from __future__ import annotations

import pytest

from tests.federation.exchange.conftest import Two
from tests.federation.exchange.party import Party, settle

TEAM = "SELECT id FROM scopes WHERE kind = 'team'"
FOREIGN = "SELECT rowid FROM memories WHERE content LIKE 'scout wrote%'"
HARM = {
    "a grant that is gone": f"DELETE FROM grants WHERE memory IN ({FOREIGN})",
    "a grant that ended": f"UPDATE grants SET until = since WHERE memory IN ({FOREIGN})",
    "a grant that nobody gave": (
        f"INSERT INTO grants (memory, scope, since, granted_by) SELECT rowid, ({TEAM}), 1, 'x' "
        "FROM memories WHERE content = 'for mira alone'"
    ),
    "a life that is over": (
        f"UPDATE memories SET state = 'forgotten', forgotten_at = 1 WHERE rowid IN ({FOREIGN})"
    ),
    "a member that is gone": "DELETE FROM memberships",
    "an agent's name": "UPDATE agents SET name = 'somebody' WHERE name = 'scout@ann'",
    "a team's admin": "UPDATE teams SET admin = (SELECT account FROM node)",
    "a device's state": (
        "UPDATE devices SET state = 'revoked' WHERE device <> (SELECT device FROM node)"
    ),
    "a link's weight": "UPDATE links SET weight = weight - 1",
    "a link that is gone": "DELETE FROM links",
}


def told(party: Party, agent: str) -> list[object]:
    """Return what an agent reads, with whom it is shared and what it is linked to."""
    principal = party.agent(agent)
    found: list[object] = []
    for memory_id in sorted(party.read(agent)):
        memory = party.memory(agent, memory_id)
        linked = [(one.dst, one.weight) for one in party.node.memories.links(principal, memory_id)]
        found.append((memory_id, memory.text, memory.state, sorted(memory.grants), linked))
    return [*found, *party.search(agent, "wrote")]


@pytest.mark.parametrize("harm", HARM)
def test_what_was_altered_is_made_as_it_was(two: Two, harm: str) -> None:
    """Whatever row of others' things is altered, the doctor says so and makes it right again."""
    ann, ben = two
    first = ann.remember("scout", "scout wrote one", "team:apollo")
    second = ann.remember("scout", "scout wrote two", "team:apollo")
    ann.remember("scout", "for mira alone", "agent:mira@ben")
    ann.node.memories.link(ann.agent("scout"), first, second)
    settle(ann, ben)
    before = told(ben, "mira")
    with ben.node.context.database.write() as transaction:
        transaction.execute(HARM[harm])
    assert not ben.node.upkeep.check().ok
    ben.node.close()
    assert ben.node.upkeep.mend() != ()
    assert ben.node.upkeep.check().ok
    assert told(ben, "mira") == before
    assert ben.node.upkeep.mend() == ()
    settle(ann, ben)


def test_what_does_not_count_is_no_fault(two: Two) -> None:
    """Neither a removed member's later writes nor a narrowing leave a node unsound anywhere."""
    ann, ben = two
    ben.remember("mira", "what mira wrote", "team:apollo")
    settle(ann, ben)
    ann.node.organisation.leave("mira@ben", "team:apollo")
    ben.remember("mira", "what she wrote later", "team:apollo")
    settle(ann, ben)
    assert ann.node.upkeep.mend() == ben.node.upkeep.mend() == ()
