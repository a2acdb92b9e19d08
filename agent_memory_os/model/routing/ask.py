"""What is asked of a peer about records that it does not serve, and what it answers.

Who no longer is served a scope may still hold what it got there. It asks: for each such record it
names the digest of the grant by which it has it, and is answered with the grants of that record to
that scope and its life, whatever any cursor says. Nothing is volunteered: of what was created later
it learns nothing, for it cannot name it.
"""

from __future__ import annotations

from collections.abc import Container, Iterable

from agent_memory_os.model.authority import kept
from agent_memory_os.model.authority.judged import View
from agent_memory_os.model.register import (
    CONTENT,
    GRANT,
    LIFE,
    PROJECT_NARROW,
    TEAM_ADMIN,
    TEAM_NARROW,
)
from agent_memory_os.model.routing.serve import signed_by


def asks(view: View, account: str, offered: Container[str]) -> list[str]:
    """Return the digests of grants that a node of this account asks about."""
    found: list[str] = []
    for memory in view.held.objects("mem_"):
        if view.held.proof(memory)[0] == account or not view.held.of(memory, CONTENT):
            continue
        for scope in view.memories.scopes(memory):
            if scope not in offered:
                found += [name for name, _ in view.held.of(memory, GRANT + scope)]
    return found


def answers(view: View, asked: Iterable[str]) -> list[str]:
    """Return what those who hold these grants are answered: how they and their records ended."""
    found: set[str] = set()
    for name in asked:
        grant = view.held.registers.get(name)
        if grant is None or not grant.group.startswith(GRANT):
            continue
        found.update(one for one, _ in view.held.of(grant.object, grant.group))
        found.update(one for one, _ in view.held.of(grant.object, LIFE))
        found.update(_narrowings(view, grant.object, grant.group.removeprefix(GRANT)))
    return sorted({*found, *signed_by(view, found)})


def _narrowings(view: View, memory: str, scope: str) -> list[str]:
    kind, _, object_id = scope.partition(":")
    group = TEAM_NARROW if kind == "team" else PROJECT_NARROW
    place = kept.place_of(memory)
    held = view.held.of(object_id, group)
    found = [name for name, one in held if one.value["record"] == place]
    if not found:
        return []
    return found + [name for name, _ in view.held.of(view.teams.team_of(object_id), TEAM_ADMIN)]
