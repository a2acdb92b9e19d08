"""Sharing with one team what is shared with another: two teams of one name stay two teams.

Only what agents of this account own is touched, and only where the owner is a member of the other
team: an owner shares with teams that it is in.
"""

from __future__ import annotations

from agent_memory_os.model.organisation import Team
from agent_memory_os.model.principal import Principal
from agent_memory_os.service.audience import Scope
from agent_memory_os.service.context import OPERATOR, check_clock
from agent_memory_os.service.memory import change
from agent_memory_os.service.memory.right import own
from agent_memory_os.store import memories, organisation
from agent_memory_os.store.database import Snapshot
from agent_memory_os.store.write import Writer
from agent_memory_os.value import NamedTuple

_OPERATOR = Principal.operator()


class TeamWay(NamedTuple):
    """From which team to which; ``keep``: the first goes on reading, too."""

    source: Team
    target: Team
    keep: bool = False

    @property
    def scopes(self) -> tuple[str, str]:
        """The scopes of both."""
        return f"team:{self.source.id}", f"team:{self.target.id}"


def is_due(snapshot: Snapshot, way: TeamWay, memory: str) -> bool:
    """Say whether anything of a memory is to be changed."""
    place = memories.place_of(snapshot, memory)
    if place is None or place.state != "active":
        return False
    return not way.keep or way.scopes[1] not in memories.granted(snapshot, place.row)


def may_share(snapshot: Snapshot, way: TeamWay, owner: str) -> bool:
    """Say whether the owner of a memory is in the other team."""
    return organisation.standing_add(snapshot, way.scopes[1], owner) is not None


def put(writer: Writer, way: TeamWay, memory_id: str, owner: str) -> bool:
    """Share one memory with the other team; say whether anything of it was changed."""
    snapshot = writer.transaction
    if not (may_share(snapshot, way, owner) and is_due(snapshot, way, memory_id)):
        return False
    source, target = way.scopes
    memory = own(writer, _OPERATOR, memory_id, "move")
    if target not in memory.grants:
        check_clock(snapshot)
        add = organisation.standing_add(snapshot, target, owner)
        change.share(writer, memory, (Scope(target, way.target.name, add),), OPERATOR)
    if not way.keep:
        change.revoke(writer, memory, (source,), OPERATOR)
    return True
