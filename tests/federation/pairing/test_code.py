"""Codes that people say and type."""

from __future__ import annotations

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory_os.errors import InvalidInput, LimitReached
from agent_memory_os.federation.pairing import code
from agent_memory_os.federation.pairing.code import Code

SAID = Code(417, ("orbit", "violin", "cable"))


def test_a_code_has_a_number_and_three_words() -> None:
    """A code is drawn from all words, with a number that no other has."""
    drawn = code.drawn({one for one in range(100, 1000) if one != 417}, os.urandom)
    assert drawn.number == 417
    assert len(drawn.words) == 3
    assert code.read(drawn.text) == drawn
    assert len(set(code.words())) == 2048


def test_where_no_number_is_left_nothing_is_drawn() -> None:
    """With so many invitations open that no number is left, there is no further one."""
    with pytest.raises(LimitReached, match="no number left"):
        code.drawn(range(100, 1000), os.urandom)


@pytest.mark.parametrize(
    "text",
    [
        "417-orbit-violin-cable",
        "  417 Orbit VIOLIN cable\n",
        "417_orbit, violin. cable",
        "417 orbi viol cabl",
    ],
)
def test_a_code_is_read_as_people_type_it(text: str) -> None:
    """Capitals, other marks between words and four letters of each are enough."""
    assert code.read(text) == SAID


@pytest.mark.parametrize(
    "text",
    [
        "",
        "orbit-violin-cable",
        "99-orbit-violin-cable",
        "1000-orbit-violin-cable",
        "417",
        "417-orbit-violin",
        "417-orbit-violin-cable-more",
        "417-orb-violin-cable",
        "417-orbit-violin-xyzzy",
        "٤١٧-orbit-violin-cable",
        "4" * 5000 + "-a-b-c",
    ],
)
def test_what_is_no_code_is_refused(text: str) -> None:
    """What lacks a number or a word, or has one that no code has, gets a sentence."""
    with pytest.raises(InvalidInput, match="code"):
        code.read(text)


@given(text=st.text(max_size=80))
def test_any_text_is_a_code_or_refused(text: str) -> None:
    """Whatever is typed is read as a code that has the form of one, or refused in our words."""
    try:
        found = code.read(text)
    except InvalidInput:
        return
    assert code.read(found.text) == found
