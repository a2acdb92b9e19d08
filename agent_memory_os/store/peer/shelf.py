"""The conflict shelf: what an edit lost that another device made at the same time.

An edit names the stamp that it was made from. A content that was signed after that stamp, by
another device, was not seen by who edited: it is lost by the higher stamp alone, and is put on the
shelf, where its owner can look at it and put it back. A few are kept of each memory, for a while.
"""

from __future__ import annotations

from collections.abc import Iterable

from agent_memory_os.model.canonical import digest, encode
from agent_memory_os.model.register import CONTENT, Register
from agent_memory_os.store.database import Snapshot, Transaction
from agent_memory_os.store.exchange.held import HeldRegister
from agent_memory_os.store.queries import Queries
from agent_memory_os.value import NamedTuple

_sql = Queries("exchange")

MOST = 5
"""How many lost versions of a memory are kept."""

DAYS = 30
_MS = DAYS * 86_400_000


class Lost(NamedTuple):
    """A version that lost: its number on the shelf, the memory, its value, device and times."""

    id: int
    memory: str
    value: str
    device: str
    stamp: int
    at: int


def keep(
    transaction: Transaction, memory: str, winner: Register, done: Iterable[HeldRegister]
) -> None:
    """Put what the shown content of a memory had not seen on the shelf."""
    lost = [
        one.register
        for one in done
        if one.register.group == CONTENT and _is_concurrent(winner, one.register)
    ]
    for one in lost:
        name = bytearray(digest([memory, one.device, one.stamp]))
        value = encode(one.value).decode()
        row = (memory, name, value, one.device, one.stamp, transaction.now)
        transaction.execute(_sql["shelve"], row)
    if lost:
        transaction.execute(_sql["clear_shelf"], (memory, transaction.now - _MS, MOST))


def lost(snapshot: Snapshot) -> list[Lost]:
    """Return what is on the shelf, newest first."""
    since = snapshot.now - _MS
    return [Lost(*row) for row in snapshot.rows(_sql["shelf"], (since,))]


def take(transaction: Transaction, number: int) -> Lost | None:
    """Take a version off the shelf; ``None`` where there is none of that number."""
    row = transaction.row(_sql["shelved"], (number,))
    transaction.execute(_sql["unshelve"], (number,))
    return None if row is None else Lost(*row)


def _is_concurrent(winner: Register, other: Register) -> bool:
    return (
        other.device != winner.device
        and winner.edits < other.stamp < winner.stamp
        and other.value.get("life", 1) == winner.value.get("life", 1)
        and other.value.get("content") != winner.value.get("content")
    )
