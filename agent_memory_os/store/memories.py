"""Memories in the store: the view of their registers, and every read of them through the gate.

The writers here are called only for a register that was just logged. The readers all take a
:class:`Gate`, and return what it lets through: a memory that is not there and one that may not be
read are the same.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from agent_memory_os.model.audience import GLOBAL, visible_grants
from agent_memory_os.model.canonical import encode_checked
from agent_memory_os.model.identifier import sha256
from agent_memory_os.model.memory import (
    DEFAULT_CONFIDENCE,
    DEFAULT_IMPORTANCE,
    TYPES,
    Content,
    Memory,
    circumstances,
    said_bytes,
    to_value,
)
from agent_memory_os.model.recall import Filter
from agent_memory_os.store.database import Row, Snapshot
from agent_memory_os.store.file.value import WrongValue, fit
from agent_memory_os.store.gate import Gate, narrowed
from agent_memory_os.store.queries import Queries
from agent_memory_os.value import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from typing import Any


_sql = Queries("memory")

_FORM = "ittttiitTTTTTIIiiiIIIITTiti"
"""The columns of a memory: row, id, owner and its name; the content; state and version."""

_TYPES = frozenset(TYPES)
_FIRST_FIELD = 4
_NOTHING_MORE = (
    *(None,) * 7,
    DEFAULT_CONFIDENCE,
    DEFAULT_IMPORTANCE,
    0,
    *(None,) * 6,
    1,
)
"""The fields behind words, times and type of a memory that says nothing more."""
_AFTER_FIELDS = _FIRST_FIELD + len(Content._fields)


class Place(NamedTuple):
    """Where a memory stands in the view, for the writer (who has checked the right to write)."""

    row: int
    owner: int
    life: int
    stamp: int
    version: int
    state: str
    updated_at: int


def place_of(snapshot: Snapshot, memory_id: str) -> Place | None:
    """Return where a memory stands, or ``None`` if its content is not here."""
    row = snapshot.row(_sql["place"], (memory_id,))
    return None if row is None else Place(*row)


def scope_row(snapshot: Snapshot, scope: str) -> int:
    """Return the row of an audience that is known here."""
    found: int = snapshot.value(_sql["scope_row"], (scope,))
    return found


def is_erased(snapshot: Snapshot, memory_id: str) -> bool:
    """Say whether a memory was erased here."""
    return snapshot.value(_sql["tombstone"], (memory_id,)) is not None


def by_row(snapshot: Snapshot, row: int) -> Memory:
    """Return a memory whatever its state and without the gate: for the writer alone."""
    found = snapshot.row(_sql["by_row"], (row,))
    if found is None:  # pragma: no cover - the row was found in this transaction
        raise LookupError(row)
    return _memory(found, (), {})


def nonce_of(snapshot: Snapshot, memory_id: str) -> str:
    """Return what a memory's id commits to, in hex."""
    nonce: bytes = snapshot.value(_sql["nonce"], (memory_id,))
    return nonce.hex()


def same_rows(
    snapshot: Snapshot, owner_row: int, content: Content, same: bytes, *, forgotten: bool = False
) -> list[int]:
    """Return the shown memories of an owner that say exactly the same in the same circumstances.

    With ``forgotten`` those that are forgotten, in place of the shown ones.
    """
    if snapshot.value(_sql["alike"], (bytearray(same),)) is None:
        return []
    parameters = {
        **circumstances(content),
        "same": same,
        "owner": owner_row,
        "now": snapshot.now,
    }
    name = "same_forgotten" if forgotten else "same"
    return [row[0] for row in snapshot.rows(_sql[name], parameters)]


def granted(snapshot: Snapshot, row: int) -> set[str]:
    """Return the scopes that a memory is granted to, with ids: for the writer alone."""
    return {found[1] for found in snapshot.rows(_sql["audiences"], (f"[{row}]",))}


