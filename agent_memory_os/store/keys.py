"""Keys of the API and their use, in the node's file: hashes, never secrets."""

from __future__ import annotations

import json
from collections.abc import Iterable

from agent_memory_os.model.key import Key, Limits
from agent_memory_os.model.principal import Principal
from agent_memory_os.store.database import Row, Snapshot, Transaction
from agent_memory_os.store.queries import Queries
from agent_memory_os.value import NamedTuple

_sql = Queries("key")
_LIMITS = slice(9, 13)
_ACTIVE = "active"


class Held(NamedTuple):
    """A key with the hash of its secret, and whether the agent that it stands for still acts."""

    key: Key
    hash: bytes
    acts: bool


class Use(NamedTuple):
    """What was used on a day through a key by an agent; the day counts from 1970, in UTC."""

    day: int
    key: str
    agent: str | None
    requests: int
    writes: int
    bytes: int


class Usage(NamedTuple):
    """The same, to be shown: with names, and the teams that the agent is in."""

    day: int
    key: str
    agent_name: str
    agent: str | None
    teams: tuple[str, ...]
    requests: int
    writes: int
    bytes: int


def add(transaction: Transaction, key: Key, digest: bytes) -> None:
    """Keep a new key."""
    row = {
        "id": key.id,
        "name": key.name,
        "kind": key.kind,
        "agent": key.agent,
        "hash": digest,
        "created_at": key.created_at,
        "expires_at": key.expires_at,
        **key.limits._asdict(),
    }
    transaction.execute(_sql["add"], row)


def by_id(snapshot: Snapshot, key_id: str) -> Held | None:
    """Return a key, revoked and expired ones too."""
    row = snapshot.row(_sql["by_id"], (key_id,))
    return None if row is None else _held(row)


def every(snapshot: Snapshot) -> list[Key]:
    """Return all keys, newest first."""
    return [held.key for held in every_held(snapshot)]


def every_held(snapshot: Snapshot) -> list[Held]:
    """Return all keys with their hashes; none of a file that is too old to have any."""
    if not snapshot.value(_sql["is_there"]):
        return []
    return [_held(row) for row in snapshot.rows(_sql["every"])]


def opening(held: Iterable[Held]) -> dict[str, tuple[bytes, int | None, int | None]]:
    """Return what decides whether keys open anything: hash, end and revocation, by id."""
    return {one.key.id: (one.hash, one.key.expires_at, one.key.revoked_at) for one in held}


def take_over(transaction: Transaction, held: Iterable[Held]) -> None:
    """Have the keys of another file in the place of those that are here."""
    transaction.execute(_sql["drop"])
    for one in held:
        key = one.key._asdict() | one.key.limits._asdict()
        named = {name: value for name, value in key.items() if name not in ("agent_name", "limits")}
        transaction.execute(_sql["put"], {**named, "hash": one.hash})


def renew(transaction: Transaction, key_id: str, digest: bytes, expires_at: int | None) -> None:
    """Give a key another secret; the old one opens nothing from the commit on."""
    transaction.execute(_sql["renew"], (digest, expires_at, key_id))


def revoke(transaction: Transaction, key_id: str) -> None:
    """Let a key open nothing any more."""
    transaction.execute(_sql["revoke"], (transaction.now, key_id))


def note(transaction: Transaction, used: Iterable[Use], last: Iterable[tuple[str, int]]) -> None:
    """Add what was used, and when each key was used last."""
    transaction.many(_sql["use"], [tuple(one) for one in used])
    transaction.many(_sql["touch"], [(at, key_id) for key_id, at in last])


def usage(snapshot: Snapshot, principal: Principal, since: int) -> list[Usage]:
    """Return what was used from a day on: all of it for the operator, for an agent its own use."""
    asked = {"day": since, "all": int(principal.is_operator), "agent": principal.agent}
    rows = snapshot.rows(_sql["used"], asked)
    return [Usage(*row)._replace(teams=tuple(json.loads(row[4]))) for row in rows]


def used_bytes(snapshot: Snapshot, day: int, key_id: str) -> int:
    """Return how many bytes were sent with a key on a day."""
    found: int = snapshot.value(_sql["used_bytes"], (day, key_id))
    return found


def _held(row: Row) -> Held:
    fields = (*row[: _LIMITS.start], Limits(*row[_LIMITS]))
    key = Key(*fields)
    return Held(key, row[_LIMITS.stop], row[_LIMITS.stop + 1] == _ACTIVE)
