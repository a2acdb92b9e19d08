"""What the file knows of the objects that are about to be settled, asked once for all of them."""

from __future__ import annotations

import json
from collections.abc import Iterable

from agent_memory_os.model.register import Register
from agent_memory_os.store.database import Snapshot
from agent_memory_os.store.memories import Place
from agent_memory_os.store.queries import Queries

_sql = Queries("exchange")

Mark = tuple[int, int, int | None]
"""The mark of a record, its number, and under which it first stood there with its content."""


class Known:
    """Where some objects stand: their rows, their records by route, what is hidden or doubtful.

    ``met`` are those of them of which anything is here; the others are asked about once.
    """

    def __init__(self, snapshot: Snapshot, objects: Iterable[str]) -> None:
        rows = snapshot.rows(_sql["met"], (json.dumps(list(objects)),))
        self.met = {row[0] for row in rows}
        wanted = (json.dumps(list(self.met)),)
        self.places: dict[str, Place] = {}
        self.hidden: set[str] = set()
        self.stale: set[str] = set()
        self.parked: dict[str, list[Register]] = {}
        self.records: dict[str, dict[int, Mark]] = {}
        if self.met:
            self._read(snapshot, wanted)

    def _read(self, snapshot: Snapshot, wanted: tuple[str]) -> None:
        self.places = {row[0]: Place(*row[1:]) for row in snapshot.rows(_sql["places"], wanted)}
        self.hidden = {row[0] for row in snapshot.rows(_sql["hidden_of"], wanted)}
        self.stale = {row[0] for row in snapshot.rows(_sql["stale_of"], wanted)}
        for object_id, group, value in snapshot.rows(_sql["parked_of"], wanted):
            waiting = Register(object_id, group, "", "", 0, 0, json.loads(value), ())
            self.parked.setdefault(object_id, []).append(waiting)
        self.records = _records(snapshot, wanted)


def placed(snapshot: Snapshot, objects: Iterable[str]) -> Known:
    """Return where some objects are placed, and nothing else of them."""
    known = Known(snapshot, ())
    known.records = _records(snapshot, (json.dumps(list(objects)),))
    return known


def _records(snapshot: Snapshot, wanted: tuple[str]) -> dict[str, dict[int, Mark]]:
    found: dict[str, dict[int, Mark]] = {}
    for object_id, route, mark, lseq, first in snapshot.rows(_sql["records_of"], wanted):
        found.setdefault(object_id, {})[route] = (int.from_bytes(mark, "big"), lseq, first)
    return found
