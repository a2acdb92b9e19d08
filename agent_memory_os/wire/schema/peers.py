"""The schema of peers, and of what comes of exchanging with them."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from agent_memory_os.service.peers.pairing import MINUTES
from agent_memory_os.wire.schema.field import Instant, Whole
from agent_memory_os.wire.schema.memory import Body, Content, Memory, Shown

EXAMPLE = (
    "amc_eyJjZXJ0aWZpY2F0ZSI6eyJhdXRob3IiOiJhY2NfZG5oZHFleWlncmFzZ3d4bGtlNHZ4cjNqY2d2Z2Fud2Mi"
    "LCJjaGFpbiI6eyJwcmV2aW91cyI6IiJ9LCJkZXZpY2UiOiJkZXZfcXV4NjNvbWRtNmR1cjZxaDU1Mnl5YXphaXJq"
    "dzRxc3YiLCJncm91cCI6ImFjY291bnQuZGV2aWNlOmRldl9xdXg2M29tZG02ZHVyNnFoNTUyeXlhemFpcmp3NHFz"
    "diIsIm9iamVjdCI6ImFjY19kbmhkcWV5aWdyYXNnd3hsa2U0dnhyM2pjZ3ZnYW53YyIsInByb29mIjpbIjhhODhl"
    "M2RkNzQwOWYxOTVmZDUyZGIyZDNjYmE1ZDcyY2E2NzA5YmYxZDk0MTIxYmYzNzQ4ODAxYjQwZjZmNWMiLCI4MTM5"
    "NzcwZWE4N2QxNzVmNTZhMzU0NjZjMzRjN2VjY2NiOGQ4YTkxYjRlZTM3YTI1ZGY2MGY1YjhmYzliMzk0Il0sInNl"
    "cSI6MSwic2lnbmF0dXJlIjoiMzUxMWY0ZmJhMTA4NzBjZjQ4YmUzNzg4NWQ2MzRiOTk1ODMyNWIwNzIxZWRmN2Q4"
    "YTE0MWZlY2M0OTY4YzE3MGYzZjdiNDI4M2YwYTZlMjM1MjYxNTA3Y2M5ZGJlN2ZlYTA1OWI2M2ZmOGZiZGJiN2Jh"
    "NDgwZTIxYTBiY2M0MDIiLCJzdGFtcCI6MTE2NjU0MDgwMDAwMDAwMDAwLCJ2YWx1ZSI6eyJzZWFsIjoiYWMwMWIy"
    "MjA5ZTg2MzU0ZmI4NTMyMzdiNWRlMGY0ZmFiMTNjN2ZjYmY0MzNhNjFjMDE5MzY5NjE3ZmVjZjEwYiIsInNpZ24i"
    "OiJlZDQ5MjhjNjI4ZDFjMmM2ZWFlOTAzMzg5MDU5OTU2MTI5NTkyNzNhNWM2M2Y5MzYzNmMxNDYxNGFjODczN2Qx"
    "Iiwic3RhdGUiOiJjZXJ0aWZpZWQifX0sInJlY292ZXJ5IjoiODEzOTc3MGVhODdkMTc1ZjU2YTM1NDY2YzM0Yzdl"
    "Y2NjYjhkOGE5MWI0ZWUzN2EyNWRmNjBmNWI4ZmM5YjM5NCIsInJvb3QiOiI4YTg4ZTNkZDc0MDlmMTk1ZmQ1MmRi"
    "MmQzY2JhNWQ3MmNhNjcwOWJmMWQ5NDEyMWJmMzc0ODgwMWI0MGY2ZjVjIiwic2VhbCI6ImFjMDFiMjIwOWU4NjM1"
    "NGZiODUzMjM3YjVkZTBmNGZhYjEzYzdmY2JmNDMzYTYxYzAxOTM2OTYxN2ZlY2YxMGIiLCJzaWduIjoiZWQ0OTI4"
    "YzYyOGQxYzJjNmVhZTkwMzM4OTA1OTk1NjEyOTU5MjczYTVjNjNmOTM2MzZjMTQ2MTRhYzg3MzdkMSIsInNpZ25h"
    "dHVyZSI6ImU4NzRhMGIwODcwMWQ1ODRkZmQwMWY4N2U5NjE1NDhlYmM2YmNmYmE5MWI0NmNlYjlhY2UyYTFhN2Ji"
    "ZGMzNjlhMjc1MzhhM2RhZjI1NzdmZjVkMGVkOGYyMzc2MmVhYjUzNTc1M2FkZDJhNWI3YzA1NzZiMGU5N2Q4Y2I5"
    "ZDA5In0"
)
"""A card, of a device that nobody has."""

MAX_NAMED = 1_000
"""How many agents are introduced, or lines of the quarantine or peers named, at once."""

Names = Annotated[list[str], Field(max_length=MAX_NAMED)]


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
            "examples": [{"card": EXAMPLE, "name": "laptop", "url": "http://laptop:8765"}]
        }
    )
    card: str
    name: str
    ceiling: str | None = None
    introduce: Names = []  # noqa: RUF012 - pydantic copies it
    own: bool = False
    recovery_key: str = ""


class RecoveryKey(Body):
    """The recovery key of the node's account, where it does not lie in its home."""

    model_config = ConfigDict(json_schema_extra={"examples": [{}]})
    recovery_key: str = ""


