"""The schema of peers, and of what comes of exchanging with them."""

from __future__ import annotations

from datetime import datetime

from pydantic import ConfigDict

from agent_memory_os.wire.schema.field import Whole
from agent_memory_os.wire.schema.memory import Body, Content, Memory, Shown


class Card(Shown):
    """What the node's device shows of itself."""

    device: str
    account: str
    certified: bool
    card: str


class Address(Body):
    """Where a peer is reached: a URL or a folder of the node's machine, or nowhere."""

    url: str | None = None
    folder: str | None = None
    pin: str | None = None


class NewPeer(Address):
    """A peer to add, by its card."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"card": "amc_…", "name": "laptop", "url": "http://laptop:8765"}]
        }
    )
    card: str
    name: str
    ceiling: str | None = None
    introduce: list[str] = []  # noqa: RUF012 - pydantic copies it
    own: bool = False


class PeerChange(Body):
    """What is to be otherwise with a peer; what is left out stays as it is."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"ceiling": "shared"}]})
    name: str | None = None
    address: Address | None = None
    ceiling: str | None = None
    introduce: list[str] = []  # noqa: RUF012 - pydantic copies it


class Peer(Shown):
    """A peer, as its operator sees it."""

    name: str
    device: str
    account: str
    own: bool
    url: str | None
    folder: str | None
    pin: str | None
    ceiling: str
    introduced: list[str]
    added_at: datetime
    tried_at: datetime | None
    seen_at: datetime | None
    clock_offset_ms: int | None
    fault: str | None


class AddedPeer(Shown):
    """What came of adding a peer, with the fingerprint of the node's own device beside it."""

    peer: Peer
    own_device: str
    added: bool
    certified: bool


class Peers(Shown):
    """The peers of a node, by name."""

    peers: list[Peer]


class PeerState(Peer):
    """A peer, and how much it has still to be sent."""

    behind: int | None


class SyncStatus(Shown):
    """How the exchange with peers stands."""

    peers: list[PeerState]
    clock_offset_ms: int | None
    quarantine: int
    conflicts: int


class Aside(Shown):
    """A line that could not be taken, without what it says."""

    number: int
    peer: str
    at: datetime
    reason: str
    size: int


class Quarantine(Shown):
    """What could not be taken, newest first."""

    lines: list[Aside]


class AsideLine(Shown):
    """What a line says that could not be taken."""

    number: int
    line: str


class Numbers(Body):
    """Which lines; all of them, where none are named."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"numbers": [1]}]})
    numbers: list[Whole] | None = None


class Dropped(Shown):
    """How many lines were dropped."""

    dropped: int


class Retried(Shown):
    """What came of trying lines again."""

    taken: int
    aside: int


class LostEdit(Shown):
    """An edit that lost to one on another device."""

    number: int
    memory: Memory
    lost: Content
    device: str
    written_at: datetime
    lost_at: datetime


class Conflicts(Shown):
    """What edits lost, the newest first."""

    conflicts: list[LostEdit]
