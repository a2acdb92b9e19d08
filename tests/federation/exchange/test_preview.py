"""What would be sent, and what somebody would see, is what is sent and seen."""

from __future__ import annotations

import pytest

from agent_memory_os.errors import UnknownName
from agent_memory_os.service.peers import preview
from tests.federation.exchange.conftest import Two
from tests.federation.exchange.party import settle


def test_a_preview_is_what_then_comes(two: Two) -> None:
    """Each memory that a preview shows with its words comes, by its rule, and no other does."""
    ann, ben = two
    ann.remember("scout", "in private")
    shared = ann.remember("scout", "for the team", "team:apollo")
    ended = ann.remember("scout", "no more", "team:apollo")
    ann.node.memories.revoke(ann.agent("scout"), ended, "team:apollo")
    rows = list(preview.of_peer(ann.node.context, "ben"))
    memories = {row.object: row for row in rows if row.object.startswith("mem_")}
    assert set(memories) == {shared, ended}
    assert memories[shared].words == "for the team"
    assert (memories[shared].where, memories[shared].rule) == (
        "team:apollo",
        "its agents are members there",
    )
    assert not memories[ended].has_content
    settle(ann, ben)
    assert set(ben.read("mira")) == {one for one, row in memories.items() if row.has_content}


def test_a_ceiling_shows_in_the_preview(two: Two) -> None:
    """What the operator does not let a peer have is in no row."""
    ann, _ = two
    ann.remember("scout", "for the team", "team:apollo")
    ann.node.organisation.add_team("hermes")
    with ann.node.context.database.write() as transaction:
        team = transaction.value("SELECT team FROM teams WHERE name = 'hermes'")
        transaction.execute("UPDATE peers SET ceiling = ?", (f"team:{team}",))
    rows = preview.of_peer(ann.node.context, "ben")
    assert not [row for row in rows if row.object.startswith("mem_")]


@pytest.mark.parametrize("agent", ["scout", "mira@ben"])
def test_a_view_is_what_an_agent_reads(two: Two, agent: str) -> None:
    """An agent of this account, and one of another, are shown what each may read here, and why."""
    ann, _ = two
    mine = ann.remember("scout", "in private")
    shared = ann.remember("scout", "for the team", "team:apollo")
    found = {seen.memory.id: seen.rule for seen in preview.view_as(ann.node.context, agent)}
    if agent == "scout":
        assert found == {mine: "it owns it", shared: "it owns it"}
    else:
        assert found == {shared: "shared with team:apollo"}


def test_nobody_is_seen_as_who_is_not_known(two: Two) -> None:
    """A name that nobody has is refused."""
    with pytest.raises(UnknownName):
        list(preview.view_as(two.ann.node.context, "nobody"))
