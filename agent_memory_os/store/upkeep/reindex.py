"""Making the index anew while others read and write.

What was entered of each memory (``documents``) is held against the memories, and put right in
turns. From what is entered then a new index is made in memory, beside the present one, which
answers meanwhile. What changes in the meantime is entered there too, and at last the new one is
laid in the place of the old in one short transaction. Whoever is killed leaves the old index with
what was put right by then, or the new one.

Only one process at a time may do this to a file: what another one puts right would not be noticed.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

from agent_memory_os.errors import DamagedDatabase
from agent_memory_os.store import lexical, node
from agent_memory_os.store.database import Database, Row, Snapshot, Transaction
from agent_memory_os.store.lexical import Indexer
from agent_memory_os.store.queries import Queries
from agent_memory_os.store.upkeep import structure
from agent_memory_os.store.upkeep.progress import Meter, Progress, part, unwatched
from agent_memory_os.store.upkeep.turn import in_turns, pause
from agent_memory_os.text.segment import terms

_sql = Queries("upkeep")
_lexical = Queries("lexical")

_SLICE = 500
"""So many memories are read at once."""

_FEW = 50
"""So many changes may be entered while others wait."""

_PATIENCE = 5
"""After so many rounds others wait for as many changes as there are."""

_ROOM = "PRAGMA cache_size = -65536"
"""Pages that do not fit into memory are written twice."""


def rebuild(database: Database, progress: Progress = unwatched) -> int:
    """Make the index anew from the memories, whatever is left of it; return how many it holds."""
    with database.write() as transaction:
        structure.mend(transaction)
    _put_right(database, part(progress, 0.5))
    with closing(_Beside()) as beside:
        beside.fill(database, part(progress, 0.5))
        return _lay_in_place(database, beside)


def _put_right(database: Database, progress: Progress) -> None:
    """Have what was entered be what the memories say."""
    with database.read() as snapshot:
        strays = [row[0] for row in snapshot.rows(_sql["not_to_be_entered"])]
        meter = Meter(progress, snapshot.value(_sql["memory_count"]))
    _enter_again(database, strays)
    last = 0
    while True:
        with database.read() as snapshot:
            rows = [row[0] for row in snapshot.rows(_sql["next_rows"], (last, _SLICE))]
        if not rows:
            meter.end()
            return
        _enter_again(database, _wrong(database, last, rows))
        last = rows[-1]
        meter.add(len(rows))


def _wrong(database: Database, last: int, rows: list[int]) -> list[int]:
    """Return those of the rows after one that are not entered as they are now."""
    try:
        with database.read() as snapshot:
            held = snapshot.rows(_sql["entered"], (last, len(rows)))
            return [row[0] for row in held if not is_right(row, thorough=True)]
    except DamagedDatabase:
        # Something there cannot even be read.
        return rows


def is_right(row: Row, *, thorough: bool) -> bool:
    """Say whether a memory was entered as it is now: its scopes, and with ``thorough`` its words.

    ``row`` is one of the query ``entered``.
    """
    _, owner, granted, scopes, words = row[:5]
    wanted = sorted({owner, *(int(scope) for scope in (granted or "").split())})
    if scopes != " ".join(map(str, wanted)):
        return False
    return not thorough or " ".join(terms(lexical.text_of_row(*row[5:]))) == words


def _enter_again(database: Database, rows: list[int]) -> None:
    try:
        in_turns(database, rows, _refresh)
    except DamagedDatabase:
        # The index takes nothing more. It is made anew from what is noted.
        in_turns(database, rows, _note)


def _refresh(transaction: Transaction, rows: Iterator[int]) -> None:
    indexer = Indexer(transaction)
    for row in rows:
        indexer.refresh(row)
    indexer.close()


def _note(transaction: Transaction, rows: Iterator[int]) -> None:
    indexer = Indexer(transaction)
    for row in rows:
        indexer.note(row)


class _Beside:
    """A new index in memory, and how far the changes of the file were taken up."""

    def __init__(self) -> None:
        self._connection = structure.fresh()
        self._side = Transaction(self._connection, 0)
        self._indexer = Indexer(self._side)
        self._last_change = 0

    def close(self) -> None:
        """Throw it away."""
        self._connection.close()

    def fill(self, database: Database, progress: Progress) -> None:
        """Enter everything that is entered in the file."""
        with database.read() as snapshot:
            self._last_change = snapshot.value(_sql["last_change"])
            meter = Meter(progress, snapshot.value(_sql["document_count"]))
        last = 0
        while True:
            with database.read() as snapshot:
                documents = snapshot.rows(_sql["next_documents"], (last, _SLICE))
            if not documents:
                break
            self._side.execute("BEGIN")
            for document in documents:
                self._indexer.put(*document)
            self._side.execute("COMMIT")
            last = documents[-1][0]
            meter.add(len(documents))
        lexical.sweep(self._side)
        meter.end()

    def take_up(self, snapshot: Snapshot) -> None:
        """Enter what changed in the file since changes were last taken up."""
        is_left = False
        for (row,) in snapshot.rows(_sql["changed_rows"], (self._last_change,)):
            is_left |= self._enter(row, snapshot.row(_lexical["held"], (row,)))
        if snapshot.value(_sql["document_count"]) != self._count():
            # What was erased is in no register any more.
            rows = {row[0] for row in snapshot.rows(_sql["indexed_rows"])}
            gone = [row for (row,) in self._side.rows(_sql["indexed_rows"]) if row not in rows]
            for row in gone:
                is_left |= self._enter(row, None)
        self._last_change = snapshot.value(_sql["last_change"])
        if is_left:
            # What leaves an index is still written in it, and may have been erased.
            lexical.sweep(self._side)

    def is_near(self, snapshot: Snapshot) -> bool:
        """Say whether little is to be taken up, and nothing that left the index."""
        rows = snapshot.rows(_sql["changed_rows"], (self._last_change,))
        new = sum(self._side.row(_lexical["held"], row) is None for row in rows)
        held: int = snapshot.value(_sql["document_count"])
        return len(rows) <= _FEW and held == self._count() + new

    def lay(self, transaction: Transaction) -> int:
        """Put it in the place of the file's index; return how many memories it holds."""
        transaction.execute(_ROOM)
        for table in ("data", "idx"):
            transaction.execute(_sql[f"drop_{table}"])
            transaction.many(_sql[f"put_{table}"], self._connection.execute(_sql[f"get_{table}"]))
        transaction.execute(_sql["clear_totals"])
        transaction.many(_lexical["count"], self._indexer.totals())
        node.set_index_form(transaction, lexical.INDEX_FORM)
        return self._count()

    def _enter(self, row: int, wanted: Row | None) -> bool:
        """Have a memory be entered as it is now; say whether it left."""
        if wanted == self._side.row(_lexical["held"], (row,)):
            return False
        self._indexer.leave(row)
        if wanted is not None:
            self._indexer.put(row, *wanted)
        return wanted is None

    def _count(self) -> int:
        return int(self._side.value(_sql["document_count"]))


def _lay_in_place(database: Database, beside: _Beside) -> int:
    attempt = 0
    while True:
        with database.read() as snapshot:
            beside.take_up(snapshot)
        with database.write() as transaction:
            if beside.is_near(transaction) or attempt == _PATIENCE:
                beside.take_up(transaction)
                # A connection that has used the index would go on with what it knows of the old.
                database.close()
                return beside.lay(transaction)
        attempt += 1
        pause()
