"""Many memories in two nodes that have the same ones, without sending each: copies under other ids.

A million memories take too long to sign, send and judge for one figure. So some thousands are sent
as ever, and each is then copied in both files, again and again, with all of its rows: its registers
without their signatures, its grant, its places on routes. A copy has the same id and the same mark
in both. What routes count follows from the rows, and the cursors are brought to their end, so the
two have nothing for each other. Copies are in no index: they are not searched for.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
from base64 import b32encode
from collections.abc import Iterable, Sequence
from contextlib import closing

from agent_memory_os.model.routing.sketch import Sketch
from agent_memory_os.settings import DATABASE

SHIFT = 10_000_000
"""By how much the numbers of each copy are higher than those of the one before."""

_CACHE_KB = 4_000_000
_MODULUS = 1 << 256
_ORIGINALS = "SELECT memory FROM grants"
_COPIED = (
    """
    INSERT INTO memories ({memories})
    SELECT {shifted} FROM memories AS m WHERE m.rowid IN originals
    """,
    """
    INSERT INTO registers (lseq, object, grp, author, device, slot, stamp, seq, value, digest,
      reliance, chain, edits, unknown, source)
    SELECT r.lseq + :shift, copied_id(r.object, :copy), r.grp, r.author, r.device, r.slot, r.stamp,
      r.seq, r.value, r.digest, r.reliance, r.chain, r.edits, r.unknown, r.source
    FROM memories AS m JOIN registers AS r ON r.object = m.id WHERE m.rowid IN originals
    """,
    """
    INSERT INTO grants (memory, scope, since, until, granted_by, revoked_by)
    SELECT g.memory + :shift, g.scope, g.since, g.until, g.granted_by, g.revoked_by
    FROM grants AS g WHERE g.memory IN originals
    """,
    """
    INSERT INTO records (route, object, lseq, mark, source)
    SELECT p.route, copied_id(p.object, :copy), p.lseq + :shift, copied_mark(p.mark, :copy),
      p.source
    FROM memories AS m JOIN records AS p ON p.object = m.id WHERE m.rowid IN originals
    """,
)
_SUMMED = "SELECT object, mark FROM records WHERE route = ?"
_COUNT = "UPDATE routes SET count = ?1, total = ?2, sketch = ?3 WHERE id = ?4 OR route LIKE ?5"
_ENDS = """
SELECT t.route, max(p.lseq) FROM routes AS t JOIN records AS p ON p.route = t.id GROUP BY t.id
"""
_CURSOR = "UPDATE cursors SET lseq = ? WHERE route = ? AND lseq > 0"


def swell(homes: Sequence[str], size: int) -> None:
    """Copy what is shared in both homes until each has so many memories of it."""
    ends = [_swollen(home, size) for home in homes]
    for home, other in zip(homes, reversed(ends), strict=True):
        with closing(_file(home)) as file, file:
            file.executemany(_CURSOR, [(number, route) for route, number in other])
            file.execute("UPDATE peers SET told = '', heard = ''")


def _swollen(home: str, size: int) -> list[tuple[str, int]]:
    """Copy what is shared in a home; return the number of what is newest on each route."""
    with closing(_file(home)) as file, file:
        file.execute(f"CREATE TEMP TABLE originals AS {_ORIGINALS}")
        file.execute("CREATE UNIQUE INDEX temp.by_memory ON originals (memory)")
        [(count,)] = file.execute("SELECT count(*) FROM originals")
        names = [row[1] for row in file.execute("PRAGMA table_info(memories)")]
        changed = {"rowid": "m.rowid + :shift", "id": "copied_id(m.id, :copy)"}
        shifted = ", ".join(changed.get(name, f"m.{name}") for name in names)
        columns = {"memories": ", ".join(names), "shifted": shifted}
        for copy in range(1, size // count):
            for query in _COPIED:
                file.execute(query.format(**columns), {"copy": copy, "shift": copy * SHIFT})
        _count(file)
        file.execute("UPDATE node SET placed = (SELECT max(lseq) FROM registers)")
        return file.execute(_ENDS).fetchall()


def _count(file: sqlite3.Connection) -> None:
    for number, route in file.execute("SELECT id, route FROM routes").fetchall():
        count, total, sketch = _summed(file.execute(_SUMMED, (number,)))
        if count:
            row = (count, total.to_bytes(32, "big"), bytes(sketch.to_bytes()))
            file.execute(_COUNT, (*row, number, f"of:%|{route}"))


def _summed(records: Iterable[tuple[str, bytes]]) -> tuple[int, int, Sketch]:
    count, total, sketch = 0, 0, Sketch()
    for object_id, mark in records:
        number = int.from_bytes(mark, "big")
        count, total = count + 1, (total + number) % _MODULUS
        sketch.toggle(object_id, number)
    return count, total, sketch


def _file(home: str) -> sqlite3.Connection:
    file = sqlite3.connect(os.path.join(home, DATABASE), timeout=60)
    # Ids are strewn over the indexes: what is not held is written many times over.
    file.execute(f"PRAGMA cache_size = -{_CACHE_KB}")
    file.execute("PRAGMA synchronous = OFF")
    file.create_function("copied_id", 2, _copied_id, deterministic=True)
    file.create_function("copied_mark", 2, _copied_mark, deterministic=True)
    return file


def _copied_id(object_id: str, copy: int) -> str:
    hashed = hashlib.sha256(f"{copy} {object_id}".encode()).digest()
    return "mem_" + b32encode(hashed).decode().lower()[:32]


def _copied_mark(mark: bytes, copy: int) -> bytes:
    return hashlib.sha256(bytes(mark) + str(copy).encode()).digest()
