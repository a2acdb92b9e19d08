"""A memory is plain while only its first content and grant are held of it, and both count."""

from __future__ import annotations

from collections.abc import Callable

from agent_memory_os.model import register as group
from agent_memory_os.model.authority import kept
from agent_memory_os.model.authority.plain import Plain
from agent_memory_os.model.identifier import memory_id
from tests.model.judging import ACCOUNTS, AGENTS, CONTENT, PROJECT_SCOPE, TEAM_SCOPE, Small

ANN, BOB = ACCOUNTS["ann"], ACCOUNTS["bob"]


def shared(scope: str = TEAM_SCOPE) -> tuple[Small, str]:
    """Return a team in which bob wrote a memory, and the memory."""
    small = Small()
    small.team()
    small.member("add", "ann")
    add = small.member("add")
    small.say("bob", "a", scope, add if scope == TEAM_SCOPE else "")
    small.grant("bob", scope, add if scope == TEAM_SCOPE else "")
    return small, small.memory("bob")[0]


def plain(small: Small, memory: str) -> Plain | None:
    """Return a memory as the view of all has it, where it is plain."""
    view = small.view()
    return view.plains.of(dict(view.held.about(memory)))


def test_what_is_shared_once_is_plain() -> None:
    """In a team, for an agent and for the account; and who is reached by each."""
    for scope in (TEAM_SCOPE, "global", f"agent:{AGENTS['ann']}"):
        small, memory = shared(scope)
        found, reaches = plain(small, memory), small.view().plains.reaches
        assert found is not None
        assert found.scope == scope
        assert reaches(ANN, scope) == (scope != "global")
        assert reaches(ANN, scope, trusts=True)
        assert not reaches(BOB, f"agent:{AGENTS['ann']}")


def test_what_is_private_is_plain() -> None:
    """A content for nobody else is plain without a grant, and one for a scope is not."""
    small = Small()
    small.say("bob", "a", "", "")
    found = plain(small, small.memory("bob")[0])
    assert found is not None
    assert (found.scope, found.grant) == ("", None)
    small.say("bob", "a", "global", "", number=1)
    assert plain(small, small.memory("bob", 1)[0]) is None
    assert Small().view().plains.of({}) is None


def test_whatever_else_is_held_of_it_makes_it_no_plain_one() -> None:
    """An end, a later grant, one of another scope, a later life."""
    changes: tuple[Callable[[Small], object], ...] = (
        lambda small: small.end("bob"),
        lambda small: small.grant("bob", TEAM_SCOPE, "", length=2),
        lambda small: small.grant("bob", PROJECT_SCOPE, ""),
        lambda small: small.say("bob", "b", "", "", life=3),
    )
    for more in changes:
        small, memory = shared()
        more(small)
        assert plain(small, memory) is None
    small = Small()
    small.grant("bob", "global", "")
    small.end("bob")
    assert plain(small, small.memory("bob")[0]) is None


def test_what_does_not_count_is_not_plain() -> None:
    """Without an add that holds, by a device that is not certified or was revoked, or narrowed."""
    small, memory = shared()
    small.member("remove")
    assert plain(small, memory) is None
    small, memory = shared()
    small.certify("bob", 0, state="revoked")
    assert plain(small, memory) is None
    small, memory = shared()
    small.chart(group.TEAM_NARROW, {"record": kept.place_of(memory), "length": 2})
    assert plain(small, memory) is None
    small, _ = shared()
    proof = (ANN, AGENTS["bob"], "0f" * 16)
    planted = memory_id(*proof)
    small.put("ann", planted, group.CONTENT, {**CONTENT, "content": "x"}, proof)
    assert plain(small, planted) is None
