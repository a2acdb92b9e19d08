"""What a node is to whoever speaks to it: its nouns, and what each can do.

A :class:`~agent_memory_os.service.node.LocalNode` has the file on this machine; the node of
``remote`` asks one that is served elsewhere. The command line and the SDK speak to a :class:`Node`
and cannot tell which it is: the same values come back, and the same errors with the same words.

A checker reads this module, and no command loads it.
"""

from __future__ import annotations

from typing import Protocol

from agent_memory_os.service.nouns.fleet import Keys, Moves, Organisation
from agent_memory_os.service.nouns.memories import Memories, Recall
from agent_memory_os.service.nouns.peers import (
    Conflicts,
    Invitations,
    Peers,
    Quarantine,
    Receipts,
    Sync,
)
from agent_memory_os.service.nouns.upkeep import Events, Transfer, Upkeep

__all__ = [
    "Conflicts",
    "Events",
    "Invitations",
    "Keys",
    "Memories",
    "Moves",
    "Node",
    "Organisation",
    "Peers",
    "Quarantine",
    "Recall",
    "Receipts",
    "Sync",
    "Transfer",
    "Upkeep",
]


class Node(Protocol):
    """A node, one noun a property; ``warnings`` are for the person, once a process."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the person should know of the node."""

    @property
    def memories(self) -> Memories:
        """Add, get, list, edit, share, revoke, forget, link, history."""

    @property
    def recall(self) -> Recall:
        """Search and pack."""

    @property
    def organisation(self) -> Organisation:
        """Agents, teams, projects."""

    @property
    def moves(self) -> Moves:
        """Memories from one agent or team to another."""

    @property
    def transfer(self) -> Transfer:
        """Import and export."""

    @property
    def upkeep(self) -> Upkeep:
        """Doctor, check, reindex, backup, stats, audit."""

    @property
    def events(self) -> Events:
        """What changes, as it happens."""

    @property
    def keys(self) -> Keys:
        """The keys of the API."""

    @property
    def peers(self) -> Peers:
        """The nodes that this one exchanges with."""

    @property
    def invitations(self) -> Invitations:
        """Codes by which others join, or further devices."""

    @property
    def sync(self) -> Sync:
        """Exchanging with peers."""

    @property
    def receipts(self) -> Receipts:
        """Who took in what was taken back."""

    @property
    def quarantine(self) -> Quarantine:
        """What peers sent and this node could not take."""

    @property
    def conflicts(self) -> Conflicts:
        """What concurrent edits lost."""

    def close(self) -> None:
        """Let go of what the node is reached by."""
