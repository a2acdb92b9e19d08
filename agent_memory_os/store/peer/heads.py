"""Heads in the store: what accounts say that they put into scopes, and what is held of it."""

from __future__ import annotations

import json
from collections.abc import Iterable

from agent_memory_os.store.database import Row, Snapshot, Transaction
from agent_memory_os.store.exchange import route
from agent_memory_os.store.exchange.route import Total
from agent_memory_os.store.file.value import fit
from agent_memory_os.store.queries import Queries
from agent_memory_os.value import NamedTuple

_sql = Queries("exchange")


class Head(NamedTuple):
    """An account's head of a scope: its stamp, what it counts, its line as a device signed it.

    ``differs_since`` tells since when what is held here is something else (``None``: it is not),
    ``number`` how late it came, ``source`` which peer brought it, if it is not this node's own.
    """

    scope: str
    account: str
    stamp: int
    total: Total
    line: bytes
    differs_since: int | None = None
    number: int = 0
    source: str = ""


def of_scopes(snapshot: Snapshot, scopes: Iterable[str]) -> list[Head]:
    """Return the newest heads of some scopes."""
    wanted = (json.dumps(list(scopes)),)
    return [_head(row) for row in snapshot.rows(_sql["heads_of"], wanted)]


def every(snapshot: Snapshot) -> list[Head]:
    """Return the newest head of each account in each scope."""
    return [_head(row) for row in snapshot.rows(_sql["all_heads"])]


def keep(transaction: Transaction, head: Head, source: str = "") -> None:
    """Keep a head, unless a newer one of the account is held; ``source`` is who brought it."""
    mark = route.to_bytes(head.total.mark)
    said = (head.scope, head.account, head.stamp, head.total.records, mark, bytearray(head.line))
    transaction.execute(_sql["put_head"], (*said, source))


def compare(transaction: Transaction) -> None:
    """Compare what is held with what the heads say, and keep since when it differs."""
    for head in every(transaction):
        differs = route.total_of(transaction, head.scope, head.account) != head.total
        if differs != (head.differs_since is not None):
            row = (int(differs), transaction.now, head.scope, head.account)
            transaction.execute(_sql["set_differs"], row)


def _head(row: Row) -> Head:
    scope, account, stamp, records, mark, line, *more = fit(row, "ttiibbIit")
    return Head(scope, account, stamp, Total(records, int.from_bytes(mark, "big")), line, *more)
