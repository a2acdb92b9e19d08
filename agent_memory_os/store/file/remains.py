"""What is left in a file of rows that were deleted: bytes that belong to nothing any more.

SQLite overwrites a deleted row with zeros (``secure_delete``), but not the copies that it left
behind when it moved rows between pages to balance its trees; some in a thousand deleted rows can
still be read there. This finds them: everything in a page that no row owns (the gap between the
pointers and the rows, free blocks, pages that are on the list of free ones) is searched for any
four bytes in a row of what was deleted. Pages of the write-ahead log are searched too.
"""

from __future__ import annotations

import os
import re
from collections.abc import Generator, Iterable, Iterator
from functools import cache

from agent_memory_os.store.file.connection import raw

GRAM = 4
"""How many bytes in a row count as a remnant."""

_BRANCHES, _LEAVES = frozenset({2, 5}), frozenset({10, 13})
_BRANCH_HEADER, _LEAF_HEADER = 12, 8
_FILE_HEADER = 100
_LOG_HEADER, _FRAME_HEADER = 32, 24
_CHUNK_PAGES = 256
_MOST_BYTES = 8_000_000
"""More dead bytes than this are not looked through: writing the file anew is quicker."""


def grams_of(texts: Iterable[str]) -> frozenset[bytes]:
    """Return every four bytes in a row of some texts."""
    found: set[bytes] = set()
    for text in texts:
        data = text.encode()
        found.update(data[at : at + GRAM] for at in range(len(data) - GRAM + 1))
    return frozenset(found)


def holds(path: str, page_size: int, grams: frozenset[bytes]) -> bool:
    """Say whether a file or its log holds any of the grams where no row owns them.

    The caller holds a snapshot, so that meanwhile the log is only added to: what is moved from page
    to page, or from the log into the file, is still in the log when that is searched, last of all.
    True also where there is more to look through than is worth it.
    """
    seen = 0
    for dead in _dead(path, page_size):
        for match in _stretch().finditer(dead):
            data = match[0]
            seen += len(data)
            if any(data[at : at + GRAM] in grams for at in range(len(data) - GRAM + 1)):
                return True
        if seen > _MOST_BYTES:
            return True
    return False


@cache
def _stretch() -> re.Pattern[bytes]:
    return re.compile(rb"[^\0]{%d,}" % GRAM)


def _dead(path: str, page_size: int) -> Iterator[bytes]:
    with raw(path) as descriptor:
        free = yield from _free_pages(descriptor, page_size)
        for number, page in _pages(descriptor, page_size):
            if number not in free:
                yield from dead_of(page, is_first=number == 1)
    for number, page in _frames(path + "-wal", page_size):
        yield from dead_of(page, is_first=number == 1)


def _pages(descriptor: int, page_size: int) -> Iterator[tuple[int, bytes]]:
    number = 1
    while chunk := os.pread(descriptor, _CHUNK_PAGES * page_size, (number - 1) * page_size):
        for at in range(0, len(chunk), page_size):
            yield number, chunk[at : at + page_size]
            number += 1


def _free_pages(descriptor: int, page_size: int) -> Generator[bytes, None, set[int]]:
    """Yield what is in the free pages, and return their numbers."""

    def page(number: int) -> bytes:
        return os.pread(descriptor, page_size, (number - 1) * page_size)

    found: set[int] = set()
    trunk = _number(page(1)[32:36])
    while trunk and trunk not in found:
        found.add(trunk)
        content = page(trunk)
        count = min(_number(content[4:8]), page_size // 4 - 2)
        leaves = [_number(content[8 + 4 * at : 12 + 4 * at]) for at in range(count)]
        yield content[8 + 4 * count :]
        for leaf in leaves:
            yield page(leaf)
        found.update(leaves)
        trunk = _number(content[:4])
    return found


def _frames(path: str, page_size: int) -> Iterator[tuple[int, bytes]]:
    try:
        file = open(path, "rb")  # noqa: SIM115 - closed below
    except FileNotFoundError:
        return
    with file:
        file.seek(_LOG_HEADER)
        while len(frame := file.read(_FRAME_HEADER + page_size)) == _FRAME_HEADER + page_size:
            yield _number(frame[:4]), frame[_FRAME_HEADER:]


def dead_of(page: bytes, *, is_first: bool) -> Iterator[bytes]:
    """Yield what no row owns in a page of a tree; nothing for a page of another kind."""
    start = _FILE_HEADER if is_first else 0
    if page[start] not in _BRANCHES | _LEAVES:
        return
    head = start + (_BRANCH_HEADER if page[start] in _BRANCHES else _LEAF_HEADER)
    cells = _number(page[start + 3 : start + 5])
    content = _number(page[start + 5 : start + 7]) or len(page)
    yield page[head + 2 * cells : content]
    block = _number(page[start + 1 : start + 3])
    while block:
        following, size = _number(page[block : block + 2]), _number(page[block + 2 : block + 4])
        yield page[block + 4 : block + size]
        block = following if following > block else 0


def _number(data: bytes) -> int:
    return int.from_bytes(data, "big")
