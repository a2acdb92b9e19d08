"""What a node shows of one memory: one text, to those scopes in which that very text counts.

A node holds a memory once and shows it to all of its agents that may read it. To the account that
owns it that is the owner's newest content; elsewhere the newest among the scopes that the node's
agents are in. A scope in which another content is the newest that counts (its owner left it and
went on writing, or an edit and a share have not met yet) is not shown the memory here until both
are the same again: what is not for a scope never comes into it by way of a node that also holds
what is.
"""

from __future__ import annotations

from collections.abc import Iterable

from agent_memory_os.model.audience import GLOBAL
from agent_memory_os.model.authority.held import Named
from agent_memory_os.model.authority.judged import View
from agent_memory_os.model.authority.memory import is_shared
from agent_memory_os.model.merge import newest
from agent_memory_os.model.register import LINK, Register
from agent_memory_os.model.routing.purge import is_spent
from agent_memory_os.value import NamedTuple


class Shown(NamedTuple):
    """What is shown of a memory: the content, if any, and the scopes that see it.

    ``is_dead``: it was forgotten. ``is_spent``: its contents are to be dropped here.
    """

    content: Named | None
    scopes: frozenset[str]
    is_dead: bool
    is_spent: bool


def shown(
    view: View,
    account: str,
    memory: str,
    *,
    trusts: bool = False,
    parked: Iterable[Register] = (),
) -> Shown:
    """Return what a node of an account shows of a memory that ``view`` is about.

    ``trusts``: what the owner's account shares with everybody is shown to this account too.
    ``parked``: the registers of this memory that wait here until they are due (:mod:`purge`).
    """
    memories = view.memories
    owner, agent = view.held.proof(memory)[:2]
    audience = memories.audience(memory)
    if owner == account:
        # An id commits to whatever agent it names: another account's is shown nothing by it.
        is_own = view.held.account_of.get(agent, account) == account
        found = memories.own(memory) if is_own else None
        is_over = False
    else:
        found = memories.shown(memory, _reached(view, account, audience, trusts=trusts))
        is_over = is_spent(view, account, memory, parked, trusts=trusts)
    scopes = frozenset(
        scope
        for scope in audience
        if found is not None
        and (scope != GLOBAL or owner == account or trusts)
        and _counts(view, memory, scope, found)
    )
    return Shown(found, scopes, memories.is_dead(memory), is_over)


def _reached(view: View, account: str, audience: list[str], *, trusts: bool) -> list[str]:
    agents = view.agents(account)
    return [
        scope
        for scope in audience
        if (scope == GLOBAL and trusts)
        or scope.removeprefix("agent:") in agents
        or (is_shared(scope) and any(view.members.adds(scope, agent) for agent in agents))
    ]


def _counts(view: View, memory: str, scope: str, found: Named) -> bool:
    """Say whether what is shown is what a scope's newest content says: the same edit, signed."""
    last = newest([one for _, one in view.memories.versions(memory, scope)])
    if last is None:
        return False
    return (last.stamp, last.value) == (found[1].stamp, found[1].value)


def shown_link(view: View, account: str, link: str) -> Named | None:
    """Return what a node of an account shows of a link: what it says itself, else what others say.

    Others are believed in the teams and projects that the node's agents are in, where the link has
    weight. ``None`` where nobody asserts it.
    """
    versions = view.held.of(link, LINK)
    mine = [
        one
        for name, one in versions
        if one.author == account and not view.devices.reason(name, one)
    ]
    if mine:
        last = newest(mine)
        found = [item for item in versions if item[1] is last]
    else:
        scopes = sorted({scope for _, one in versions for scope in one.relies})
        reached = _reached(view, account, scopes, trusts=False)
        found = [one for scope in reached for one in view.memories.asserted(link, scope)]
    return next((item for item in found if item[1].value["weight"]), None)
