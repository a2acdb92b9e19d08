"""Sweeping: no byte of what was erased stays in the file, its index or its log.

Deleting a row overwrites it with zeros. What that leaves is taken care of here, the cheapest way
first: the index is written anew from what it still holds, some pages at a time, the write-ahead log
is emptied, and then the file is searched for remnants of the very words that were erased. Only
where one is found, or where the words are not known any more, the whole file is written anew, and
whoever writes waits for that. The file counts what was erased and not swept yet, so that a sweep
that was cut short is finished by the next one.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence

from agent_memory_os.errors import Busy, DiskFull, Unswept
from agent_memory_os.store import lexical
from agent_memory_os.store.database import Database, Snapshot, Transaction
from agent_memory_os.store.file.remains import grams_of, holds
from agent_memory_os.store.queries import Queries
from agent_memory_os.store.upkeep.turn import clock, pause

_sql = Queries("upkeep")

_MOST_TRACES = 200_000
"""Characters of erased text above which writing the file anew is cheaper than searching it."""

_LARGE_FILE = 2**28

_PAGES = 100
_MOST_TURNS = 2_000
"""After so many turns the rest is done at once."""


def told(snapshot: Snapshot, row: int) -> list[str]:
    """Return every text that a memory holds, past versions and index terms included."""
    texts = [text for text in snapshot.row(_sql["texts"], (row,)) or () if text]
    for (value,) in snapshot.rows(_sql["past_values"], (row,)):
        texts += _strings(json.loads(value))
    return texts


def mark(transaction: Transaction) -> None:
    """Count one more erased memory whose bytes may still be in the file."""
    transaction.execute(_sql["mark_unswept"])


def pending(snapshot: Snapshot) -> int:
    """Return how many erased memories may still have bytes in the file."""
    return int(snapshot.value(_sql["unswept"]))


def owe(transaction: Transaction, count: int) -> None:
    """Remember that of so many erased memories there may be bytes in the file."""
    transaction.execute(_sql["owe"], (count,))


def settle(transaction: Transaction, count: int) -> None:
    """Remember that of some erased memories nothing is left."""
    transaction.execute(_sql["settle"], (count,))


def sweep(database: Database, texts: Sequence[str] = (), count: int = 1) -> None:
    """Leave nothing of what was erased; ``texts`` is all that so many memories said, if known.

    Raises :class:`Unswept` where another process or a full disk is in the way: the memories are
    erased, and the sweep is to be done again.
    """
    try:
        with database.read() as snapshot:
            due = pending(snapshot)
        _sweep_index(database)
        if due > count or not _is_clean(database, texts):
            rewrite(database)
            _empty_log(database)
        with database.write() as transaction:
            settle(transaction, due)
    except (Busy, DiskFull) as error:
        raise Unswept(
            f"What was erased is found by no read, but some of its bytes are still in "
            f"{database.path}: {error}",
            "mend",
        ) from error


def sweep_copy(database: Database) -> None:
    """Leave nothing but what it holds in a copy that nobody else has open, its index included."""
    with database.write() as transaction:
        lexical.sweep(transaction)
        settle(transaction, pending(transaction))
    rewrite(database)


def rewrite(database: Database) -> None:
    """Write the whole file anew, so that only what it holds is in it."""
    is_large = os.path.getsize(database.path) > _LARGE_FILE
    store = "FILE" if is_large else "MEMORY"
    database.maintain(f"PRAGMA temp_store = {store}", "VACUUM", "PRAGMA temp_store = MEMORY")


def _sweep_index(database: Database) -> None:
    """Write the index anew from itself, some pages in a turn."""
    begins = is_left = True
    turns = 0
    while is_left:
        with database.write() as transaction:
            if turns == _MOST_TURNS:
                # Others enter more than is swept.
                lexical.sweep(transaction)
                return
            is_over = clock()
            while is_left and not is_over():
                is_left = lexical.sweep_some(transaction, _PAGES, begins=begins)
                begins = False
        turns += 1
        pause()


def _is_clean(database: Database, texts: Sequence[str]) -> bool:
    grams = grams_of(texts) if sum(map(len, texts)) <= _MOST_TRACES else None
    if not grams:
        return False
    _empty_log(database)
    with database.read() as snapshot:
        page_size: int = snapshot.value("PRAGMA page_size")
        return not holds(database.path, page_size, grams)


def _empty_log(database: Database) -> None:
    if not database.empty_log():
        raise Busy("another process is still reading an earlier state.")


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for field in value.values():
            yield from _strings(field)
    elif isinstance(value, list):
        for field in value:
            yield from _strings(field)
