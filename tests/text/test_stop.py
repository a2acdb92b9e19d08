"""The stop words."""

from __future__ import annotations

from agent_memory_os.text.stop import STOP_CHARACTERS, STOP_WORDS


def test_stop_words_are_written_as_they_are_met() -> None:
    """Each is one lower-case word without an apostrophe, as the cut gives it."""
    assert all(word.isascii() and word.isalpha() and word.islower() for word in STOP_WORDS)
    assert 100 <= len(STOP_WORDS) <= 160
    assert all(len(sign) == 1 for sign in STOP_CHARACTERS)


def test_words_that_can_be_names_or_times_are_no_stop_words() -> None:
    """What can be a name, a number or a time says something."""
    assert STOP_WORDS.isdisjoint("may now one two last next after before march".split())
