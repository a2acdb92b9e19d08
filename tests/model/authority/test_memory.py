"""What is shown of each memory: grants, contents, lives, links and narrowings."""

from __future__ import annotations

from agent_memory_os.model import register as group
from agent_memory_os.model.authority import kept, write
from agent_memory_os.model.authority.memory import NOT_ITS_OWN, OTHER_SCOPE
from agent_memory_os.model.identifier import memory_id
from tests.model.judging import (
    ACCOUNTS,
    AGENTS,
    CONTENT,
    DEVICES,
    PROJECT_SCOPE,
    TEAM,
    TEAM_SCOPE,
    Small,
)

ANN, BOB = AGENTS["ann"], AGENTS["bob"]
TO_BOB = f"agent:{BOB}"


def shared() -> tuple[Small, str, str, str]:
    """Give a team of both, a memory of bob's that is shared with it, and the names of each."""
    small = Small()
    small.team()
    small.member("add", "ann")
    add = small.member("add")
    said, _ = small.say("bob", "a", TEAM_SCOPE, add), small.grant("bob", TEAM_SCOPE, add)
    return small, add, said, small.memory("bob")[0]


def test_a_grant_opens_and_a_revocation_closes() -> None:
    """A member reads what is shared with the team until it is revoked; its owner always."""
    small, add, said, memory = shared()
    assert small.view().reads(ANN) == small.view().reads(BOB) == {memory: said}
    small.grant("bob", TEAM_SCOPE, length=2)
    view = small.view()
    assert (view.reads(ANN), view.reads(BOB)) == ({}, {memory: said})
    assert view.memories.is_revoked(memory, TEAM_SCOPE)
    small.grant("bob", TEAM_SCOPE, add, length=3)
    view = small.view()
    assert view.reads(ANN) == {memory: said}
    assert not view.memories.is_revoked(memory, TEAM_SCOPE)
    assert not view.memories.is_revoked(memory, "global")


def test_a_grant_without_its_add_opens_nothing() -> None:
    """A grant to a team that names no add of its owner does not count."""
    small, _, _, _ = shared()
    small.say("ann", "b", TEAM_SCOPE, "ab" * 32)
    void = small.grant("ann", TEAM_SCOPE, "ab" * 32)
    assert small.view().reads(BOB).keys() == {small.memory("bob")[0]}
    assert small.view().reason(void)


def test_a_content_is_shown_in_its_own_scope_alone() -> None:
    """An edit for nobody, or for another scope, is not shown where an older one was."""
    small, add, said, memory = shared()
    private = small.say("bob", "b")
    view = small.view()
    assert (view.reads(ANN), view.reads(BOB)) == ({memory: said}, {memory: private})
    assert view.reason(private, TEAM_SCOPE) == OTHER_SCOPE
    assert write.again(view, memory) == {TEAM_SCOPE: add}
    signed = small.say("bob", "b", TEAM_SCOPE, add, stamp=small.registers[private].stamp)
    view = small.view()
    assert view.reads(ANN) == {memory: signed}
    assert write.again(view, memory) == {}
    small.end("bob")
    assert write.again(small.view(), memory) == {}


def test_what_is_for_an_agent_or_the_account() -> None:
    """A grant to an agent opens for that agent, and global for the account's own alone."""
    small = Small()
    memory = small.memory("ann")[0]
    said = small.say("ann", "a", TO_BOB)
    small.grant("ann", TO_BOB)
    assert small.view().reads(BOB) == {memory: said}
    small.say("ann", "b", "global", number=1)
    small.grant("ann", "global", number=1)
    assert small.view().reads(BOB) == {memory: said}
    assert len(small.view().reads(ANN)) == 2


def test_an_agent_speaks_through_its_own_account() -> None:
    """A memory whose proof names another's agent is shown to nobody in its name."""
    small, add, _, memory = shared()
    proof = (ACCOUNTS["ann"], BOB, "0f" * 16)
    planted = memory_id(*proof)
    value = {**CONTENT, "content": "x"}
    name = small.put("ann", planted, group.CONTENT, value, proof, {TEAM_SCOPE: add})
    grant = {"length": 1, "by": BOB}
    small.put("ann", planted, group.GRANT + TEAM_SCOPE, grant, proof, {TEAM_SCOPE: add})
    view = small.view()
    assert view.reason(name, TEAM_SCOPE) == NOT_ITS_OWN
    assert view.reads(ANN).keys() == view.reads(BOB).keys() == {memory}