def first_text(snapshot: Snapshot, memory_id: str) -> str:
    """Return the words that a memory was first written with: for the writer alone."""
    versions = snapshot.rows(_sql["versions"], (memory_id,))
    if versions:
        return str(json.loads(versions[0][1])["content"])
    return str(snapshot.value(_sql["text"], (memory_id,)))


def admitted(snapshot: Snapshot, gate: Gate, rows: Iterable[int]) -> dict[int, Memory]:
    """Read rows again through the gate; what may not be read or is not shown now is left out."""
    parameters = {**gate.parameters, "now": snapshot.now, "rows": json.dumps(list(rows))}
    found = snapshot.rows(_sql["admitted"], parameters)
    return _by_row(snapshot, gate, found)


def overdue(snapshot: Snapshot, kept_ms: int, most: int | None) -> list[str]:
    """Return ids of memories that were forgotten longer ago than they are kept, oldest first."""
    limit = -1 if most is None else most
    return [row[0] for row in snapshot.rows(_sql["overdue"], (snapshot.now - kept_ms, limit))]


def rows_of(snapshot: Snapshot, gate: Gate, rows: Iterable[int]) -> dict[int, Memory]:
    """Read rows through the gate whatever their state: what the caller has just written."""
    parameters = {**gate.parameters, "rows": json.dumps(list(rows))}
    found = snapshot.rows(_sql["rows_of"], parameters)
    return _by_row(snapshot, gate, found)


def pinned(snapshot: Snapshot, gate: Gate, wanted: Filter, limit: int) -> list[int]:
    """Return the newest pinned rows that pass the filter."""
    parameters = {**narrowed(gate, wanted, snapshot.now), "limit": limit}
    return [row[0] for row in snapshot.rows(_sql["pinned"], parameters)]


def dated(
    snapshot: Snapshot, gate: Gate, wanted: Filter, span: tuple[int, int], limit: int
) -> list[int]:
    """Return the newest rows of a half-open span of time that pass the filter."""
    parameters = {**narrowed(gate, wanted, snapshot.now), "limit": limit}
    parameters |= {"start": span[0], "end": span[1]}
    return [row[0] for row in snapshot.rows(_sql["dated"], parameters)]


def at_places(snapshot: Snapshot, gate: Gate, places: Iterable[tuple[int, str, int]]) -> list[int]:
    """Return the rows that stand at places of sessions: owner's row, session, position."""
    parameters = {**gate.parameters, "now": snapshot.now, "places": json.dumps(list(places))}
    return [row[0] for row in snapshot.rows(_sql["session_rows"], parameters)]


def contexts(snapshot: Snapshot, gate: Gate, wanted: Filter, rows: Iterable[int]) -> list[Row]:
    """Return what ranking reads of those of the rows that pass the gate and the filter.

    Row, owner's row, session, position, author, time, text (both ends of a long one), index terms.
    """
    parameters = {**narrowed(gate, wanted, snapshot.now), "rows": json.dumps(list(rows))}
    return snapshot.rows(_sql["contexts"], parameters)


def get(snapshot: Snapshot, gate: Gate, memory_id: str) -> Memory | None:
    """Return one memory, whatever its state, if the gate lets it through."""
    found = snapshot.row(_sql["get"], {**gate.parameters, "id": memory_id})
    return None if found is None else with_audience(snapshot, gate, [found])[0]


def ids_from(snapshot: Snapshot, gate: Gate, start: str) -> list[str]:
    """Return up to two ids that begin with some characters: shown ones, and one's own."""
    parameters = {**gate.parameters, "now": snapshot.now, "low": start, "high": start + "~"}
    return [row[0] for row in snapshot.rows(_sql["prefix"], parameters)]


def page_by_id(snapshot: Snapshot, gate: Gate, after: str, limit: int) -> list[tuple[Memory, str]]:
    """Return readable memories in the order of their ids, each with its nonce in hex."""
    parameters = {**gate.parameters, "after": after, "limit": limit}
    found = snapshot.rows(_sql["by_id"], parameters)
    shown = with_audience(snapshot, gate, found, "b")
    if shown and shown[-1].id <= after:
        raise WrongValue("ids are out of their order")
    return [(memory, row[-1].hex()) for row, memory in zip(found, shown, strict=True)]


