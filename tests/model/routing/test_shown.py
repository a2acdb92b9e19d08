"""What a node shows of a memory or link, and to which scopes."""

from __future__ import annotations

from agent_memory_os.model.identifier import memory_id
from agent_memory_os.model.register import CONTENT
from agent_memory_os.model.routing.shown import Shown, shown, shown_link
from tests.model.judging import ACCOUNTS, AGENTS, PROJECT_SCOPE, TEAM_SCOPE, Small

ANN, BOB, EVE = (ACCOUNTS[name] for name in ("ann", "bob", "eve"))
TO_ANN = f"agent:{AGENTS['ann']}"
NOTHING = Shown(None, frozenset(), is_dead=False, is_spent=False)


def shared() -> tuple[Small, dict[str, str]]:
    """Give a team of ann and bob, and a memory of bob's that is shared with it and with ann."""
    small = Small(("ann", "bob", "eve"))
    small.team()
    names = {who: small.member("add", who) for who in ("ann", "bob")}
    names["team"] = small.say("bob", "a", TEAM_SCOPE, names["bob"])
    stamp = small.registers[names["team"]].stamp
    names["own"] = small.say("bob", "a", TO_ANN, stamp=stamp)
    small.grant("bob", TEAM_SCOPE, names["bob"])
    small.grant("bob", TO_ANN)
    return small, names


def test_one_text_is_shown_to_every_scope_that_has_it() -> None:
    """The owner's node and a member's show the same to the team and to the agent."""
    small, _ = shared()
    memory = small.memory("bob")[0]
    for account in (ANN, BOB):
        found = shown(small.view(), account, memory)
        assert found.content is not None
        assert found.content[1].value["content"] == "a"
        assert found.scopes == {TEAM_SCOPE, TO_ANN}
        assert not found.is_spent
    assert shown(small.view(), EVE, memory) == NOTHING._replace(is_spent=False)


def test_a_scope_with_another_text_is_not_shown() -> None:
    """Where the owner goes on for some scopes alone, the others see nothing until they meet."""
    small, names = shared()
    memory = small.memory("bob")[0]
    newer = small.say("bob", "b", TO_ANN)
    for account in (ANN, BOB):
        found = shown(small.view(), account, memory)
        assert found.content is not None
        assert (found.content[0], set(found.scopes)) == (newer, {TO_ANN})
    stamp = small.registers[newer].stamp
    small.say("bob", "b", TEAM_SCOPE, names["bob"], stamp=stamp)
    assert shown(small.view(), ANN, memory).scopes == {TEAM_SCOPE, TO_ANN}


def test_a_grant_without_a_content_shows_nothing() -> None:
    """A scope for which nothing was signed is not shown what was signed for another."""
    small, _ = shared()
    memory = small.memory("bob")[0]
    small.grant("bob", "global")
    assert shown(small.view(), BOB, memory).scopes == {TEAM_SCOPE, TO_ANN}


def test_everybody_is_the_account_alone_unless_it_is_trusted() -> None:
    """What is for everybody is shown on the owner's nodes, and on others that trust its account."""
    small = Small()
    said, memory = small.say("bob", "a", "global"), small.memory("bob")[0]
    small.grant("bob", "global")
    view = small.view()
    assert shown(view, BOB, memory).scopes == {"global"}
    assert shown(view, ANN, memory) == NOTHING._replace(is_spent=True)
    found = shown(view, ANN, memory, trusts=True)
    assert (found.content, set(found.scopes)) == ((said, small.registers[said]), {"global"})
    assert not found.is_spent


def test_what_names_anothers_agent_is_shown_to_nobody() -> None:
    """A memory that a device writes as another account's agent is not its account's own."""
    small, names = shared()
    proof = (BOB, AGENTS["ann"], "0f" * 16)
    planted = memory_id(*proof)
    value = {"content": "x", "type": "note", "created_at": 1, "updated_at": 1}
    small.put("bob", planted, CONTENT, value, proof, {TEAM_SCOPE: names["ann"]})
    assert shown(small.view(), BOB, planted) == NOTHING
    assert shown(small.view(), ANN, planted) == NOTHING._replace(is_spent=True)


def test_what_ended_is_shown_to_nobody() -> None:
    """A tombstone hides a memory everywhere, and others drop it; a revocation takes one scope."""
    small, _ = shared()
    memory = small.memory("bob")[0]
    small.grant("bob", TO_ANN, length=2)
    assert shown(small.view(), ANN, memory).scopes == {TEAM_SCOPE}
    small.grant("bob", TEAM_SCOPE, length=2)
    assert shown(small.view(), ANN, memory) == NOTHING._replace(is_spent=True)
    assert shown(small.view(), BOB, memory).scopes == frozenset()
    small.end("bob")
    assert shown(small.view(), BOB, memory) == NOTHING._replace(is_dead=True)
    assert shown(small.view(), ANN, memory) == NOTHING._replace(is_dead=True, is_spent=True)


def test_what_a_waiting_grant_opens_is_not_dropped() -> None:
    """A revoked memory is hidden and kept while a longer grant of it waits."""
    small, names = shared()
    memory = small.memory("bob")[0]
    for scope in (TEAM_SCOPE, TO_ANN):
        small.grant("bob", scope, length=2)
    again = small.registers.pop(small.grant("bob", TEAM_SCOPE, names["bob"], length=3))
    assert shown(small.view(), ANN, memory).is_spent
    assert shown(small.view(), ANN, memory, parked=[again]) == NOTHING


def test_a_link_is_shown_by_ones_own_word_first() -> None:
    """What the account asserts, taken back too; else what others say there; its ends are gated."""
    small, names = shared()
    said = small.link("bob", 300, TEAM_SCOPE, names["bob"])
    link = small.registers[said].object
    private = small.link("ann", 500)
    mine = small.registers[private].object
    view = small.view()
    for account in (ANN, BOB):
        assert shown_link(view, account, link) == (said, small.registers[said])
    assert shown_link(view, EVE, link) is None
    assert shown_link(view, ANN, mine) == (private, small.registers[private])
    assert shown_link(view, BOB, mine) is None
    small.link("bob", 0)
    assert shown_link(small.view(), ANN, link) is shown_link(small.view(), BOB, link) is None
    assert shown_link(small.view(), ANN, "lnk_" + "a" * 32) is None


def test_a_link_of_a_revoked_device_is_no_word_of_ones_own() -> None:
    """What a stolen device of the account says of a link counts no more."""
    small, names = shared()
    said = small.link("bob", 300, PROJECT_SCOPE, names["bob"])
    small.certify("bob", 0, state="revoked")
    assert shown_link(small.view(), BOB, small.registers[said].object) is None
