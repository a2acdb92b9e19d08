"""What a node drops: the contents of others that it was told it may keep no more.

Only what is told explicitly purges: a tombstone, a revocation or narrowing, a removal of every one
of the account's agents in the scope. An add that is not known hides, and drops nothing, for it may
only not have come yet. A content without any grant is dropped: a record goes whole, its grants
first, so nobody honest brings one alone, and nobody could be asked how it ended. A revocation
purges nothing while a later grant is here that waits until it is due: the peer that brought both
does not bring the content again. Grants and lives are kept: they keep what was dropped from coming
back. What another account shares with everybody is kept where that account is trusted with it.
"""

from __future__ import annotations

from collections.abc import Container, Iterable

from agent_memory_os.model.audience import GLOBAL
from agent_memory_os.model.authority.judged import View
from agent_memory_os.model.authority.memory import is_shared
from agent_memory_os.model.register import CONTENT, GRANT, Register


def is_spent(
    view: View,
    account: str,
    memory: str,
    parked: Iterable[Register] = (),
    *,
    trusts: bool = False,
) -> bool:
    """Say whether a node of this account has to drop the contents of a memory of another's.

    ``parked`` are the registers of this memory that wait here. ``trusts``: what the owner's account
    shares with everybody is shown to this account too.
    """
    if view.held.proof(memory)[0] == account:
        return False
    named = {scope for _, one in view.held.of(memory, CONTENT) for scope in one.relies}
    scopes = named.union(view.memories.scopes(memory))
    if view.memories.is_dead(memory):
        return True
    opening = _opening(view, memory, parked)
    return all(is_over(view, account, memory, scope, opening, trusts=trusts) for scope in scopes)


def _opening(view: View, memory: str, parked: Iterable[Register]) -> set[str]:
    """Return the scopes that a grant opens again once it is due."""
    lengths = [
        (one.group.removeprefix(GRANT), int(one.value["length"]))
        for one in parked
        if one.group.startswith(GRANT)
    ]
    return {scope for scope, length in lengths if length > view.memories.reached(memory, scope)}


def is_over(
    view: View,
    account: str,
    memory: str,
    scope: str,
    opening: Container[str] = (),
    *,
    trusts: bool = False,
) -> bool:
    """Say whether an account was told that it reads a memory by this scope no more."""
    agents = view.agents(account)
    is_granted = bool(view.held.of(memory, GRANT + scope))
    if scope not in opening and (not is_granted or view.memories.is_revoked(memory, scope)):
        return True
    if scope == GLOBAL:
        return not trusts
    if not is_shared(scope):
        return scope.removeprefix("agent:") not in agents
    if any(view.members.adds(scope, agent) for agent in agents):
        return False
    return any(view.members.was_removed(scope, agent) for agent in agents)
