"""Looking for words in bytes, in whatever way somebody could have written them there.

As UTF-8 and UTF-16, as hexadecimal, base64 at each of its three offsets, percent-encoded and
escaped as JSON; in what base64 and hexadecimal stand for; and in what was packed, at any place.
"""

from __future__ import annotations

import base64
import re
import zlib
from collections.abc import Iterable, Iterator

_BASE64 = re.compile(rb"[A-Za-z0-9+/_-]{24,}={0,2}")
_HEX = re.compile(rb"(?:[0-9a-fA-F]{2}){12,}")
_PACKED = re.compile(rb"(?=\x78[\x01\x5e\x9c\xda])|(?=\x1f\x8b\x08)")
_MOST_INFLATED = 1_000_000
_DEPTH = 3


def forms(word: str) -> Iterator[bytes]:
    """Yield every way in which a word is looked for."""
    data = word.encode()
    yield from (data, data.upper(), word.encode("utf-16-le"), word.encode("utf-16-be"))
    yield from (data.hex().encode(), data.hex().upper().encode())
    yield from ("".join(f"%{byte:02{case}}" for byte in data).encode() for case in "xX")
    yield from ("".join(f"\\u{ord(one):04{case}}" for one in word).encode() for case in "xX")
    for offset in range(3):
        encoded = base64.b64encode(b"\0" * offset + data)
        # The first and the last of them depend on what stands beside the word.
        first = -(-offset * 8 // 6)
        last = (offset + len(data)) * 8 // 6
        yield encoded[first:last]


def words_in(data: bytes, words: Iterable[str]) -> set[str]:
    """Return those of some words that can be found in bytes."""
    by_form = {form: word for word in words for form in forms(word)}
    every = b"\n".join(layers(data))
    return {word for form, word in by_form.items() if form in every}


def layers(data: bytes, depth: int = _DEPTH) -> Iterator[bytes]:
    """Yield bytes, and what they are when they are unpacked and decoded, layer by layer."""
    yield data
    if depth == 0:
        return
    for inner in _inner(data):
        yield from layers(inner, depth - 1)


def _inner(data: bytes) -> Iterator[bytes]:
    for found in _PACKED.finditer(data):
        unpacked = _inflated(data[found.start() :])
        if unpacked:
            yield unpacked
    for found in _BASE64.finditer(data):
        text = found[0].rstrip(b"=").translate(bytes.maketrans(b"-_", b"+/"))
        yield base64.b64decode(text[: len(text) // 4 * 4])
    for found in _HEX.finditer(data):
        yield bytes.fromhex(found[0].decode())


def _inflated(data: bytes) -> bytes:
    try:
        return zlib.decompressobj(zlib.MAX_WBITS | 32).decompress(data, _MOST_INFLATED)
    except zlib.error:
        return b""
