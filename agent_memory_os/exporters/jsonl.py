"""The export of Agent Memory OS, ``agent-memory/1``: values in, lines out.

The first line is the header, then comes one record a line: ``kind`` first, and then the fields in
the order below; what is nested, and what has no place there, is in the order of names. Text is
UTF-8 as it stands. So one state of a node has one export, byte for byte, if the records come in
one order: agents, teams, projects, members, memories and links, each in the order of its ids.

A memory whose older versions make its line longer than :data:`MAX_LINE_BYTES` is written without
them, and each follows it on a line of its own (``version``), so that a reader need never hold a
line of any length.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence

FORMAT = "agent-memory/1"
MAX_LINE_BYTES = 4_194_304
MEMORY_LINE = '{"kind":"memory",'
"""How the line of a memory begins."""

_ORDER: Mapping[str, tuple[str, ...]] = {
    "agent": ("id", "name", "first_name", "agent_kind", "display_name", "notes"),
    "team": ("id", "name", "nonce", "founder", "notes"),
    "project": ("id", "name", "nonce", "team", "notes"),
    "member": ("scope", "agent"),
    "memory": (
        "id",
        "owner",
        "owner_name",
        "nonce",
        "value",
        "audience",
        "state",
        "versions",
        "allow_secrets",
    ),
    "link": ("src", "dst", "relation", "weight", "by"),
}

_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode


def lines(
    *, account: str, node: str, exported_at: int, records: Iterable[Mapping[str, object]]
) -> Iterator[str]:
    """Yield the lines of an export, each with its line end.

    Each record has a ``kind`` and the fields of that kind; ``exported_at`` is in milliseconds of
    UTC.
    """
    yield _line({"format": FORMAT, "exported_at": exported_at, "account": account, "node": node})
    for record in records:
        yield from _record(record)


def _record(record: Mapping[str, object]) -> Iterator[str]:
    line = _line(_ordered(record))
    versions = record.get("versions")
    if not isinstance(versions, Sequence) or not versions or _fits(line):
        yield line
        return
    yield _line(_ordered({**record, "versions": []}))
    for version in versions:
        yield _line({"kind": "version", "memory": record["id"], "version": _sorted(version)})


def _fits(line: str) -> bool:
    # A character takes at most four bytes: most lines need not be encoded to be measured.
    return len(line) * 4 <= MAX_LINE_BYTES or len(line.encode()) <= MAX_LINE_BYTES


def _ordered(record: Mapping[str, object]) -> dict[str, object]:
    kind = str(record["kind"])
    first = ("kind", *_ORDER.get(kind, ()))
    known = [name for name in first if name in record]
    others = sorted(name for name in record if name not in first)
    return {name: _sorted(record[name]) for name in (*known, *others)}


def _sorted(value: object) -> object:
    if isinstance(value, Mapping):
        return {name: _sorted(value[name]) for name in sorted(value)}
    if isinstance(value, (list, tuple)):
        return [_sorted(item) for item in value]
    return value


def _line(value: Mapping[str, object]) -> str:
    return _encode(value) + "\n"
