"""Keys on the wire: what each is for, never its secret, but once when it is made."""

from __future__ import annotations

from typing import Any

from agent_memory_os.model.key import Key, Limits
from agent_memory_os.service.keys import DAY_MS, MadeKey
from agent_memory_os.store.keys import Usage
from agent_memory_os.wire.decode import Shape
from agent_memory_os.wire.instant import iso, milliseconds

_INSTANTS = ("created_at", "expires_at", "last_used_at", "revoked_at")


def of_key(key: Key, now: int) -> dict[str, object]:
    """Return a key without its secret."""
    return {
        "id": key.id,
        "name": key.name,
        "kind": key.kind,
        "agent": key.agent_name or None,
        "agent_id": key.agent,
        "state": key.state_at(now),
        **{name: iso(getattr(key, name)) for name in _INSTANTS},
        "limits": key.limits._asdict(),
    }


def to_key(shape: Shape) -> Key:
    """Return the key of a shape."""
    fields: dict[str, Any] = {name: shape[name] for name in ("id", "name", "kind")}
    fields |= {"agent": shape["agent_id"], "agent_name": shape["agent"] or ""}
    fields |= {name: milliseconds(shape[name]) for name in _INSTANTS}
    limits = Limits(*(shape["limits"][name] for name in Limits._fields))
    return Key(**fields, limits=limits)


def of_made(made: MadeKey, now: int) -> dict[str, object]:
    """Return a key that was just made, and its token."""
    return {"key": of_key(made.key, now), "token": made.token}


def to_made(shape: Shape) -> MadeKey:
    """Return the key of a shape with its token."""
    return MadeKey(to_key(shape["key"]), shape["token"])


def of_usage(usage: Usage) -> dict[str, object]:
    """Return what was used on a day; the day is its first instant."""
    shape = usage._asdict()
    agent = {"agent": shape.pop("agent_name") or None, "agent_id": shape.pop("agent")}
    return {**shape, "day": iso(usage.day * DAY_MS), **agent, "teams": list(usage.teams)}


def to_usage(shape: Shape) -> Usage:
    """Return what a shape says was used."""
    day = (milliseconds(shape["day"]) or 0) // DAY_MS
    agent = (shape["agent"] or "", shape["agent_id"])
    counts = (shape["requests"], shape["writes"], shape["bytes"])
    return Usage(day, shape["key"], *agent, tuple(shape["teams"]), *counts)