def with_audience(snapshot: Snapshot, gate: Gate, rows: list[Row], extra: str = "") -> list[Memory]:
    """Return rows as memories, each with the grants that the reader may know of.

    ``extra`` is the form of what stands behind the columns of a memory.
    """
    numbers = json.dumps([row[0] for row in rows])
    held: dict[int, list[str]] = {}
    names: dict[str, str] = {}
    for memory, scope, kind, ref in snapshot.rows(_sql["audiences"], (numbers,)):
        if scope not in names:
            names[scope] = scope_name(snapshot, scope, kind, ref)
        held.setdefault(memory, []).append(scope)
    form = _FORM + extra
    return [
        _memory(fit(row, form), visible_grants(gate.sight, row[2], held.get(row[0], ())), names)
        for row in rows
    ]


def scope_name(snapshot: Snapshot, scope: str, kind: str, ref: int) -> str:
    """Return a scope as people write it: ``team:apollo``; one that is unknown keeps its id."""
    if kind == GLOBAL:
        return GLOBAL
    object_id = scope.partition(":")[2]
    name = snapshot.value(_sql["scope_name"], {"kind": kind, "ref": ref})
    return f"{kind}:{name or object_id}"


def _by_row(snapshot: Snapshot, gate: Gate, rows: list[Row]) -> dict[int, Memory]:
    """Return memories by their row numbers, which stand beside them and never in them."""
    shown = with_audience(snapshot, gate, rows)
    return {row[0]: memory for row, memory in zip(rows, shown, strict=True)}


def _memory(row: Row, grants: tuple[str, ...], names: Mapping[str, str]) -> Memory:
    state, version = row[_AFTER_FIELDS : _AFTER_FIELDS + 2]
    return Memory(
        row[1],
        row[2],
        row[3],
        content_of(row[_FIRST_FIELD:_AFTER_FIELDS]),
        tuple(names[scope] for scope in grants),
        state,
        version,
        grants,
    )


def content_of(fields: Row) -> Content:
    """Return the content that a row's fields hold, in the order of :class:`Content`."""
    values: list[Any] = list(fields)
    summary, tags, source, author, session = values[4:9]
    values[4:9] = [
        summary or "",
        _tags(tags) if tags else (),
        _source(source) if source else {},
        author or "",
        session or "",
    ]
    if values[3] not in _TYPES:
        raise WrongValue("a type is none of ours")
    values[13] = bool(values[13])
    values[18] = values[18] or ""
    values[19] = values[19] or ""
    return Content(*values)


def value_of(fields: Row) -> dict[str, object]:
    """Return the value that a row's fields hold: what ``to_value(content_of(fields))`` gives."""
    if fields[4:] == _NOTHING_MORE and fields[3] in _TYPES:
        content, created, updated, kind = fields[:4]
        return {"content": content, "created_at": created, "updated_at": updated, "type": kind}
    return to_value(content_of(fields))


def bytes_of(fields: Row) -> bytes:
    """Return the canonical bytes of the value that a row's fields hold."""
    if fields[4:] == _NOTHING_MORE and fields[3] in _TYPES:
        return said_bytes(fields[0], fields[1], fields[3], fields[2])
    return encode_checked(value_of(fields))


def _tags(text: str) -> tuple[str, ...]:
    found = json.loads(text)
    if type(found) is not list or not all(type(tag) is str for tag in found):
        raise WrongValue("tags are no texts")
    return tuple(found)


def _source(text: str) -> dict[str, object]:
    found = json.loads(text)
    if type(found) is not dict:
        raise WrongValue("a source is no object")
    return found


def same_key(owner_row: int, content: Content) -> bytes:
    """Return a short hash of what makes two memories of one owner say exactly the same."""
    said = (owner_row, *circumstances(content).values())
    return sha256(repr(said).encode()).digest()[:8]
