"""What is looked for on the way is found there, however it is written."""

from __future__ import annotations

import base64
import gzip
import json
import urllib.parse
import zlib

import pytest

from tests.acceptance.between.search import words_in

WORD = "zq4711zq"
TEXT = f"before {WORD} after".encode()
PUT = {
    "plain": TEXT,
    "utf-16": TEXT.decode().encode("utf-16"),
    "hex": TEXT.hex().encode(),
    "percent": "".join(f"%{byte:02X}" for byte in TEXT).encode(),
    "quoted": urllib.parse.quote(TEXT).encode(),
    "json": json.dumps(TEXT.decode()).encode(),
    "escaped": "".join(f"\\u{byte:04x}" for byte in TEXT).encode(),
    "packed": b"head" + zlib.compress(TEXT),
    "gzip": gzip.compress(TEXT),
    "packed in base64": b'{"x":"' + base64.urlsafe_b64encode(zlib.compress(TEXT)) + b'"}',
    **{f"base64 at {at}": base64.b64encode(b"x" * at + TEXT) for at in range(3)},
    **{f"short base64 at {at}": base64.b64encode(b"x" * at + WORD.encode()) for at in range(3)},
}


@pytest.mark.parametrize("how", PUT)
def test_a_word_is_found_however_it_is_written(how: str) -> None:
    """In each encoding the word is found, and a word that is not there is not."""
    assert words_in(b"\0\xff" + PUT[how] + b"\r\n", [WORD, "zq0815zq"]) == {WORD}
