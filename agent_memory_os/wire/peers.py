"""Peers on the wire: who they are and how they are dealt with; a card stands as its text."""

from __future__ import annotations

from agent_memory_os.service.peers import (
    Added,
    Address,
    AsideView,
    Carried,
    DeviceView,
    LostEdit,
    Nearby,
    Neighbor,
    PeerState,
    PeerView,
    Receipt,
    Revocation,
    Seen,
    Sent,
    Shown,
    Synced,
    SyncStatus,
    Void,
    Withheld,
)
from agent_memory_os.service.peers.pairing import Invited
from agent_memory_os.wire.decode import Shape, to_content, to_memory
from agent_memory_os.wire.encode import of_content, of_memory
from agent_memory_os.wire.instant import iso, milliseconds

_INSTANTS = ("added_at", "tried_at", "seen_at", "next_at")


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
        "learned": peer.is_learned,
        "revoked": peer.is_revoked,
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
        is_learned=shape["learned"],
        next_at=milliseconds(shape["next_at"]),
        is_revoked=shape["revoked"],
    )


def of_device(view: DeviceView) -> dict[str, object]:
    """Return a device of the account; ``peer`` is ``None`` where it is none."""
    return {
        "device": view.device,
        "this": view.is_this,
        "state": view.state,
        "peer": view.peer or None,
    }


def to_device(shape: Shape) -> DeviceView:
    """Return the device of a shape."""
    return DeviceView(shape["device"], shape["this"], shape["state"], shape["peer"] or "")


def of_nearby(found: Nearby) -> dict[str, object]:
    """Return the nodes that are near; what one does not tell is ``None``."""
    told = [
        {**one._asdict(), "called": one.called or None, "peer": one.peer or None}
        for one in found.neighbors
    ]
    return {"neighbors": told, "network": found.is_whole}


def to_nearby(shape: Shape) -> Nearby:
    """Return the nodes that are near of a shape."""
    told = [
        Neighbor(**{name: one[name] or "" for name in Neighbor._fields})
        for one in shape["neighbors"]
    ]
    return Nearby(tuple(told), shape["network"])


def of_revocation(done: Revocation) -> dict[str, object]:
    """Return what revoking a device does, or did."""
    return {
        "device": done.device,
        "peer": done.peer or None,
        "stays": done.stays,
        "voided": done.voided,
        "memories": list(done.memories),
        "by": done.by,
        "done": done.is_done,
    }


def to_revocation(shape: Shape) -> Revocation:
    """Return what a shape says that revoking a device does, or did."""
    return Revocation(
        shape["device"],
        shape["peer"] or "",
        shape["stays"],
        shape["voided"],
        tuple(shape["memories"]),
        shape["by"],
        shape["done"],
    )


def of_invited(one: Invited) -> dict[str, object]:
    """Return an invitation; its code is ``None`` once nobody can join by it."""
    return {
        "number": one.number,
        "code": one.code or None,
        "kind": one.kind,
        "team": one.team or None,
        "state": one.state,
        "created_at": iso(one.created_at),
        "ends_at": iso(one.ends_at),
        "tries_left": one.tries_left,
        "peer": one.peer or None,
        "device": one.device or None,
    }


def to_invited(shape: Shape) -> Invited:
    """Return the invitation of a shape."""
    fields = {name: shape[name] for name in ("number", "kind", "state", "tries_left")}
    fields |= {name: shape[name] or "" for name in ("code", "team", "peer", "device")}
    fields |= {name: milliseconds(shape[name]) or 0 for name in ("created_at", "ends_at")}
    return Invited(**fields)


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


def of_aside(one: AsideView) -> dict[str, object]:
    """Return a line in quarantine, without what it says."""
    return {
        "number": one.id,
        "peer": one.peer,
        "at": iso(one.at),
        "reason": one.reason,
        "size": one.size,
    }


def to_aside(shape: Shape) -> AsideView:
    """Return the line in quarantine of a shape."""
    at = milliseconds(shape["at"]) or 0
    return AsideView(shape["number"], shape["peer"], at, shape["reason"], shape["size"])