class DeviceRevocation(RecoveryKey):
    """A device of the node's account to revoke, from the date of a theft on, if it was stolen."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"device": "laptop", "dry_run": True}]}
    )
    device: str
    stolen_at: Instant | None = None
    dry_run: bool = False


class PeerChange(Body):
    """What is to be otherwise with a peer; what is left out stays as it is."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"ceiling": "shared"}]})
    name: str | None = None
    address: Address | None = None
    ceiling: str | None = None
    introduce: Names = []  # noqa: RUF012 - pydantic copies it


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
    next_at: datetime | None
    clock_offset_ms: int | None
    fault: str | None
    learned: bool
    revoked: bool


class AddedPeer(Shown):
    """What came of adding a peer, with the fingerprint of the node's own device beside it."""

    peer: Peer
    own_device: str
    added: bool
    certified: bool


class Peers(Shown):
    """The peers of a node, by name."""

    peers: list[Peer]


class Device(Shown):
    """A device of the node's account."""

    device: str
    this: bool
    state: Literal["certified", "revoked", "uncertified"]
    peer: str | None


class Devices(Shown):
    """The devices of the node's account, its own first."""

    devices: list[Device]


class Neighbor(Shown):
    """A node that is near, as it says itself, without proof."""

    device: str
    called: str | None
    url: str
    where: Literal["here", "network"]
    state: Literal["peer", "own", "unknown"]
    peer: str | None


class Neighbors(Shown):
    """The nodes that are near; `network`: the network was listened to, and not only the machine."""

    neighbors: list[Neighbor]
    network: bool


class NewInvitation(Body):
    """An invitation to give out: into a team that is named, or for a further device."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"kind": "team", "team": "apollo", "minutes": 10}]}
    )
    kind: Literal["team", "device"]
    team: str | None = None
    minutes: Whole = MINUTES
    recovery_key: str = ""


class RevokedDevice(Shown):
    """What revoking a device would do, or did."""

    device: str
    peer: str | None
    stays: int
    voided: int
    memories: list[str]
    by: Literal["root", "recovery"]
    done: bool


class Invitation(Shown):
    """A code by which somebody joins, and what has become of it."""

    number: int
    code: str | None
    kind: Literal["team", "device"]
    team: str | None
    state: Literal["open", "joined", "burnt", "ended"]
    created_at: datetime
    ends_at: datetime
    tries_left: int
    peer: str | None
    device: str | None


class Invitations(Shown):
    """The invitations of the last day, the newest first."""

    invitations: list[Invitation]


class PeerState(Peer):
    """A peer, the teams that it shares with this node, and how much it has still to be sent."""

    teams: list[str]
    behind: int | None


class Withheld(Shown):
    """A scope of which an author says that it put something else into it than is held here."""

    scope: str
    account: str
    peer: str
    says: int
    held: int
    since: datetime


class Void(Shown):
    """What an agent of the node's account shared with a scope, and does not count there."""

    scope: str
    agent: str
    memories: list[str]
    out: bool


class SyncStatus(Shown):
    """How the exchange with peers stands."""

    peers: list[PeerState]
    clock_offset_ms: int | None
    quarantine: int
    conflicts: int
    withheld: list[Withheld]
    void: list[Void]


class Exchange(Body):
    """An exchange: which way things go, and with whom; nobody named is those whose turn it is.

    `all` takes every peer that has an address instead.
    """

    model_config = ConfigDict(json_schema_extra={"examples": [{"way": "pull"}]})
    way: Literal["auto", "pull", "push"] = "auto"
    peers: Names = []  # noqa: RUF012 - pydantic copies it
    all: bool = False


class Synced(Shown):
    """What came of exchanging with a peer."""

    peer: str
    device: str
    state: Literal["done", "waits", "busy", "revoked", "failed"]
    taken: int
    sent: int
    aside: int
    fault: str


class Exchanged(Shown):
    """What came of exchanging, a line for each peer."""

    peers: list[Synced]


class Parcel(Body):
    """For whom a bundle is made."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"peer": "laptop"}]})
    peer: str


class Unpacked(Shown):
    """What came of a bundle that was carried here."""

    peer: str
    file: str
    registers: int
    aside: int


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
    numbers: Annotated[list[Whole], Field(max_length=MAX_NAMED)] | None = None


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


class Receipt(Shown):
    """How it stands with a peer that may have copies of what was taken back."""

    peer: str
    device: str
    is_own: bool
    state: Literal["acknowledged", "outstanding", "unreachable", "still shared", "never sent"]
    copies: int
    acknowledged: int
    since: datetime | None
    fault: str
    comes_by: bool


class Receipts(Shown):
    """How it stands with each peer."""

    receipts: list[Receipt]


class Conflicts(Shown):
    """What edits lost, the newest first."""

    conflicts: list[LostEdit]
