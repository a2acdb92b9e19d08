"""Writing a bundle: parts go in, lines come out, and no more than a chunk is held.

A bundle is its manifest and its chunks, one on a line. A part is lines of one scope; they are put
into chunks whole, as many as fit. A line that is longer than a chunk goes on in the next one: what
does not end with a line end is not at its end.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from itertools import chain, groupby
from typing import NamedTuple

from agent_memory_os.federation.bundle.chunk import MAX_BODY_BYTES, Chunk, closed, first
from agent_memory_os.federation.bundle.manifest import begin, cipher
from agent_memory_os.federation.bundle.seal import KEY_BYTES
from agent_memory_os.federation.identity import Device, PublicDevice


class Part(NamedTuple):
    """Lines of one scope, each with its line end; the scope is empty for what is of none."""

    scope: str
    lines: Iterable[bytes]


def written(
    sender: Device,
    recipients: Iterable[PublicDevice],
    parts: Iterable[Part],
    *,
    bundle: str,
    now: int,
) -> Iterator[bytes]:
    """Yield the lines of a bundle; ``bundle`` is its id, a nonce in hex that is used once."""
    key = os.urandom(KEY_BYTES)
    manifest, line = begin(sender, recipients, bundle, now, key)
    fernet, place = cipher(key), first(manifest, line)
    yield line
    for scope, body, is_last in _with_end(_bodies(parts)):
        line = closed(Chunk(place.number, is_last, scope, body), place, fernet, sender)
        place = place.after(line)
        yield line


def _bodies(parts: Iterable[Part]) -> Iterator[tuple[str, bytes]]:
    """Yield what chunks hold: parts of one scope that follow each other share them."""
    for scope, some in groupby(parts, key=lambda part: part.scope):
        held = bytearray()
        for line in chain.from_iterable(part.lines for part in some):
            if held and len(held) + len(line) > MAX_BODY_BYTES:
                yield scope, bytes(held)
                held.clear()
            held += line
            while len(held) > MAX_BODY_BYTES:
                yield scope, bytes(held[:MAX_BODY_BYTES])
                del held[:MAX_BODY_BYTES]
        if held:
            yield scope, bytes(held)


def _with_end(bodies: Iterator[tuple[str, bytes]]) -> Iterator[tuple[str, bytes, bool]]:
    # A bundle of nothing has a chunk too: without a last one it would be cut off.
    scope, body = next(bodies, ("", b""))
    for following in bodies:
        yield scope, body, False
        scope, body = following
    yield scope, body, True
