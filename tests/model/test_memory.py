"""A memory's fields, limits, and the value of its content register."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory_os.errors import InvalidInput, InvalidTime, TooLarge, UsageError
from agent_memory_os.model.canonical import encode
from agent_memory_os.model.memory import (
    MAX_CONTENT_BYTES,
    MAX_LABEL,
    MAX_LIFE,
    MAX_REASON,
    MAX_SOURCE_BYTES,
    MAX_SOURCE_DEPTH,
    MAX_SUMMARY_BYTES,
    MAX_TAGS,
    MAX_TIME,
    MIN_TIME,
    SHAPES,
    TYPES,
    Content,
    Memory,
    check,
    circumstances,
    from_value,
    to_value,
)

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
LABELS = TEXTS.filter(str.strip)
TIMES = st.integers(MIN_TIME, MAX_TIME)
JSON = st.dictionaries(TEXTS, st.none() | st.booleans() | st.integers(-5, 5) | TEXTS, max_size=3)
PLAIN = Content("words", 1, 1)


@st.composite
def contents(draw: st.DrawFn) -> Content:
    """Draw a content that passes the check, each field at its default in about half of them."""
    fields: dict[str, Any] = {
        "type": draw(st.sampled_from(TYPES)),
        "summary": draw(st.just("") | TEXTS),
        "tags": tuple(draw(st.lists(LABELS, max_size=3))),
        "source": draw(st.just({}) | JSON),
        "author": draw(st.just("") | TEXTS),
        "session": draw(st.just("") | TEXTS),
        "position": draw(st.none() | st.integers(0, 3)),
        "event_at": draw(st.none() | TIMES),
        "confidence": draw(st.just(800) | st.integers(0, 1000)),
        "importance": draw(st.just(500) | st.integers(0, 1000)),
        "pinned": draw(st.booleans()),
        "valid_from": draw(st.none() | st.integers(0, 9)),
        "valid_to": draw(st.none() | st.integers(10, 19)),
        "expires_at": draw(st.none() | TIMES),
        "half_life_days": draw(st.none() | st.integers(0, 400)),
        "editor": draw(st.just("") | TEXTS),
        "reason": draw(st.just("") | TEXTS),
        "life": draw(st.sampled_from([1, 3, 5])),
    }
    return Content(draw(LABELS), draw(TIMES), draw(TIMES), **fields)


@given(contents())
def test_value_and_content_are_inverse(content: Content) -> None:
    """A content is read from its value as it was, and passes the check."""
    value = to_value(check(content))
    assert from_value(value) == (content, {})
    assert to_value(from_value(value)[0]) == value


@given(contents(), contents())
def test_two_contents_have_the_same_bytes_exactly_if_they_are_the_same(
    one: Content, other: Content
) -> None:
    """The canonical bytes of the value tell contents apart."""
    assert (encode(to_value(one)) == encode(to_value(other))) == (one == other)


def test_a_field_at_its_default_is_left_out() -> None:
    """The value of the plainest memory names the text, the two times and the type."""
    assert to_value(PLAIN) == {"content": "words", "created_at": 1, "updated_at": 1, "type": "note"}


def test_a_field_that_is_not_default_is_written() -> None:
    """Zero, false and empty are written where the default is another."""
    content = PLAIN._replace(confidence=0, importance=0, position=0, event_at=0, half_life_days=0)
    written = {"confidence": 0, "importance": 0, "position": 0, "event_at": 0, "half_life_days": 0}
    assert written.items() <= to_value(content).items()
    assert to_value(PLAIN._replace(tags=("a", "b")))["tags"] == ["a", "b"]


@given(contents(), st.dictionaries(st.sampled_from(["mood", "weather"]), TEXTS))
def test_unknown_fields_are_handed_back(content: Content, more: Mapping[str, object]) -> None:
    """What a newer version wrote beside the fields that are known is not lost."""
    assert from_value({**to_value(content), **more}) == (content, more)


def test_every_field_has_a_shape() -> None:
    """The table of shapes names each field of a content, in its order."""
    assert tuple(SHAPES) == Content._fields


@pytest.mark.parametrize("name", Content._fields)
@pytest.mark.parametrize("value", [object(), 1.5, b"x", -(2**70)])
def test_a_field_of_another_type_is_refused(name: str, value: Any) -> None:  # noqa: ANN401
    """No field takes a value of a type that has no place in a register, and the field is named."""
    with pytest.raises(InvalidInput, match=f"The {name} of a memory "):
        check(PLAIN._replace(**{name: value}))


@pytest.mark.parametrize("name", ["content", "type", "summary", "tags", "source", "confidence"])
def test_only_some_fields_may_be_absent(name: str) -> None:
    """A field that always has a value does not take None."""
    with pytest.raises(InvalidInput, match=f"The {name} of a memory "):
        check(PLAIN._replace(**cast("dict[str, Any]", {name: None})))


@pytest.mark.parametrize(
    ("changes", "error", "words"),
    [
        ({"content": ""}, InvalidInput, "empty"),
        ({"content": " \n\t\u3000"}, InvalidInput, "empty"),
        ({"content": "x" * (MAX_CONTENT_BYTES + 1)}, TooLarge, "1,048,577"),
        ({"content": "é" * MAX_CONTENT_BYTES}, TooLarge, "Split it"),
        ({"type": "rumour"}, InvalidInput, "the types are preference, fact"),
        ({"summary": "é" * MAX_SUMMARY_BYTES}, TooLarge, "A summary"),
        ({"tags": ("a",) * (MAX_TAGS + 1)}, TooLarge, "at most 64 tags"),
        ({"tags": ("a", " ")}, InvalidInput, "A tag needs"),
        ({"tags": ("x" * (MAX_LABEL + 1),)}, TooLarge, "A tag has at most 200"),
        ({"author": "x" * (MAX_LABEL + 1)}, TooLarge, "A author"),
        ({"session": "x" * (MAX_LABEL + 1)}, TooLarge, "A session"),
        ({"reason": "x" * (MAX_REASON + 1)}, TooLarge, "A reason"),
        ({"source": {"a": "x" * MAX_SOURCE_BYTES}}, TooLarge, "A source"),
        ({"confidence": 1001}, InvalidInput, "confidence of a memory lies between 0 and 1"),
        ({"importance": -1}, InvalidInput, "importance of a memory lies between 0 and 1"),
        ({"pinned": 1}, InvalidInput, "pinned of a memory is true or false"),
        ({"half_life_days": -1}, InvalidInput, "half_life_days of a memory is a whole number"),
        ({"life": MAX_LIFE + 2}, InvalidInput, "nobody can have come to"),
        ({"life": 2}, InvalidInput, "life of a memory is an odd number"),
        ({"tags": "abc"}, InvalidInput, "tags of a memory are texts"),
        ({"valid_from": 5, "valid_to": 5}, InvalidInput, "must come after"),
        ({"valid_from": 5, "valid_to": 4}, InvalidInput, "must come after"),
        ({"event_at": MAX_TIME + 1}, InvalidTime, "event_at .* years 1 to 9999"),
        ({"expires_at": MIN_TIME - 1}, InvalidTime, "expires_at .* years 1 to 9999"),
        ({"created_at": 2**60}, InvalidTime, "created_at"),
    ],
)
def test_what_is_out_of_bounds_is_refused(
    changes: dict[str, Any], error: type[UsageError], words: str
) -> None:
    """Each limit has an error of its own that says what was wrong."""
    with pytest.raises(error, match=words):
        check(PLAIN._replace(**changes))


def test_the_limits_themselves_are_within_bounds() -> None:
    """A memory may have as much of everything as the limits say."""
    label = "x" * MAX_LABEL
    content = PLAIN._replace(
        content="x" * MAX_CONTENT_BYTES,
        summary="x" * MAX_SUMMARY_BYTES,
        tags=(label,) * MAX_TAGS,
        author=label,
        session=label,
        reason="x" * MAX_REASON,
        valid_from=MIN_TIME,
        valid_to=MAX_TIME,
    )
    assert check(content) is content


def test_the_source_is_not_nested_without_end() -> None:
    """A source has room for what is nested 32 deep, and the register around it stays writable."""
    source: dict[str, object] = {}
    for _ in range(MAX_SOURCE_DEPTH - 1):
        source = {"a": source}
    assert check(PLAIN._replace(source=source))
    with pytest.raises(InvalidInput, match="too deeply"):
        check(PLAIN._replace(source={"a": source}))


def test_a_memory_gives_its_words_and_weights() -> None:
    """The text of a memory is its content's, and so are its weights, as fractions."""
    content = PLAIN._replace(confidence=950, importance=0)
    memory = Memory("mem_x", "agt_x", "scout", content, (), "active", 1)
    assert (memory.text, memory.confidence, memory.importance) == ("words", 0.95, 0.0)


