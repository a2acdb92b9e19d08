"""What is asked of a peer about records that it does not serve, and what it answers.

Who is not served a scope, or no longer, may still hold what it got there. It asks: for each such
record it names the digests of the grants and contents that it holds, and is answered with the life
of that record and its grants to those scopes (a content names its scopes), whatever any cursor
says. Nothing is volunteered: of what was created later it learns nothing, for it cannot name it.

A question tells which records there are. So it goes only to who may know of them: the owner of the
record, whoever is in its team or project as far as the one who asks knows, and the devices of its
own account. Whoever says that it knows a scope, and is not in it, is not believed.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator

from agent_memory_os.model.audience import GLOBAL
from agent_memory_os.model.authority import kept
from agent_memory_os.model.authority.device import UNKNOWN
from agent_memory_os.model.authority.judged import View
from agent_memory_os.model.authority.memory import is_shared
from agent_memory_os.model.register import (
    CONTENT,
    GRANT,
    LIFE,
    PROJECT_NARROW,
    TEAM_ADMIN,
    TEAM_NARROW,
    Register,
)
from agent_memory_os.model.routing.serve import signed_by


def may_know(view: View, account: str, peer: str, owner: str, scope: str) -> bool:
    """Say whether a node may ask a peer's account about an owner's records in a scope."""
    return peer in (account, owner) or is_inside(view, peer, scope)


def is_inside(view: View, account: str, scope: str) -> bool:
    """Say whether an agent of an account is in a team or project."""
    agents = view.agents(account)
    return is_shared(scope) and any(view.members.adds(scope, agent) for agent in agents)


def asks(
    view: View,
    account: str,
    peer: str,
    offered: Container[str],
    known: Container[str] | None = None,
) -> list[str]:
    """Return the digests of grants and contents that a node of this account asks a peer about.

    ``peer`` is the peer's account, ``offered`` are the scopes that it serves, and ``known`` those
    that it says it knows, where that was found out: of any other it is told nothing.
    """
    found: list[str] = []
    for memory in view.held.objects("mem_"):
        contents = view.held.of(memory, CONTENT)
        owner = view.held.proof(memory)[0]
        if owner == account:
            continue
        named = {scope for _, one in contents for scope in one.relies}
        shared = view.memories.scopes(memory)
        for scope in sorted({*shared, *named} if contents else ()):
            route = f"{GLOBAL}:{owner}" if scope == GLOBAL else scope
            if known is not None and route not in known:
                continue
            if not may_know(view, account, peer, owner, scope):
                continue
            # Without its grant, a content is in no scope of whoever may have lost the grant too.
            if route not in offered or scope not in shared:
                found += [name for name, _ in view.held.of(memory, GRANT + scope)]
                found += [name for name, one in contents if scope in one.relies]
    return found


def answers(view: View, asked: Iterable[str]) -> list[str]:
    """Return what those who hold these are answered: how the records and their grants ended."""
    found: set[str] = set()
    for name in asked:
        register = view.held.registers.get(name)
        # A forged content would open the life of a record of which the asker has nothing.
        if register is not None and view.devices.reason(name, register) != UNKNOWN:
            found.update(_ends(view, register))
    return sorted({*found, *signed_by(view, found)})


def _ends(view: View, register: Register) -> Iterator[str]:
    memory = register.object
    for scope in _scopes(register):
        yield from (name for name, _ in view.held.of(memory, GRANT + scope))
        yield from (name for name, _ in view.held.of(memory, LIFE))
        yield from _narrowings(view, memory, scope)


def _scopes(register: Register) -> Iterable[str]:
    if register.group.startswith(GRANT):
        return [register.group.removeprefix(GRANT)]
    return register.relies if register.group == CONTENT else ()


def _narrowings(view: View, memory: str, scope: str) -> list[str]:
    kind, _, object_id = scope.partition(":")
    group = TEAM_NARROW if kind == "team" else PROJECT_NARROW
    place = kept.place_of(memory)
    held = view.held.of(object_id, group)
    found = [name for name, one in held if one.value["record"] == place]
    if not found:
        return []
    return found + [name for name, _ in view.held.of(view.teams.team_of(object_id), TEAM_ADMIN)]
