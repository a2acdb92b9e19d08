"""What a file says of itself in its first bytes, read without SQLite touching it.

A file that is damaged, foreign or of a newer version is recognised here where that can be seen
from outside, before anything is opened that might recover, checkpoint or create something.
"""

from __future__ import annotations

import os

from agent_memory_os.errors import DamagedDatabase, ForeignDatabase, NewerSchema
from agent_memory_os.store.file.connection import raw
from agent_memory_os.value import NamedTuple

APPLICATION_ID = 1095585619
"""The letters AMOS, in the header of each of our files."""

HEADER_BYTES = 100
_MAGIC = b"SQLite format 3\x00"
_FIRST_PAGE_HEADER = 8
_LEAF = 13
_WAL = 2


class Header(NamedTuple):
    """The first bytes of a database, as far as they tell what it is.

    ``has_content`` tells whether anything is in the schema; where a write-ahead log lies beside
    the file, the log may know better.
    """

    page_size: int
    is_wal: bool
    application: int
    version: int
    has_content: bool


def read_header(path: str) -> Header | None:
    """Return a file's header, or ``None`` for one that is missing or empty.

    Raises :class:`DamagedDatabase` for a file that does not begin as a database does.
    """
    try:
        with raw(path) as descriptor:
            head = os.pread(descriptor, HEADER_BYTES + _FIRST_PAGE_HEADER, 0)
    except FileNotFoundError:
        return None
    if not head:
        return None
    if not head.startswith(_MAGIC) or len(head) < HEADER_BYTES + _FIRST_PAGE_HEADER:
        raise DamagedDatabase(
            f"{path} is no SQLite database (its first bytes are wrong); it was left as it is.",
            "doctor",
        )
    first_page, cells = head[HEADER_BYTES], head[HEADER_BYTES + 3 : HEADER_BYTES + 5]
    return Header(
        # A page of 65,536 bytes does not fit into the two bytes, and is written as 1.
        page_size=_number(head[16:18]) if _number(head[16:18]) > 1 else 65_536,
        is_wal=head[18] == _WAL,
        application=_number(head[68:72]),
        version=_number(head[60:64]),
        has_content=first_page != _LEAF or any(cells),
    )


def recognise(path: str, newest: int) -> Header | None:
    """Return the header of a file that may be opened, or ``None`` where nothing is there yet.

    ``newest`` is the highest version that this program knows. Raises what :func:`read_header`
    raises, :class:`ForeignDatabase` and :class:`NewerSchema`.
    """
    header = read_header(path)
    if header is not None:
        refuse(path, newest, header.application, header.version, has_content=header.has_content)
    return header


def refuse(path: str, newest: int, application: int, version: int, *, has_content: bool) -> None:
    """Raise for what a file says of itself if it is not for this program to open."""
    if application != APPLICATION_ID:
        if application or has_content:
            raise ForeignDatabase(
                f"{path} is a database of another program; it was left as it is.", "other_home"
            )
    elif version > newest:
        raise NewerSchema(
            f"{path} was written by a newer version (schema {version}; this program knows "
            f"{newest}). Update agent-memory-node; the file was left as it is."
        )


def _number(data: bytes) -> int:
    return int.from_bytes(data, "big")