def of_lost(one: LostEdit, now: int) -> dict[str, object]:
    """Return an edit that lost."""
    return {
        "number": one.id,
        "memory": of_memory(one.memory, now),
        "lost": of_content(one.lost),
        "device": one.device,
        "written_at": iso(one.written_at),
        "lost_at": iso(one.lost_at),
    }


def to_lost(shape: Shape) -> LostEdit:
    """Return the edit that lost of a shape."""
    memory, lost = to_memory(shape["memory"]), to_content(shape["lost"])
    at = [milliseconds(shape[name]) or 0 for name in ("written_at", "lost_at")]
    return LostEdit(shape["number"], memory, lost, shape["device"], *at)


def of_receipt(one: Receipt) -> dict[str, object]:
    """Return how it stands with a peer."""
    return {**one._asdict(), "since": iso(one.since)}


def to_receipt(shape: Shape) -> Receipt:
    """Return how it stands with a peer, of a shape: it has the same names."""
    fields = {name: shape[name] for name in Receipt._fields}
    return Receipt(**fields | {"since": milliseconds(shape["since"])})


def of_status(status: SyncStatus) -> dict[str, object]:
    """Return how the exchange stands."""
    return {
        "peers": [_of_state(one) for one in status.peers],
        "clock_offset_ms": status.offset,
        "quarantine": status.aside,
        "conflicts": status.lost,
        "withheld": [{**one._asdict(), "since": iso(one.since)} for one in status.withheld],
        "void": [_of_void(one) for one in status.void],
    }


def _of_state(one: PeerState) -> dict[str, object]:
    return {**of_peer(one.peer), "teams": list(one.teams), "behind": one.behind}


def _of_void(one: Void) -> dict[str, object]:
    return {
        "scope": one.scope,
        "agent": one.agent,
        "memories": list(one.memories),
        "out": one.is_out,
    }


def _to_void(shape: Shape) -> Void:
    return Void(shape["scope"], shape["agent"], tuple(shape["memories"]), shape["out"])


def _to_withheld(shape: Shape) -> Withheld:
    return Withheld(**{**shape, "since": milliseconds(shape["since"]) or 0})


def to_status(shape: Shape) -> SyncStatus:
    """Return how a shape says that the exchange stands."""
    states = tuple(
        PeerState(to_peer(one), one["behind"], tuple(one["teams"])) for one in shape["peers"]
    )
    withheld = tuple(map(_to_withheld, shape["withheld"]))
    counts = (shape["clock_offset_ms"], shape["quarantine"], shape["conflicts"])
    return SyncStatus(states, *counts, withheld, tuple(map(_to_void, shape["void"])))


def to_sent(shape: Shape) -> Sent:
    """Return the row of a preview of a shape, which is the row by its names."""
    fields = {name: shape[name] for name in Sent._fields}
    return Sent(**fields | {"groups": tuple(shape["groups"])})


def of_seen(seen: Seen, now: int) -> dict[str, object]:
    """Return a memory that an agent may read, and the rule."""
    return {"memory": of_memory(seen.memory, now), "rule": seen.rule}


def to_seen(shape: Shape) -> Seen:
    """Return the memory that an agent may read, and the rule, of a shape."""
    return Seen(to_memory(shape["memory"]), shape["rule"])


def to_synced(shape: Shape) -> Synced:
    """Return what a shape says came of exchanging with a peer: it has the same names."""
    return Synced(**{name: shape[name] for name in Synced._fields})


def of_carried(done: Carried) -> dict[str, object]:
    """Return what came of a bundle that was carried here; ``file`` is what it was called."""
    return {
        "peer": done.peer,
        "file": done.path,
        "registers": done.registers,
        "aside": done.aside,
    }


def to_carried(shape: Shape) -> Carried:
    """Return what a shape says came of a bundle."""
    return Carried(shape["peer"], shape["file"], shape["registers"], shape["aside"])
