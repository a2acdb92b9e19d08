"""Dates written in digits alone.

The year first: `2023-05-08`, `2023/5/8`, `2023.05.08`, `2023-05`. The year last: `08/05/2023`,
`8-5-2023`, `08/05/23`, `8.5.2023`. With slashes or hyphens and the year last, the day may come
first or the month: where both can be, both are given, the day's reading first. With dots the day
comes first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from agent_memory_os.text.calendar import span
from agent_memory_os.text.calendar.span import Days
from agent_memory_os.text.pattern import pattern

_YEAR_FIRST = r"(?<![\d.])(\d{4})(?:([-/])(\d{1,2})(?:\2(\d{1,2}))?|\.(\d\d)\.(\d\d))(?![\d])"
_YEAR_LAST = r"(?<![\d./-])(\d{1,2})(?:([/-])(\d{1,2})\2(\d{4}|\d\d)|\.(\d{1,2})\.(\d{4}))(?![\d/])"


def find(text: str) -> Iterator[tuple[list[Days], int, int]]:
    """Yield the dates of a text: what each may cover, where it begins and where it ends."""
    for match in pattern(_YEAR_FIRST).finditer(text):
        year, month = int(match[1]), int(match[3] or match[5])
        number = match[4] or match[6]
        days = span.day(year, month, int(number)) if number else _month(year, month)
        if days:
            yield [days], match.start(), match.end()
    for match in pattern(_YEAR_LAST).finditer(text):
        readings = _readings(match)
        if readings:
            yield readings, match.start(), match.end()


def _month(year: int, month: int) -> Days | None:
    return span.months(year, month) if 1 <= month <= 12 else None  # noqa: PLR2004 - a year's


def _readings(match: re.Match[str]) -> list[Days]:
    first, second, year = int(match[1]), int(match[3] or match[5]), match[4] or match[6]
    century = 2000 if len(year) == 2 else 0  # noqa: PLR2004 - two digits
    if century and match[2] == "-":
        return []
    pairs = {(second, first)} if match[5] else dict.fromkeys(((second, first), (first, second)))
    found = [span.day(century + int(year), month, number) for month, number in pairs]
    return [days for days in found if days]
