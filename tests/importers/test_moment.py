"""Dates as sources write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory_os.importers.moment import date_in_name, mark, moment

DAY = 1791158400000


@pytest.mark.parametrize(
    ("text", "instant"),
    [
        ("2026-10-05", DAY),
        ("2026-10-05T00:00:00Z", DAY),
        ("2026-10-05T02:00:00.250+02:00", DAY + 250),
        (" 2026-10-05T00:00:00 ", DAY),
        ("1969-12-31T23:59:59.999Z", -1),
        ("0001-01-01T00:00:00+14:00", -62135596800000 - 14 * 3_600_000),
    ],
)
def test_a_date_is_milliseconds_of_utc(text: str, instant: int) -> None:
    """An instant is the same whatever its offset; without one it is in UTC."""
    assert moment(text) == instant


@pytest.mark.parametrize("value", ["", "soon", "0000-01-01", "99999-01-01", None, 5, [], "2" * 99])
def test_what_is_no_date_gives_none(value: object) -> None:
    """Neither words, nor other types, nor years that do not exist raise."""
    assert moment(value) is None


def test_a_name_may_begin_with_a_date() -> None:
    """Only a date at the start of a name counts, and only one that exists."""
    assert date_in_name("2026-10-05-till") == DAY
    assert date_in_name("till-2026-10-05") is None
    assert date_in_name("2026-10-051") is None
    assert date_in_name("2026-02-30") is None


def test_a_mark_needs_a_verb_and_a_date() -> None:
    """Other parentheses are words."""
    assert mark("x (Decided: 2026-10-05)") == (DAY, True, False)
    assert mark("x （记录于 2026-10-05，已取代）") == (DAY, False, True)
    assert mark("x (2026-10-05)") == (None, False, False)
    assert mark("x (undecided 2026-10-05)") == (None, False, False)


@given(st.text(max_size=80))
def test_any_text_can_be_asked(text: str) -> None:
    """No text raises, as a date, a name or an entry."""
    assert moment(text) is None or isinstance(moment(text), int)
    assert date_in_name(text) is None or isinstance(date_in_name(text), int)
    assert len(mark(text)) == 3
