"""What was said over a connection, read as HTTP: one request and its answer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tests.acceptance.between.way import Said


class Part(NamedTuple):
    """A request or an answer: its first line, its headers by lower-case name, and its body."""

    first: str
    headers: dict[str, str]
    body: bytes


class Exchange(NamedTuple):
    """A request that went over a way, as bytes and as its parts; its answer, if it came whole."""

    asker: str
    answerer: str
    raw: bytes
    asked: Part
    said: bytes
    answered: Part | None

    @property
    def target(self) -> str:
        """What was asked for."""
        return self.asked.first.split(" ")[1]


def exchanges(said: list[Said]) -> Iterator[Exchange]:
    """Yield each request that came whole over the ways."""
    for one in said:
        asked = part_of(bytes(one.asked))
        if asked is not None:
            asker, _, answerer = one.way.partition(" to ")
            raw, back = bytes(one.asked), bytes(one.answered)
            yield Exchange(asker, answerer, raw, asked, back, part_of(back))


def part_of(data: bytes) -> Part | None:
    """Return a message as its parts; nothing where it is not whole."""
    head, end, rest = data.partition(b"\r\n\r\n")
    if not end:
        return None
    first, *lines = head.decode("latin-1").split("\r\n")
    pairs = (line.partition(":") for line in lines)
    headers = {name.lower(): value.strip() for name, _, value in pairs}
    if headers.get("transfer-encoding") == "chunked":
        body = _dechunked(rest)
    else:
        length = int(headers.get("content-length", "0"))
        body = rest[:length] if len(rest) >= length else None
    return None if body is None else Part(first, headers, body)


def _dechunked(data: bytes) -> bytes | None:
    found = b""
    while True:
        size, end, data = data.partition(b"\r\n")
        if not end:
            return None
        length = int(size, 16)
        if length == 0:
            return found
        if len(data) < length + 2:
            return None
        found, data = found + data[:length], data[length + 2 :]
