"""Ranges of days."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory_os.text.calendar import span

WEDNESDAY = date(2026, 11, 25)


def dates(days: span.Days | None) -> tuple[str, str] | None:
    """The first and the last day of a range, readable."""
    if days is None:
        return None
    first, after = days
    return str(date.fromordinal(first)), str(date.fromordinal(after - 1))


def test_what_no_calendar_has_is_nothing() -> None:
    """An impossible day, month or year is None, and never an error."""
    assert span.day(2023, 2, 29) is None
    assert span.day(2023, 13, 1) is None
    assert span.months(0, 1) is None
    assert span.years(10_000) is None
    assert span.shifted(WEDNESDAY, "year", -9999) is None
    assert span.stretch(WEDNESDAY, "year", 9999) is None


def test_the_last_year_has_an_end() -> None:
    """A range may end after the last date that Python knows."""
    end = date.max.toordinal() + 1
    assert span.years(9999) == (date(9999, 1, 1).toordinal(), end)
    assert span.months(9999, 12) == (date(9999, 12, 1).toordinal(), end)


@pytest.mark.parametrize(
    ("unit", "count", "found"),
    [
        ("day", -1, ("2026-11-24", "2026-11-24")),
        ("week", 0, ("2026-11-23", "2026-11-29")),
        ("week", -2, ("2026-11-09", "2026-11-15")),
        ("weekend", -1, ("2026-11-21", "2026-11-22")),
        ("month", 2, ("2027-01-01", "2027-01-31")),
        ("quarter", 0, ("2026-10-01", "2026-12-31")),
        ("quarter", -4, ("2025-10-01", "2025-12-31")),
        ("year", 1, ("2027-01-01", "2027-12-31")),
    ],
)
def test_units_away_from_today(unit: str, count: int, found: tuple[str, str]) -> None:
    """A unit some of them away is the calendar's own."""
    assert dates(span.shifted(WEDNESDAY, unit, count)) == found


@pytest.mark.parametrize(
    ("today", "unit", "count", "found"),
    [
        (WEDNESDAY, "day", 10, ("2026-11-16", "2026-11-25")),
        (WEDNESDAY, "week", 1, ("2026-11-19", "2026-11-25")),
        (WEDNESDAY, "week", -1, ("2026-11-26", "2026-12-02")),
        (WEDNESDAY, "year", 1, ("2025-11-26", "2026-11-25")),
        (date(2026, 3, 31), "month", 1, ("2026-03-01", "2026-03-31")),
        (date(2024, 3, 31), "quarter", 1, ("2024-01-01", "2024-03-31")),
    ],
)
def test_stretches_up_to_today(today: date, unit: str, count: int, found: tuple[str, str]) -> None:
    """The last days, weeks, months and years end today; the next begin tomorrow."""
    assert dates(span.stretch(today, unit, count)) == found


@given(st.dates(), st.integers(0, 6), st.sampled_from(["last", "this", "next", ""]))
def test_weekdays_lie_where_their_word_says(today: date, number: int, which: str) -> None:
    """Last is before today and next after it, within a week; this is in the same week."""
    first, after = span.weekday(today, number, which=which)
    away = first - today.toordinal()
    assert after == first + 1
    assert (today.weekday() + away) % 7 == number
    allowed = {"last": range(-7, 0), "next": range(1, 8), "": range(-6, 1)}
    week = range(-today.weekday(), 7 - today.weekday())
    assert away in allowed.get(which, week)


@given(st.dates(date(1900, 1, 1), date(2100, 1, 1)), st.dates(date(2000, 1, 1), date(2000, 12, 31)))
def test_a_day_without_a_year_is_the_latest(today: date, asked: date) -> None:
    """It is not after today, and less than a year before, but for 29 February."""
    found = span.recent(today, asked.month, asked.day)
    assert found is not None
    day = date.fromordinal(found[0])
    assert (day.month, day.day) == (asked.month, asked.day)
    assert 0 <= (today - day).days <= (366 if asked.day != 29 else 8 * 366)


def test_a_day_that_is_in_no_year_is_nothing() -> None:
    """30 February never was."""
    assert span.recent(WEDNESDAY, 2, 30) is None


@pytest.mark.parametrize(
    ("month", "which", "found"),
    [
        (5, "", ("2026-05-01", "2026-05-31")),
        (12, "", ("2025-12-01", "2025-12-31")),
        (11, "", ("2026-11-01", "2026-11-30")),
        (5, "last", ("2026-05-01", "2026-05-31")),
        (11, "last", ("2025-11-01", "2025-11-30")),
        (12, "last", ("2025-12-01", "2025-12-31")),
        (11, "this", ("2026-11-01", "2026-11-30")),
        (12, "next", ("2026-12-01", "2026-12-31")),
        (11, "next", ("2027-11-01", "2027-11-30")),
    ],
)
def test_months_by_name(month: int, which: str, found: tuple[str, str]) -> None:
    """Last is over, next has not begun, and without a word it is the latest that has begun."""
    assert dates(span.named(WEDNESDAY, month, 1, which=which)) == found