@pytest.mark.parametrize(
    ("fields", "state"),
    [
        ({}, "active"),
        ({"expires_at": 11}, "active"),
        ({"expires_at": 10}, "expired"),
        ({"valid_to": 10}, "expired"),
        ({"valid_from": 10, "valid_to": 11}, "active"),
        ({"valid_from": 11}, "expired"),
    ],
)
def test_what_is_no_longer_offered_is_expired(fields: dict[str, int], state: str) -> None:
    """A memory is offered from when it is valid until it ends, and not at its end."""
    content = PLAIN._replace(**fields)  # type: ignore[arg-type]
    memory = Memory("mem_x", "agt_x", "scout", content, (), "active", 1)
    assert memory.state_at(10) == state
    assert memory._replace(state="forgotten").state_at(10) == "forgotten"


@given(contents(), contents())
def test_what_says_the_same_agrees_in_its_circumstances(one: Content, other: Content) -> None:
    """How a memory is filed is no circumstance, and everything else that it says is one."""
    filed = ("summary", "tags", "source", "confidence", "importance", "pinned", "half_life_days")
    kept = {name: getattr(one, name) for name in (*filed, "editor", "reason", "life")}
    same = other._replace(created_at=one.created_at, updated_at=one.updated_at, **kept)
    assert (circumstances(one) == circumstances(other)) == (one == same)
