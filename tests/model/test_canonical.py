"""Canonical JSON: one value, one sequence of bytes."""

from __future__ import annotations

import json
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory_os.errors import InvalidInput
from agent_memory_os.model.canonical import (
    MAX_DEPTH,
    MAX_INTEGER,
    MIN_INTEGER,
    SHAPES,
    digest,
    encode,
    fits,
)

INTEGERS = st.integers(MIN_INTEGER, MAX_INTEGER)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
LEAVES = st.none() | st.booleans() | INTEGERS | TEXTS
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner), max_leaves=20
)


def is_same(one: object, other: object) -> bool:
    """Say whether two values are the same in JSON, where true is not 1."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(is_same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(is_same, one, other))
    return type(one) is type(other) and one == other


def nested(depth: int) -> object:
    """Give lists inside each other, ``depth`` of them."""
    value: object = []
    for _ in range(depth - 1):
        value = [value]
    return value


def test_the_bytes_are_those_of_the_protocol() -> None:
    """Keys are sorted by code point, there is no white space, and text stands as it is."""
    value = {"b": [1, True, None], "a": 'é"\\\n\x01\x7f/', "Z": {"\U0001f600": 1, "\uffff": 2}}
    expected = '{"Z":{"\uffff":2,"\U0001f600":1},"a":"é\\"\\\\\\n\\u0001\x7f/","b":[1,true,null]}'
    assert encode(value) == expected.encode()


def test_a_tuple_is_an_array() -> None:
    """A tuple is written as a list is."""
    assert encode((1, ("a",))) == encode([1, ["a"]]) == b'[1,["a"]]'


@given(VALUES)
def test_what_was_written_reads_back(value: object) -> None:
    """Reading canonical bytes gives the value that was written, and writing it again the bytes."""
    data = encode(value)
    assert is_same(json.loads(data), value)
    assert encode(json.loads(data)) == data


@given(VALUES, VALUES)
def test_bytes_are_equal_if_and_only_if_values_are(one: object, other: object) -> None:
    """Two values have the same bytes exactly if they are the same value."""
    assert (encode(one) == encode(other)) == is_same(one, other)


@given(st.dictionaries(TEXTS, INTEGERS))
def test_the_order_of_keys_is_the_order_of_their_bytes(value: dict[str, int]) -> None:
    """Sorting keys by code point is sorting them by their UTF-8, whatever order they came in."""
    backwards = dict(reversed(list(value.items())))
    assert encode(value) == encode(backwards)
    assert list(json.loads(encode(value))) == sorted(value, key=str.encode)


@pytest.mark.parametrize("value", [1.5, float("nan"), b"x", {1}, object(), [0.0], {"a": 2.0}])
def test_other_types_have_no_bytes(value: object) -> None:
    """Fractions and whatever is not JSON is refused, at any depth."""
    with pytest.raises(InvalidInput, match="no canonical form"):
        encode(value)


@pytest.mark.parametrize("value", [MAX_INTEGER + 1, MIN_INTEGER - 1, [2**70], {"a": -(2**64)}])
def test_numbers_have_64_bits(value: object) -> None:
    """An integer that does not fit into 64 bits is refused."""
    with pytest.raises(InvalidInput, match="64 bits"):
        encode(value)


@pytest.mark.parametrize("value", ["\ud800", {"\udfff": 1}, ["a\udc00b"]])
def test_a_lone_surrogate_has_no_bytes(value: object) -> None:
    """A lone surrogate is refused, in text and in a key."""
    with pytest.raises(InvalidInput, match="surrogate"):
        encode(value)


def test_keys_are_text() -> None:
    """A key that is not text is refused, for JSON would write it as one that is."""
    with pytest.raises(InvalidInput, match="names of fields"):
        encode({1: "a"})


def test_the_depth_is_bounded() -> None:
    """What is nested 64 deep has bytes, and what is nested deeper is refused by every program."""
    assert encode(nested(MAX_DEPTH)) == b"[" * MAX_DEPTH + b"]" * MAX_DEPTH
    with pytest.raises(InvalidInput, match="too deeply"):
        encode(nested(MAX_DEPTH + 1))
    with pytest.raises(InvalidInput, match="too deeply"):
        encode(nested(100_000))
    with pytest.raises(InvalidInput, match="too deeply"):
        encode({"a": {"b": {}}}, 2)


def test_the_digest_is_of_the_bytes() -> None:
    """The digest is the SHA-256 of the canonical bytes."""
    assert digest({"a": 1}) == sha256(b'{"a":1}').digest()


@pytest.mark.parametrize(
    ("shape", "good", "bad"),
    [
        ("text", ["", "a"], [1, None, b"a"]),
        ("integer", [0, -5, MAX_INTEGER, MIN_INTEGER], [True, 1.0, "1", MAX_INTEGER + 1]),
        ("count", [0, MAX_INTEGER], [-1, False, 2**64]),
        ("positive", [1, MAX_INTEGER], [0, True, 2**64]),
        ("odd", [1, 3], [0, 2, -1, True]),
        ("thousandths", [0, 1000], [-1, 1001, True, 0.5]),
        ("flag", [True, False], [0, 1, None]),
        ("texts", [[], ["a"], ("a",)], ["a", [1], None]),
        ("digest", ["0f" * 32], ["0F" * 32, "0f" * 31, 5]),
        ("key", ["0f" * 32], ["0g" * 32]),
        ("account", ["acc_" + "a" * 32], ["agt_" + "a" * 32, "acc_", 5]),
        ("digests", [[], ("0f" * 32,)], ["0f" * 32, ["0f"], [5]]),
        ("object", [{}], [[], None]),
        ("add|remove", ["add", "remove"], ["", "add|remove", 1]),
    ],
)
def test_shapes(shape: str, good: list[object], bad: list[object]) -> None:
    """A shape takes what it names and nothing else; a flag is no number."""
    assert [value for value in good if not fits(value, shape)] == []
    assert [value for value in bad if fits(value, shape)] == []


def test_every_shape_is_tried_above() -> None:
    """No shape is left out of the examples."""
    (mark,) = test_shapes.pytestmark  # type: ignore[attr-defined]
    tried = {case[0] for case in mark.args[1]}
    assert set(SHAPES) <= tried