def test_lives_and_tombstones() -> None:
    """A tombstone ends what is of its life for all, and content of the next life begins it."""
    small, add, _, memory = shared()
    small.end("bob")
    view = small.view()
    assert view.reads(ANN) == view.reads(BOB) == {}
    assert view.memories.is_dead(memory)
    again = small.say("bob", "b", TEAM_SCOPE, add, life=3)
    view = small.view()
    assert view.reads(ANN) == {memory: again}
    assert not view.memories.is_dead(memory)
    assert view.memories.life(memory) == 2


def test_who_is_in_charge_takes_a_memory_out() -> None:
    """A narrowing by the admin ends a grant of its length, and the owner may grant anew."""
    small, add, said, memory = shared()
    value = {
        "record": kept.place_of(memory),
        "length": write.narrowing(small.view(), memory, TEAM_SCOPE),
    }
    small.chart(group.TEAM_NARROW, value, by="bob")
    assert small.view().reads(ANN) == {memory: said}
    assert not small.view().memories.is_revoked(memory, TEAM_SCOPE)
    small.chart(group.TEAM_NARROW, value)
    view = small.view()
    assert view.reads(ANN) == {}
    assert view.memories.is_revoked(memory, TEAM_SCOPE)
    assert view.memories.narrowed(memory, PROJECT_SCOPE) == 0
    small.grant("bob", TEAM_SCOPE, add, length=3)
    assert small.view().reads(ANN) == {memory: said}


def test_a_revoked_device_grants_nothing() -> None:
    """A grant by a device that was revoked, and is not listed, opens nothing."""
    small = Small()
    small.say("ann", "a", TO_BOB)
    small.grant("ann", TO_BOB, device=1)
    assert small.view().reads(BOB)
    small.certify("ann", 1, state="revoked")
    assert not small.view().reads(BOB)


def test_links_are_shown_with_both_ends() -> None:
    """A link is shown in a scope that both ends are in, while its weight is above 0."""
    small, add, _, _ = shared()
    mine = next(iter(small.view().members.adds(TEAM_SCOPE, ANN)))
    link = small.link("bob", 300, TEAM_SCOPE, add)
    assert small.view().links(ANN) == {}
    small.say("ann", "b", TEAM_SCOPE, mine)
    small.grant("ann", TEAM_SCOPE, mine)
    assert list(small.view().links(ANN).values()) == [link]
    assert small.view().memories.asserted(small.registers[link].object, PROJECT_SCOPE) == []
    small.link("bob", 0)
    view = small.view()
    assert view.links(ANN) == {}
    assert view.reason(link, TEAM_SCOPE) == ""


def test_what_writes_name() -> None:
    """A write names an add in each scope that its agent is in, and nothing where there is none."""
    small, add, _, memory = shared()
    view = small.view()
    scopes = [TEAM_SCOPE, PROJECT_SCOPE, "global"]
    assert write.reliance(view, BOB, scopes) == {TEAM_SCOPE: add, "global": ""}
    assert write.in_charge(view, TEAM) == {}
    assert write.narrowing(view, memory, TEAM_SCOPE) == 2
    lists = tuple(write.remaining(view, TEAM))
    assert len(lists[0].entries) == 3
    step = small.chart(
        group.TEAM_ADMIN, {"to": ACCOUNTS["bob"], "by": "admin", "turn": 0}, lists=lists
    )
    assert write.in_charge(small.view(), TEAM) == {TEAM_SCOPE: step}


def test_what_a_devices_revocation_lists() -> None:
    """It spares what of the device had been received, and names what it replaces."""
    small, _, said, _ = shared()
    view, account, device = small.view(), ACCOUNTS["bob"], DEVICES["bob"][0][0]
    listed = write.spared(view, account, device, {said})
    assert [entry.digest for entry in listed.entries] == [said]
    assert write.seen_revocations(view, account, device) == []
    name = small.certify("bob", 0, state="revoked", lists=(listed,))
    assert write.seen_revocations(small.view(), account, device) == [name]
