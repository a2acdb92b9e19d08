"""A statement is read to what was signed and written again byte for byte, or refused."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory_os.errors import InvalidInput, TooLarge
from agent_memory_os.federation.statement import (
    MAX_VALUES,
    SIGNATURE,
    from_line,
    holds,
    line_of,
    signed,
    to_line,
)
from agent_memory_os.model.canonical import encode
from tests.federation.sample import ANN, BOB, FIELDS

DOMAIN = b"test 1\n"
MOST = 1_048_576
SIGNED = "0" * 128


def read(text: str) -> object:
    """Read a line within the limit of the tests."""
    return from_line(text.encode(), MOST)


@given(FIELDS.filter(lambda fields: SIGNATURE not in fields))
def test_a_statement_survives(fields: Mapping[str, Any]) -> None:
    """Whatever the fields, they are read as they were signed, and written byte for byte."""
    line = to_line(signed(DOMAIN, fields, ANN.sign))
    found = from_line(line, MOST)
    assert to_line(found) == line
    assert holds(DOMAIN, found, ANN.public.sign)


@given(FIELDS.filter(lambda fields: SIGNATURE not in fields))
def test_what_was_signed_is_cut_out_of_the_line(fields: Mapping[str, Any]) -> None:
    """The part of a line that was signed is what its fields are encoded to."""
    line = to_line(signed(DOMAIN, fields, ANN.sign))
    assert from_line(line, MOST).body == encode(fields)


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"a": 1},
        {"z": 1},
        {"a": 1, "z": 1},
        {"a": {SIGNATURE: SIGNED}},
        {"z": [{SIGNATURE: SIGNED, "z": 1}], "a": {"a": 1, SIGNATURE: SIGNED}},
        {'"' + SIGNATURE: SIGNED},
        {"\\" + SIGNATURE: SIGNED},
        {"a": f'"{SIGNATURE}":"{SIGNED}"'},
        {"a": f'\\","{SIGNATURE}":"{SIGNED}"'},
    ],
)
def test_what_looks_like_the_signature_stays(fields: Mapping[str, Any]) -> None:
    """Only the signature of the statement is cut out, and not what looks the same inside of it."""
    line = line_of(fields, bytes(64))
    assert from_line(line, MOST).body == encode(fields)
    assert from_line(line[:-1], MOST).body == encode(fields)


@given(FIELDS.filter(lambda fields: SIGNATURE not in fields), st.integers(0, 511))
def test_nothing_else_holds(fields: Mapping[str, Any], bit: int) -> None:
    """Another signature, key, domain or field does not hold."""
    statement = signed(DOMAIN, fields, ANN.sign)
    other = bytearray(statement.signature)
    other[bit // 8] ^= 1 << bit % 8
    assert not holds(DOMAIN, statement._replace(signature=bytes(other)), ANN.public.sign)
    assert not holds(DOMAIN, statement, BOB.public.sign)
    assert not holds(b"test 2\n", statement, ANN.public.sign)
    more = {**fields, "one more": 1}
    line = line_of(more, statement.signature)
    assert not holds(DOMAIN, from_line(line, MOST), ANN.public.sign)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("", "not JSON"),
        ("{", "not JSON"),
        ("\xff", "not JSON"),
        ("[1]", "no JSON object"),
        ('"a"', "no JSON object"),
        ("{}", "no signature"),
        (f'{{"signature":"{SIGNED[1:]}"}}', "no signature"),
        (f'{{"signature":"{SIGNED[1:]}A"}}', "no signature"),
        ('{"signature":1}', "no signature"),
        (f'{{"signature": "{SIGNED}"}}', "canonical"),
        (f'{{"b":1,"a":1,"signature":"{SIGNED}"}}', "canonical"),
        (f'{{"a":1,"a":1,"signature":"{SIGNED}"}}', "canonical"),
        (f'{{"a":1.0,"signature":"{SIGNED}"}}', "canonical"),
        (f'{{"a":NaN,"signature":"{SIGNED}"}}', "canonical"),
        (f'{{"a":-0,"signature":"{SIGNED}"}}', "canonical"),
        (f'{{"a":{2**63},"signature":"{SIGNED}"}}', "canonical"),
        (f'{{"a":"\\ud800","signature":"{SIGNED}"}}', "canonical"),
        (f'{{"a":"\\u0041","signature":"{SIGNED}"}}', "canonical"),
        (f'{{"a":{"[" * 64}{"]" * 64},"signature":"{SIGNED}"}}', "canonical"),
        (f'{{"signature":"{SIGNED}"}}\n\n', "canonical"),
        ("[" * 60_000, "nested"),
        ('{"a":' + "9" * 5000 + "}", "not JSON"),
    ],
)
def test_what_is_no_statement(line: str, reason: str) -> None:
    """Each kind of line that is none is refused, and told why."""
    with pytest.raises(InvalidInput, match=reason):
        read(line)


def test_a_line_may_lack_its_end() -> None:
    """The last line of a file is one without a line end too."""
    line = to_line(signed(DOMAIN, {"a": 1}, ANN.sign))
    assert from_line(line[:-1], MOST) == from_line(line, MOST)


def test_bytes_that_are_no_text_are_refused() -> None:
    """A line that is not UTF-8 is no statement."""
    with pytest.raises(InvalidInput, match="not JSON"):
        from_line(b'{"a":"\xff"}', MOST)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-8-sig"])
def test_other_encodings_are_refused(encoding: str) -> None:
    """JSON in another encoding is no statement, and its values are not read at all."""
    text = '{"a":"\\"","b":[' + "[]," * 1_000_000 + "0]}"
    line = text.encode(encoding)
    tracemalloc.start()
    try:
        with pytest.raises((InvalidInput, TooLarge)):
            from_line(line, len(line))
        assert tracemalloc.get_traced_memory()[1] < 4 * len(line)
    finally:
        tracemalloc.stop()


def test_lines_are_measured_before_they_are_read() -> None:
    """What is too long, or holds too many values, is refused for that."""
    with pytest.raises(TooLarge, match="longer than 10 bytes"):
        from_line(b"[" * 11, 10)
    for filler in ("[],", "0,", '"",', '{"a":0},'):
        values = json.loads(f"[{filler * MAX_VALUES}0]")
        line = to_line(signed(DOMAIN, {"a": values}, ANN.sign))
        with pytest.raises(TooLarge, match="values"):
            from_line(line, len(line))


def test_a_long_text_is_no_crowd_of_values() -> None:
    """Commas, brackets and quotation marks inside of a text are not counted as values."""
    text = '\\",[{' * 100_000
    line = to_line(signed(DOMAIN, {"a": text}, ANN.sign))
    assert from_line(line, len(line)).fields == {"a": text}


@pytest.mark.parametrize("piece", ["[],", '"",', '"a":0,', "[[", "\\\\", '\\"', "9", '{"":', "é"])
@pytest.mark.parametrize("start", ['{"a":[', "[", '"'])
def test_a_hostile_line_takes_bounded_memory(start: str, piece: str) -> None:
    """A line of whatever pieces takes no more than some times its own length."""
    size = 4_194_304
    line = (start + piece * (size // len(piece.encode()))).encode()
    tracemalloc.start()
    try:
        with pytest.raises((InvalidInput, TooLarge)):
            from_line(line, 2 * size)
        assert tracemalloc.get_traced_memory()[1] < 8 * size
    finally:
        tracemalloc.stop()


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    """No bytes at all raise anything but a refusal."""
    try:
        written = to_line(from_line(data, MOST)).removesuffix(b"\n")
    except InvalidInput:
        written = b""
    assert written in (b"", data.removesuffix(b"\n"))
