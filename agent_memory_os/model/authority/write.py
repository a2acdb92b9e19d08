"""What a write must name, worked out of the view of the device that writes.

All of it is computed and signed in one transaction: what is listed is what was held as valid then.
"""

from __future__ import annotations

from collections.abc import Container, Iterable

from agent_memory_os.model import view as membership
from agent_memory_os.model.authority.held import Named
from agent_memory_os.model.authority.judged import View
from agent_memory_os.model.authority.kept import Kept, kept
from agent_memory_os.model.authority.memory import asserter, is_ending, is_shared
from agent_memory_os.model.authority.team import scope_of
from agent_memory_os.model.register import CONTENT, DEVICE, GRANT, LINK


def reliance(view: View, agent: str, scopes: Iterable[str]) -> dict[str, str]:
    """Return what an agent's write names: each scope that it may write into, with its add."""
    found: dict[str, str] = {}
    for scope in scopes:
        if not is_shared(scope):
            found[scope] = ""
        elif adds := view.members.adds(scope, agent):
            found[scope] = min(adds)
    return found


def again(view: View, memory: str) -> dict[str, str]:
    """Return the scopes for which the owner's newest content is to be signed again, with the adds.

    A grant holds there, and the scope is shown something older or nothing: an edit and a share on
    two devices had not seen each other. It is signed under its own stamp.
    """
    newest = view.memories.own(memory)
    if newest is None:
        return {}
    audience = view.memories.audience(memory)
    behind = [scope for scope in audience if _is_behind(view, memory, scope, newest[1].stamp)]
    return reliance(view, view.held.proof(memory)[1], behind)


def _is_behind(view: View, memory: str, scope: str, stamp: int) -> bool:
    return all(one.stamp != stamp for _, one in view.memories.versions(memory, scope))


def sees(view: View, scope: str, agent: str) -> list[str]:
    """Return the removals that an add names: all that are held, whether they count or not."""
    prefix = "team.member:" if scope.startswith("team:") else "project.member:"
    found = view.held.of(scope.partition(":")[2], prefix + agent)
    return [name for name, one in found if one.value["act"] == membership.REMOVE]


def in_charge(view: View, object_id: str) -> dict[str, str]:
    """Return what a register of a team or project names, by which its author is in charge."""
    team = view.teams.team_of(object_id)
    name = view.teams.in_charge(team)
    return {f"team:{team}": name} if name else {}


def frozen(view: View, object_id: str, agent: str) -> list[Kept]:
    """Return the lists of a removal: what counts of an agent's, by scope, the scope's own first."""
    objects = [object_id]
    if object_id.startswith("team_"):
        objects += view.teams.projects(object_id)
    scopes = [scope_of(one) for one in objects]
    return [kept(scope, _counting(view, scope, agent)) for scope in scopes]


def _counting(view: View, scope: str, agent: str) -> list[Named]:
    return [
        (name, one)
        for name, one in view.held.registers.items()
        if (one.group in (CONTENT, LINK) or one.group == GRANT + scope)
        and asserter(one) == agent
        and not is_ending(one)
        and not view.memories.reason_in(scope, name, one)
    ]


def remaining(view: View, team: str) -> list[Kept]:
    """Return the lists of a hand-over or recovery: what counts of a team and of its projects."""
    return [
        kept(
            scope_of(one),
            [item for item in view.held.about(one) if not view.teams.reason(*item)],
        )
        for one in [team, *view.teams.projects(team)]
    ]


def spared(view: View, account: str, device: str, received: Container[str]) -> Kept:
    """Return the list of a device's revocation: what of it remains, of what had been received.

    The person dates the theft by what had come by then, and not by stamps: a thief writes those.
    """
    found = [
        (name, one)
        for name, one in view.held.registers.items()
        if one.author == account and one.device == device and name in received
    ]
    return kept(account, found)


def seen_revocations(view: View, account: str, device: str) -> list[str]:
    """Return the revocations of a device that a later one takes the place of."""
    found = view.held.of(account, DEVICE + device)
    return [name for name, one in found if one.value["state"] == "revoked"]


def narrowing(view: View, memory: str, scope: str) -> int:
    """Return the length that a narrowing of a grant by the team's admin has."""
    length = view.memories.length(memory, scope)
    return length + length % 2
