"""Nonces of signed requests, each kept as long as its request would be taken."""

from __future__ import annotations

from agent_memory_os.store.database import Transaction
from agent_memory_os.store.queries import Queries

_sql = Queries("nonce")


def take(transaction: Transaction, device: str, nonce: str, until: int) -> bool:
    """Keep a device's nonce until a time in milliseconds; say whether it was new.

    Those whose time is over are dropped on the way: nothing grows without end.
    """
    transaction.execute(_sql["drop"], (transaction.now,))
    return transaction.change(_sql["take"], (device, bytes.fromhex(nonce), until)) == 1
