"""A node that is served elsewhere, or by another process of this machine.

Each noun is made when it is first used, so that a command pays for no other.
"""

from __future__ import annotations

from functools import cached_property

from agent_memory_os.errors import InvalidInput, NotAllowed
from agent_memory_os.model.key import OPERATE
from agent_memory_os.model.organisation import spelt
from agent_memory_os.model.principal import Principal
from agent_memory_os.remote.address import parse
from agent_memory_os.remote.transport import Transport
from agent_memory_os.value import TYPE_CHECKING
from agent_memory_os.wire import fleet
from agent_memory_os.wire.decode import read

if TYPE_CHECKING:
    from agent_memory_os.remote.events import RemoteEvents
    from agent_memory_os.remote.invitations import RemoteInvitations
    from agent_memory_os.remote.keys import RemoteKeys
    from agent_memory_os.remote.memories import RemoteMemories
    from agent_memory_os.remote.organisation import RemoteMoves, RemoteOrganisation
    from agent_memory_os.remote.peers import (
        RemoteConflicts,
        RemotePeers,
        RemoteQuarantine,
        RemoteReceipts,
        RemoteSync,
    )
    from agent_memory_os.remote.recall import RemoteRecall
    from agent_memory_os.remote.transfer import RemoteTransfer
    from agent_memory_os.remote.upkeep import RemoteUpkeep


class RemoteNode:
    """A served node with the nouns of a local one, for any number of threads.

    ``url`` is where it is served (``unix:PATH`` is a home's socket), ``key`` what opens it there.
    Nothing is asked before the first method is called.
    """

    warnings: tuple[str, ...] = ()

    def __init__(self, url: str, key: str = "") -> None:
        self._transport = Transport(parse(url), key)
        self.url = self._transport.shown

    @cached_property
    def memories(self) -> RemoteMemories:
        """Add, get, list, edit, share, revoke, forget, link, history."""
        from agent_memory_os.remote.memories import RemoteMemories

        return RemoteMemories(self._transport)

    @cached_property
    def recall(self) -> RemoteRecall:
        """Search and pack."""
        from agent_memory_os.remote.recall import RemoteRecall

        return RemoteRecall(self._transport)

    @cached_property
    def organisation(self) -> RemoteOrganisation:
        """Agents, teams, projects."""
        from agent_memory_os.remote.organisation import RemoteOrganisation

        return RemoteOrganisation(self._transport)

    @cached_property
    def moves(self) -> RemoteMoves:
        """Memories of the served node from one agent or team to another."""
        from agent_memory_os.remote.organisation import RemoteMoves

        return RemoteMoves(self._transport)

    @cached_property
    def transfer(self) -> RemoteTransfer:
        """Import and export."""
        from agent_memory_os.remote.transfer import RemoteTransfer

        return RemoteTransfer(self._transport)

    @cached_property
    def upkeep(self) -> RemoteUpkeep:
        """Doctor, check, reindex, backup, stats, audit."""
        from agent_memory_os.remote.upkeep import RemoteUpkeep

        return RemoteUpkeep(self._transport)

    @cached_property
    def events(self) -> RemoteEvents:
        """What changes, as it happens."""
        from agent_memory_os.remote.events import RemoteEvents

        return RemoteEvents(self._transport)

    @cached_property
    def keys(self) -> RemoteKeys:
        """The keys of the API."""
        from agent_memory_os.remote.keys import RemoteKeys

        return RemoteKeys(self._transport)

    @cached_property
    def peers(self) -> RemotePeers:
        """The nodes that the served one exchanges with."""
        from agent_memory_os.remote.peers import RemotePeers

        return RemotePeers(self._transport)

    @cached_property
    def invitations(self) -> RemoteInvitations:
        """Codes by which others join the served node, or further devices of its account."""
        from agent_memory_os.remote.invitations import RemoteInvitations

        return RemoteInvitations(self._transport)

    @cached_property
    def sync(self) -> RemoteSync:
        """How the served node exchanges with its peers."""
        from agent_memory_os.remote.peers import RemoteSync

        return RemoteSync(self._transport)

    @cached_property
    def receipts(self) -> RemoteReceipts:
        """Who took in what was taken back on the served node."""
        from agent_memory_os.remote.peers import RemoteReceipts

        return RemoteReceipts(self._transport)

    @cached_property
    def quarantine(self) -> RemoteQuarantine:
        """What peers sent and the served node could not take."""
        from agent_memory_os.remote.peers import RemoteQuarantine

        return RemoteQuarantine(self._transport)

    @cached_property
    def conflicts(self) -> RemoteConflicts:
        """What concurrent edits lost."""
        from agent_memory_os.remote.peers import RemoteConflicts

        return RemoteConflicts(self._transport)

    def acting(self, agent: str | None, *, create: bool = False) -> Principal:
        """Return who acts: the agent that the key stands for, or with the operator's key any.

        ``agent`` is the name or id that was named, if any; with ``create`` the operator makes it
        where it is not there. Raises :class:`NotAllowed` where the key stands for another, and
        :class:`InvalidInput` where the key is the operator's and nobody was named.
        """
        shape = self._transport.ask("GET", "/v1/whoami")
        if read(lambda told: OPERATE in told["rights"], shape):
            if agent is None:
                raise InvalidInput("The key is the operator's: say which agent acts.", "name_actor")
            if create:
                self.organisation.ensure_agent_or_id(agent)
            return Principal.of_agent(self.organisation.agent(agent).id)
        held = read(lambda told: fleet.to_agent(told["agent"]), shape)
        if agent is not None and spelt(agent) not in (held.name, held.id):
            raise NotAllowed(f"The key stands for agent {held.name}, and not for {agent}.")
        return Principal.of_agent(held.id)

    def close(self) -> None:
        """Let go of the connections; they are made again when they are next needed."""
        self._transport.close()
