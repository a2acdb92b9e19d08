"""Where devices say that they are reached, in the store: the newest of each, as it signed it."""

from __future__ import annotations

import json
from collections.abc import Iterable

from agent_memory_os.store.database import Snapshot, Transaction
from agent_memory_os.store.file.value import fit
from agent_memory_os.store.queries import Queries
from agent_memory_os.value import NamedTuple

_sql = Queries("peer")
_FORM = "ttittbit"

MAX_DEVICES = 8
"""Of so many devices of one account it is kept where they are reached."""


class Said(NamedTuple):
    """What a device said: its URL (empty: nowhere any more), how it calls itself, and the line.

    ``number`` tells how late it came, ``source`` which peer brought it, if it
    is not this node's own.
    """

    device: str
    account: str
    stamp: int
    url: str
    called: str
    line: bytes
    number: int = 0
    source: str = ""


def keep(transaction: Transaction, said: Said, source: str = "") -> None:
    """Keep what a device said, unless something newer is held, or too many of its account's are."""
    others = transaction.value(_sql["count_addresses"], (said.account, said.device))
    if others < MAX_DEVICES:
        row = (*said[:5], bytearray(said.line), source)
        transaction.execute(_sql["put_address"], row)


def of_accounts(snapshot: Snapshot, accounts: Iterable[str]) -> list[Said]:
    """Return what the devices of some accounts said, the oldest that came first."""
    wanted = (json.dumps(sorted(accounts)),)
    return [Said(*fit(row, _FORM)) for row in snapshot.rows(_sql["addresses"], wanted)]


def of_device(snapshot: Snapshot, device: str) -> Said | None:
    """Return what a device said, or ``None``."""
    row = snapshot.row(_sql["address_of"], (device,))
    return None if row is None else Said(*fit(row, _FORM))


def stray(snapshot: Snapshot, accounts: Iterable[str], since: int) -> list[str]:
    """Return the devices that said it before a stamp, are of other accounts, or were revoked."""
    wanted = (since, json.dumps(sorted(accounts)))
    return [row[0] for row in snapshot.rows(_sql["stray_addresses"], wanted)]


def drop(transaction: Transaction, devices: Iterable[str]) -> None:
    """Forget where some devices said that they are reached."""
    transaction.many(_sql["drop_address"], [(device,) for device in devices])
