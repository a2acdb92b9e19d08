"""Days, weeks, months and years as ranges of day numbers.

A range is half-open, `(first day, day after the last)`, in the ordinals of `datetime.date`; so a
range may end after the last date that Python knows, and nothing here overflows. A week begins on
Monday. A season is of the northern half of the world, and begins with a month; winter begins in
December. What no calendar has (30 February, year 0) is None.
"""

from __future__ import annotations

from datetime import date

Days = tuple[int, int]

_LAST_YEAR = 9999
_MONTHS = 12
_WEEK = 7


def day(year: int, month: int, number: int) -> Days | None:
    """Return the one day of a date."""
    try:
        first = date(year, month, number).toordinal()
    except ValueError:
        return None
    return first, first + 1


def months(year: int, month: int, count: int = 1) -> Days | None:
    """Return some months that follow one another; `month` may lie outside 1 to 12."""
    first = _month_start(year * _MONTHS + month - 1)
    end = _month_start(year * _MONTHS + month - 1 + count)
    return None if first is None or end is None else (first, end)


def years(year: int, count: int = 1) -> Days | None:
    """Return some years that follow one another."""
    return months(year, 1, _MONTHS * count)


def week(of: date, offset: int = 0) -> Days:
    """Return the week of a day, or one some weeks away."""
    first = of.toordinal() - of.weekday() + _WEEK * offset
    return first, first + _WEEK


def shifted(today: date, unit: str, count: int) -> Days | None:
    """Return the day, week, weekend, month, quarter or year that is `count` of them from today."""
    if unit == "day":
        first = today.toordinal() + count
        return first, first + 1
    if unit == "week":
        return week(today, count)
    if unit == "weekend":
        monday, end = week(today, count)
        return monday + 5, end
    if unit == "month":
        return months(today.year, today.month + count)
    if unit == "quarter":
        return months(today.year, (today.month - 1) // 3 * 3 + 1 + 3 * count, 3)
    return years(today.year + count)


def stretch(today: date, unit: str, count: int) -> Days | None:
    """Return the last `count` units up to and with today; from tomorrow on, where negative."""
    here = today.toordinal()
    far = shifted(today, "day", -count * {"day": 1, "week": _WEEK}.get(unit, 0))
    if unit in ("month", "quarter", "year"):
        size = {"month": 1, "quarter": 3, "year": _MONTHS}[unit]
        far = _same_day(today, -count * size)
    if far is None:
        return None
    return (far[0] + 1, here + 1) if count > 0 else (here + 1, far[0] + 1)


def recent(today: date, month: int, number: int) -> Days | None:
    """Return the latest such day of a year that is not after today."""
    for year in range(today.year, today.year - 8, -1):  # 29 February comes every fourth or eighth
        found = day(year, month, number)
        if found and found[0] <= today.toordinal():
            return found
    return None


def weekday(today: date, number: int, *, which: str) -> Days:
    """Return the Monday (0) to Sunday (6) that is meant by `last`, `this`, `next` or nothing."""
    here = today.weekday()
    if which == "this":
        away = number - here
    elif which == "next":
        away = (number - here - 1) % _WEEK + 1
    elif which == "last":
        away = -((here - number - 1) % _WEEK + 1)
    else:
        away = -((here - number) % _WEEK)
    first = today.toordinal() + away
    return first, first + 1


def named(today: date, month: int, count: int, *, which: str) -> Days | None:
    """Return the month or season meant by `last`, `this`, `next` or nothing (then the latest)."""
    year = today.year
    begun = (today.month, today.day) >= (month, 1)
    running = month <= today.month < month + count
    if which == "next":
        year += begun
    elif which == "last":
        year -= not begun or running
    elif which != "this":
        year -= not begun
    return months(year, month, count)


def _month_start(number: int) -> int | None:
    year, month = divmod(number, _MONTHS)
    if (year, month) == (_LAST_YEAR + 1, 0):
        return date.max.toordinal() + 1
    return date(year, month + 1, 1).toordinal() if 1 <= year <= _LAST_YEAR else None


def _same_day(today: date, away: int) -> Days | None:
    """The day of another month that has today's number, or the last before it."""
    month = months(today.year, today.month + away)
    if month is None:
        return None
    first = min(month[0] + today.day - 1, month[1] - 1)
    return first, first + 1
