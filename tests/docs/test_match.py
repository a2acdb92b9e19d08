"""What differs from run to run is allowed to, and nothing else is."""

from __future__ import annotations

import pytest

from tests.docs.match import Matcher, dates
from tests.docs.page import Failure

SHOWN, OTHER = "mem_4kq2mxa7bd", "mem_7xb3vdq2ka"
FIRST, SECOND = "mem_aaaaaaaaaa", "mem_bbbbbbbbbb"


@pytest.mark.parametrize(
    ("shown", "printed"),
    [
        ("", ""),
        ("one\n", "one\n"),
        ("agt_… added\n", "agt_abc added  \n"),
        ("a\n…\nz\n", "a\nb\nc\nz\n"),
        ("a\n…\nz\n", "a\nz\n"),
        ("…\n", ""),
        ("a. (b)*\n", "a. (b)*\n"),
        (f"{SHOWN}\n", f"{FIRST}\n"),
        (f"{SHOWN} {OTHER} {SHOWN}\n", f"{FIRST} {SECOND} {FIRST}\n"),
        (f"{SHOWN}…\n", f"{FIRST}cccccccccccccccccccccc\n"),
        ("join 417-otter-violin-cedar.\n", "join 100-zoo-able-abandon.\n"),
        ("since 2026-11-29\n", "since 2030-01-02\n"),
        ("since 2026-11-29 16:58 UTC\n", "since 2030-01-02 03:04 UTC\n"),
        ("just now\n", "2 min ago\n"),
        ("7 w ago\n", "11 mo ago\n"),
        ("a   b\n", "a  b\n"),
    ],
)
def test_what_is_shown_matches(shown: str, printed: str) -> None:
    """What is printed matches as it stands, with other ids, days, gaps, and what is left out."""
    assert Matcher().matches(shown, printed)


@pytest.mark.parametrize(
    ("shown", "printed"),
    [
        ("", "more\n"),
        ("one\n", "one\ntwo\n"),
        ("one\ntwo\n", "one\n"),
        ("a…z\n", "a\nz\n"),
        ("a.\n", "ab\n"),
        (f"{SHOWN}\n", "mem_short\n"),
        (f"{SHOWN} {SHOWN}\n", f"{FIRST} {SECOND}\n"),
        (f"{SHOWN} {OTHER}\n", f"{FIRST} {FIRST}\n"),
        ("since 2026-11-29\n", "since 29 November\n"),
        ("join 417-otter-violin-cedar\n", "join 417-otter-violin\n"),
        ("just now\n", "2 h ago\n"),
        ("7 w ago\n", "just now\n"),
        ("a b\n", "a  b\n"),
    ],
)
def test_what_is_not_shown_does_not_match(shown: str, printed: str) -> None:
    """A line too many or too few, a wrong character and a mistaken id are each noticed."""
    assert not Matcher().matches(shown, printed)


def test_an_id_stands_for_one_of_the_run() -> None:
    """An id of the page means the same memory throughout, in commands too."""
    matcher = Matcher()
    assert matcher.matches(f"added {SHOWN}\n", f"added {FIRST}\n")
    assert matcher.command(f"agent-memory get {SHOWN}") == f"agent-memory get {FIRST}"
    assert not matcher.matches(f"{SHOWN}\n", f"{SECOND}\n")
    assert not matcher.matches(f"{OTHER}\n", f"{FIRST}\n")
    assert matcher.matches(f"{OTHER}\n", f"{SECOND}\n")


def test_an_id_that_was_never_printed_fails() -> None:
    """A command on a memory that the page never showed is a mistake of the page."""
    with pytest.raises(Failure, match=f"{SHOWN} was not printed before"):
        Matcher().command(f"agent-memory get {SHOWN}")


def test_a_date_that_is_put_in_comes_out() -> None:
    """A date that an example puts in is compared to the day."""
    matcher = Matcher(dates("agent-memory add x --event 2026-05-08"))
    assert matcher.matches("2026-05-08\n", "2026-05-08\n")
    assert not matcher.matches("2026-05-08\n", "2026-05-09\n")


def test_a_word_is_completed_from_what_was_printed_last() -> None:
    """A word that ends in an ellipsis becomes the last word printed that begins like it."""
    matcher = Matcher()
    matcher.matches("…", "added agt_a1\nadded agt_b2.\n")
    assert matcher.command("get agt_…") == "get agt_b2"


def test_a_word_that_was_never_printed_fails() -> None:
    """A word that nothing completes is a mistake of the page."""
    with pytest.raises(Failure, match="nothing that begins with 'agt_'"):
        Matcher().command("get agt_…")
