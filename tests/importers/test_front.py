"""Front matters as people and agents write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory_os.importers.front import MAX_LINES, split


def test_the_usual_forms_are_read() -> None:
    """Plain and quoted text, lists of three forms, nested keys, folded text and comments."""
    matter = split(
        "---\n# by hand\nname: a: b # why\nquoted: \"x # y\"\ntags: [a, 'b']\nwords: a, b\n"
        'list:\n- x\n- "y"\nmetadata:\n  type: user\n  at: 2026\nlong: >\n  one\n  two\n'
        "more: one\n  two\nempty:\ndeep:\n  - a: b\n    c: d\n---\nbody\n"
    )
    assert matter.fields == {
        "name": "a: b",
        "quoted": "x # y",
        "tags": ["a", "b"],
        "words": "a, b",
        "list": ["x", "y"],
        "metadata": {"type": "user", "at": "2026"},
        "long": "one two",
        "more": "one two",
        "empty": "",
        "deep": ["a: b"],
    }
    assert matter.body == "body\n"
    assert matter.line == 23


def test_fields_are_asked_for_by_what_they_should_be() -> None:
    """A field of another form than is asked for counts as absent."""
    matter = split("---\ntags: '#a, b'\nlist: [x]\nnested:\n  k: v\n---\n")
    assert matter.words("tags") == ("a", "b")
    assert matter.words("list") == ("x",)
    assert matter.words("absent") == ()
    assert matter.word("list", "absent") == ""
    assert matter.nested("nested", "k") == "v"
    assert matter.nested("tags", "k") == ""


@pytest.mark.parametrize(
    "text",
    [
        "words\n---\n",
        "---",
        "---\n",
        "---\nname: a\n",
        "---\n\n---\nwords",
        "---\nThe till is counted\n---\nwords",
        "--- a\nname: b\n---\n",
        "---\n" + "name: a\n" * (MAX_LINES + 1) + "---\n",
        "- a\n",
        "",
    ],
)
def test_what_is_no_front_matter_stays_words(text: str) -> None:
    """A text between rules, and a front matter that does not end, keep all of their lines."""
    assert split(text) == ({}, text, 1)


@given(st.text(alphabet="-: \n[]'\"#>|ab\0,.", max_size=120))
def test_any_text_can_be_split(text: str) -> None:
    """Whatever stands there, the body is an end of the text."""
    matter = split("---\n" + text)
    assert ("---\n" + text).endswith(matter.body)
    assert matter.line >= 1
