"""What agents of this account shared with a team or project, and does not count there.

Whoever was taken out is told so, but not what its remover had seen: what it shared last may count,
or not. Once it is in again the lists are here, and tell. What does not count stays void until it is
shared once more, under the new add.
"""

from __future__ import annotations

from agent_memory_os.model.authority.judged import View
from agent_memory_os.model.view import REMOVE
from agent_memory_os.service.context import Context
from agent_memory_os.store import memories, organisation
from agent_memory_os.store.database import Snapshot
from agent_memory_os.store.exchange import chart
from agent_memory_os.store.queries import Queries
from agent_memory_os.value import NamedTuple

_sql = Queries("exchange")


class Void(NamedTuple):
    """What an agent shared with a scope and is not shown there, by the memories' ids.

    ``is_out``: the agent is not in it any more, and whether others are shown it is not known here.
    """

    scope: str
    agent: str
    memories: tuple[str, ...]
    is_out: bool


def void(context: Context) -> tuple[Void, ...]:
    """Return what does not count of what this account's agents shared, by scope and agent."""
    with context.database.read() as snapshot:
        view = chart.read(snapshot).view
        own = {one.id: one.name for one in organisation.agents(snapshot, None)}
        found = [
            (scope, agent, not view.members.is_member(scope, agent))
            for scope in view.scopes()
            for agent in sorted(own)
            if _was_taken_out(view, scope, agent)
        ]
        told = [
            Void(_name(snapshot, scope), own[agent], _unshown(snapshot, scope, agent), is_out)
            for scope, agent, is_out in found
        ]
    return tuple(one for one in told if one.memories)


def _was_taken_out(view: View, scope: str, agent: str) -> bool:
    """Say whether an agent was ever taken out of a scope, or of the team above it."""
    team = f"team:{view.teams.team_of(scope.partition(':')[2])}"
    if not view.members.known(scope):
        return False
    return any(view.members.entries(one, agent, REMOVE) for one in {scope, team})


def _unshown(snapshot: Snapshot, scope: str, agent: str) -> tuple[str, ...]:
    return tuple(row[0] for row in snapshot.rows(_sql["unshown"], (f"memory.grant:{scope}", agent)))


def _name(snapshot: Snapshot, scope: str) -> str:
    found = snapshot.row(_sql["scope_of"], (scope,))
    return scope if found is None else memories.scope_name(snapshot, scope, *found)
