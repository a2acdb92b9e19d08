"""Peers on the wire: who they are and how they are dealt with; a card stands as its text."""

from __future__ import annotations

from agent_memory_os.service.peers import (
    Added,
    Address,
    PeerState,
    PeerView,
    Shown,
    SyncStatus,
)
from agent_memory_os.wire.decode import Shape
from agent_memory_os.wire.instant import iso, milliseconds

_INSTANTS = ("added_at", "tried_at", "seen_at")


def of_card(shown: Shown) -> dict[str, object]:
    """Return what a device shows of itself."""
    return {
        "device": shown.device,
        "account": shown.account,
        "certified": shown.is_certified,
        "card": shown.card,
    }


def to_card(shape: Shape) -> Shown:
    """Return what a shape says that a device shows."""
    return Shown(shape["device"], shape["account"], shape["card"], shape["certified"])


def of_peer(peer: PeerView) -> dict[str, object]:
    """Return a peer; what it has not is ``None``."""
    return {
        "name": peer.name,
        "device": peer.device,
        "account": peer.account,
        "own": peer.is_own,
        **{name: value or None for name, value in peer.address._asdict().items()},
        "ceiling": peer.ceiling,
        "introduced": list(peer.introduced),
        **{name: iso(getattr(peer, name)) for name in _INSTANTS},
        "clock_offset_ms": peer.offset,
        "fault": peer.fault or None,
    }


def to_peer(shape: Shape) -> PeerView:
    """Return the peer of a shape."""
    return PeerView(
        name=shape["name"],
        device=shape["device"],
        account=shape["account"],
        is_own=shape["own"],
        address=Address(*(shape[name] or "" for name in Address._fields)),
        ceiling=shape["ceiling"],
        introduced=tuple(shape["introduced"]),
        added_at=milliseconds(shape["added_at"]) or 0,
        tried_at=milliseconds(shape["tried_at"]),
        seen_at=milliseconds(shape["seen_at"]),
        offset=shape["clock_offset_ms"],
        fault=shape["fault"] or "",
    )


def of_added(added: Added) -> dict[str, object]:
    """Return what came of adding a peer."""
    return {
        "peer": of_peer(added.peer),
        "own_device": added.device,
        "added": added.is_new,
        "certified": added.is_certified,
    }


def to_added(shape: Shape) -> Added:
    """Return what a shape says came of adding a peer."""
    peer = to_peer(shape["peer"])
    return Added(peer, shape["own_device"], shape["added"], shape["certified"])


def of_status(status: SyncStatus) -> dict[str, object]:
    """Return how the exchange stands."""
    return {
        "peers": [{**of_peer(one.peer), "behind": one.behind} for one in status.peers],
        "clock_offset_ms": status.offset,
        "quarantine": status.aside,
        "conflicts": status.lost,
    }


def to_status(shape: Shape) -> SyncStatus:
    """Return how a shape says that the exchange stands."""
    states = tuple(PeerState(to_peer(one), one["behind"]) for one in shape["peers"])
    return SyncStatus(states, shape["clock_offset_ms"], shape["quarantine"], shape["conflicts"])
