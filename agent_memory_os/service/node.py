"""A node: what the command line, the SDK and every server speak to.

A :class:`LocalNode` is one whose file is on this machine, one noun a field. Each noun is made when
it is first used, so that a search pays for nothing else.
"""

from __future__ import annotations

from functools import cached_property

from agent_memory_os.errors import DamagedDatabase
from agent_memory_os.service.context import Context
from agent_memory_os.value import TYPE_CHECKING

if TYPE_CHECKING:
    from agent_memory_os.service.events import Events
    from agent_memory_os.service.keys import Keys
    from agent_memory_os.service.memories import Memories
    from agent_memory_os.service.memory.room import Room
    from agent_memory_os.service.moves import Moves
    from agent_memory_os.service.organisation import Organisation
    from agent_memory_os.service.peers import Conflicts, Peers, Quarantine, Receipts, Sync
    from agent_memory_os.service.peers.pairing import Invitations
    from agent_memory_os.service.recall import Recall
    from agent_memory_os.service.transfer import Transfer
    from agent_memory_os.service.upkeep import Upkeep


class LocalNode:
    """A node whose file is on this machine; ``warnings`` are for the person, once a process."""

    def __init__(self, context: Context, default_agent: str, warnings: tuple[str, ...]) -> None:
        self.context = context
        self.default_agent = default_agent
        self.warnings = warnings

    @cached_property
    def memories(self) -> Memories:
        """Add, get, list, edit, share, revoke, forget, link, history."""
        from agent_memory_os.service.memories import Memories

        return Memories(self.context)

    @cached_property
    def recall(self) -> Recall:
        """Search and pack."""
        from agent_memory_os.service.recall import Recall

        return Recall(self.context)

    @cached_property
    def moves(self) -> Moves:
        """Memories from one agent or team to another."""
        from agent_memory_os.service.moves import Moves

        return Moves(self.context)

    @cached_property
    def organisation(self) -> Organisation:
        """Agents, teams, projects."""
        from agent_memory_os.service.organisation import Organisation

        return Organisation(self.context)

    @cached_property
    def transfer(self) -> Transfer:
        """Import and export."""
        from agent_memory_os.service.transfer import Transfer

        return Transfer(self.context)

    @cached_property
    def upkeep(self) -> Upkeep:
        """Doctor, check, reindex, backup, stats, audit."""
        from agent_memory_os.service.upkeep import Upkeep

        return Upkeep(self.context)

    @cached_property
    def events(self) -> Events:
        """What changes, as it happens."""
        from agent_memory_os.service.events import Events

        return Events(self.context)

    @cached_property
    def keys(self) -> Keys:
        """The keys of the API."""
        from agent_memory_os.service.keys import Keys

        return Keys(self.context)

    @cached_property
    def peers(self) -> Peers:
        """The nodes that this one exchanges with."""
        from agent_memory_os.service.peers import Peers

        return Peers(self.context)

    @cached_property
    def invitations(self) -> Invitations:
        """Codes by which others join, or further devices."""
        from agent_memory_os.service.peers.pairing import Invitations

        return Invitations(self.context)

    @cached_property
    def sync(self) -> Sync:
        """Exchanging with peers."""
        from agent_memory_os.service.peers import Sync

        return Sync(self.context)

    @cached_property
    def conflicts(self) -> Conflicts:
        """What concurrent edits lost."""
        from agent_memory_os.service.peers import Conflicts

        return Conflicts(self.context)

    @cached_property
    def receipts(self) -> Receipts:
        """Who took in what was taken back."""
        from agent_memory_os.service.peers import Receipts

        return Receipts(self.context)

    @cached_property
    def quarantine(self) -> Quarantine:
        """What peers sent and this node could not take."""
        from agent_memory_os.service.peers import Quarantine

        return Quarantine(self.context)

    def within(self, room: Room) -> LocalNode:
        """Return the same node for an agent that may own only so many memories."""
        return LocalNode(self.context._replace(room=room), self.default_agent, self.warnings)

    def ping(self) -> None:
        """Read the file; raise what keeps it from being read."""
        from agent_memory_os.store import node

        with self.context.database.read() as snapshot:
            # An empty file can be read as well, and is no node's.
            if node.identity(snapshot) is None:
                raise DamagedDatabase(f"{self.context.database.path} is empty, and no node.")

    def renew(self, context: Context, default_agent: str) -> None:
        """Go on with another context: what was asked for before ends with the old one."""
        self.default_agent = default_agent
        self.context = context
        for name, value in vars(type(self)).items():
            if isinstance(value, cached_property):
                self.__dict__.pop(name, None)

    def close(self) -> None:
        """Let go of the file."""
        self.context.database.close()
