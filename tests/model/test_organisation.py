"""The rules for names of agents, teams and projects."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory_os.errors import InvalidInput, UnknownAudience
from agent_memory_os.model.audience import Grant, parse
from agent_memory_os.model.identifier import derive, kind_of
from agent_memory_os.model.organisation import MAX_NAME, check_name


@pytest.mark.parametrize(
    "name", ["a", "scout", "Scout-2", "v1.0", "a_b", "9lives", "équipe", "团队", "x" * MAX_NAME]
)
def test_plain_names_are_legal(name: str) -> None:
    """Letters of any script, digits, and marks between them make a name."""
    assert check_name("agent", name) == name


@pytest.mark.parametrize(
    "name",
    [
        "",
        " ",
        "a b",
        "-a",
        "a-",
        "_a",
        "a.",
        ".",
        "a/b",
        "a:b",
        "a,b",
        "a\n",
        "\na",
        "a\x00b",
        "*",
        "x" * (MAX_NAME + 1),
        "\ud800",
        "a\u200bb",
        "a\u202eb",
        "😀",
    ],
)
def test_what_could_be_mistaken_is_no_name(name: str) -> None:
    """A name has no white space, no mark of the grammar, nothing invisible, and is not too long."""
    with pytest.raises(InvalidInput, match="cannot be the name of a team"):
        check_name("team", name)


@pytest.mark.parametrize("name", ["global", "Private", "OPERATOR", "all", "none", "default"])
def test_words_with_a_meaning_are_no_names(name: str) -> None:
    """A word of the audience grammar or of the command line is no name, in any case."""
    with pytest.raises(InvalidInput, match="has a meaning"):
        check_name("agent", name)


@pytest.mark.parametrize("kind", ["agent", "team", "project", "memory"])
def test_an_id_is_no_name(kind: str) -> None:
    """Nobody can be named so that a name is taken for an id."""
    with pytest.raises(InvalidInput, match="has a meaning"):
        check_name("agent", derive(kind, "x"))


def test_the_two_ways_to_write_an_accent_are_one_name() -> None:
    """A name comes back in NFC."""
    assert check_name("agent", "e\u0301quipe") == "équipe"


@given(st.text(max_size=MAX_NAME + 2))
def test_a_legal_name_stays_itself(name: str) -> None:
    """Whatever passes is in NFC, passes again as it is, is no id, and can be shared with."""
    try:
        plain = check_name("agent", name)
    except InvalidInput:
        return
    assert plain == unicodedata.normalize("NFC", name) == check_name("agent", plain)
    assert kind_of(plain) is None
    assert parse(f"agent:{plain}") == (Grant("agent", plain),)
    with pytest.raises(UnknownAudience):
        parse(plain)
