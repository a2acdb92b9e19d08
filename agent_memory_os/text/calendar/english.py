"""Dates in English prose.

The text is read as words and numbers; a date is a short sequence of them. What is read: dates
written out or short ("8 May 2023", "May 8th", "Sept. 2023", "May 3-5, 2023", "Q3 2024", "summer of
2023"); what a word places in time ("last Tuesday", "this month", "next spring", "the last 10
days", "three weeks ago", "in two days", "yesterday"); and what another date places ("the week
before August 3, 2023" gives that week, and then the date itself).

A year alone, and a month alone, count only behind a word that makes them a time ("in 2023",
"since May"): "may" and "march" are verbs, and 2023 can be a number of things. A day or a month
without its year is the latest that has begun. A week that is counted ("two weeks ago") is a
calendar's week, and a month or year likewise.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from functools import cache

from agent_memory_os.text.calendar import span
from agent_memory_os.text.calendar.span import Days
from agent_memory_os.text.pattern import pattern
from agent_memory_os.value import NamedTuple

_PIECE = r"\d+|[A-Za-z]+|[^\sA-Za-z\d]"
_MONTHS = "january february march april may june july august september october november december"
_SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
_WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
_NUMBERS = "zero one two three four five six seven eight nine ten eleven twelve".split()
_UNITS = "day week weekend month quarter year".split()
_TENSES = {
    "last": -1,
    "past": -1,
    "previous": -1,
    "this": 0,
    "current": 0,
    "next": 1,
    "coming": 1,
}
_WHICH = {-1: "last", 0: "this", 1: "next"}
_DAYS = {"yesterday": -1, "today": 0, "tonight": 0, "tomorrow": 1}
_TIMES_OF_DAY = frozenset(("morning", "afternoon", "evening", "night"))
# Before these, "may" is a month however it is written; before the others, only with its capital.
_FIRM = frozenset("in during since until till early late mid throughout".split())
_LEADS = _FIRM | frozenset("by before after from circa year".split())
_YEARS = range(1900, 2100)
_TRIGGERS = (
    *(month[:3] for month in _MONTHS.split()),
    *("day", "week", "month", "quarter", "year", "tomorrow", "19", "20", "q1", "q2", "q3", "q4"),
    *_TIMES_OF_DAY,
    *_SEASONS,
)


class _Page(NamedTuple):
    words: list[str]
    written: list[str]
    today: date

    def word(self, at: int) -> str:
        return self.words[at] if 0 <= at < len(self.words) else ""

    def skip(self, at: int, *passed: str) -> int:
        return at + 1 if self.word(at) in passed else at


def find(text: str, today: date) -> Iterator[tuple[Days, int, int]]:
    """Yield the dates of a text: what each covers, where it begins and where it ends."""
    lower = text.lower()
    if not any(trigger in lower for trigger in _TRIGGERS):
        return
    tokens = list(pattern(_PIECE).finditer(text))
    written = [token[0] for token in tokens]
    page = _Page(words=[word.lower() for word in written], written=written, today=today)
    at, starts = 0, _starts()
    while at < len(tokens):
        word = page.words[at]
        found = _read(page, at) if word in starts or word.isdigit() else None
        if found is None:
            at += 1
            continue
        yield found.days, tokens[found.begin].start(), tokens[found.end - 1].end()
        at = found.next


class _Reading(NamedTuple):
    days: Days
    begin: int
    end: int
    next: int  # where to read on: before the end, where another date stands inside


def _read(page: _Page, at: int) -> _Reading | None:
    for rule in (_anchored, _ago, _coming, _tense, _date, _lead, _weekday, _named_day):
        found = rule(page, at)
        if found:
            return found
    return None


def _reading(days: Days | None, begin: int, end: int) -> _Reading | None:
    return _Reading(days, begin, end, end) if days else None


@cache
def _periods() -> dict[str, tuple[int, int]]:
    """Months and seasons by name: the first month, and how many."""
    names: dict[str, tuple[int, int]] = {"sept": (9, 1)}
    for number, month in enumerate(_MONTHS.split(), 1):
        names[month] = names[month[:3]] = (number, 1)
    return names | {season: (month, 3) for season, month in _SEASONS.items()}


@cache
def _starts() -> frozenset[str]:
    """The words that may begin a date."""
    return frozenset(
        (*_periods(), *_WEEKDAYS, *_NUMBERS, *_TENSES, *_DAYS, *_LEADS, "a", "an", "the", "q")
    )


def _date(page: _Page, at: int) -> _Reading | None:
    """A date that names its parts."""
    return _day_month(page, at) or _month_day(page, at) or _long(page, at) or _quarter(page, at)


def _day_number(page: _Page, at: int) -> int:
    word = page.word(at)
    number = int(word) if word.isdecimal() and len(word) < 3 else 0  # noqa: PLR2004 - two digits
    return number if number <= 31 else 0  # noqa: PLR2004 - days of a month


def _year_number(page: _Page, at: int) -> int:
    word = page.word(at)
    return int(word) if word.isdecimal() and len(word) == 4 else 0  # noqa: PLR2004 - four digits


def _month_number(page: _Page, at: int) -> int:
    month, count = _periods().get(page.word(at), (0, 0))
    return month if count == 1 else 0


def _is_proper(page: _Page, at: int) -> bool:
    """Whether a word is a month even without a year behind it: not "may", not "march"."""
    return page.word(at) not in ("may", "march", "mar") or page.written[at][0].isupper()


def _day_month(page: _Page, at: int) -> _Reading | None:
    number = _day_number(page, at)
    place = page.skip(page.skip(at + 1, "st", "nd", "rd", "th"), "of", "-", "/")
    month = _month_number(page, place)
    if not (number and month):
        return None
    end = page.skip(place + 1, ".")
    return _with_year(page, begin=at, end=end, month=month, number=number, named=place)


def _month_day(page: _Page, at: int) -> _Reading | None:
    month = _month_number(page, at)
    place = page.skip(page.skip(at + 1, "."), "the", "-")
    number = _day_number(page, place)
    if not (number and month):
        return None
    end = page.skip(place + 1, "st", "nd", "rd", "th")
    until = _day_number(page, end + 1) if page.word(end) in ("-", "–", "to") else 0
    if until > number:
        last = _with_year(page, begin=at, end=end + 2, month=month, number=until, named=at)
        return last and last._replace(days=(last.days[0] - until + number, last.days[1]))
    return _with_year(page, begin=at, end=end, month=month, number=number, named=at)


def _with_year(
    page: _Page, *, begin: int, end: int, month: int, number: int, named: int
) -> _Reading | None:
    place = page.skip(page.skip(end, ","), "of", "-", "/", "in")
    year = _year_number(page, place)
    if year:
        return _reading(span.day(year, month, number), begin, place + 1)
    if not _is_proper(page, named):
        return None
    return _reading(span.recent(page.today, month, number), begin, end)


def _long(page: _Page, at: int) -> _Reading | None:
    """A month or a season with its year."""
    month, count = _periods().get(page.word(at), (0, 0))
    place = page.skip(page.skip(at + 1, "."), ",", "of", "-", "/", "in")
    year = _year_number(page, place)
    return _reading(span.months(year, month, count), at, place + 1) if month and year else None


def _quarter(page: _Page, at: int) -> _Reading | None:
    place, year = at, _year_number(page, at)
    if year:
        place = page.skip(at + 1, "-", "/")
    number = page.word(place + 1)
    if page.word(place) != "q" or number not in ("1", "2", "3", "4"):
        return None
    end = place + 2
    if not year:
        end = page.skip(end, ",", "of", "-", "/", "in") + 1
        year = _year_number(page, end - 1)
    return _reading(span.months(year, 3 * int(number) - 2, 3), at, end) if year else None


def _counted(page: _Page, at: int) -> tuple[int, str, int]:
    """How many of which unit, and what comes behind; an empty unit where none is counted."""
    word, place = page.word(at), at + 1
    count = int(word) if word.isdecimal() and len(word) < 5 else 0  # noqa: PLR2004 - no number of years
    if word in _NUMBERS:
        count = _NUMBERS.index(word)
    elif word in ("a", "an"):
        count = 1
        if page.word(place) == "couple":
            count, place = 2, page.skip(place + 1, "of")
    name = page.word(place)
    if name in ("fortnight", "fortnights"):
        return 2 * count, "week", place + 1
    unit = name.removesuffix("s")
    return (count, unit, place + 1) if count and unit in _UNITS else (0, "", at)


def _ago(page: _Page, at: int) -> _Reading | None:
    count, unit, place = _counted(page, at)
    if not unit:
        return None
    if page.word(place) == "ago":
        return _reading(span.shifted(page.today, unit, -count), at, place + 1)
    if page.word(place) == "from" and page.word(place + 1) in ("now", "today"):
        return _reading(span.shifted(page.today, unit, count), at, place + 2)
    return None


def _coming(page: _Page, at: int) -> _Reading | None:
    """What is ahead by a count: "in two days"."""
    if page.word(at) != "in":
        return None
    count, unit, place = _counted(page, at + 1)
    return _reading(span.shifted(page.today, unit, count), at, place) if unit else None


def _tense(page: _Page, at: int) -> _Reading | None:
    step = _TENSES.get(page.word(at))
    if step is None:
        return None
    word = page.word(at + 1)
    count, unit, place = _counted(page, at + 1)
    if unit and step:
        return _reading(span.stretch(page.today, unit, -step * count), at, place)
    return _reading(_tensed(page, at + 1, step), at, at + 2) if word else None


def _tensed(page: _Page, at: int, step: int) -> Days | None:
    word, today = page.word(at), page.today
    if page.word(at - 1) == "past" and word in _UNITS:
        return span.stretch(today, word, 1)
    if word in _UNITS[1:]:
        return span.shifted(today, word, step)
    if word in _WEEKDAYS:
        return span.weekday(today, _WEEKDAYS.index(word), which=_WHICH[step])
    if word in _TIMES_OF_DAY:
        away = step if word == "night" else 0
        return span.shifted(today, "day", away) if away == step else None
    month, count = _periods().get(word, (0, 0))
    if not month or _long(page, at) or _month_day(page, at) or not _is_proper(page, at):
        return None
    return span.named(today, month, count, which=_WHICH[step])


def _lead(page: _Page, at: int) -> _Reading | None:
    """A month or a year alone, behind a word that makes it a time."""
    lead, place = page.word(at), page.skip(at + 1, "-", "the", "year")
    if lead not in _LEADS or page.word(place) in _LEADS:
        return None
    year, after = _year_number(page, place), page.word(place + 1)
    if year in _YEARS and after not in ("-", "/", ":", "%"):
        return _reading(span.years(year), place, place + 1)
    month = _month_number(page, place)
    if not month or _date(page, place) or not (lead in _FIRM or _is_proper(page, place)):
        return None
    return _reading(span.named(page.today, month, 1, which=""), place, place + 1)


def _weekday(page: _Page, at: int) -> _Reading | None:
    word = page.word(at)
    if word not in _WEEKDAYS or page.word(at - 1) in ("every", "each"):
        return None
    if _date(page, page.skip(at + 1, ",")):
        return None
    return _reading(span.weekday(page.today, _WEEKDAYS.index(word), which=""), at, at + 1)


def _named_day(page: _Page, at: int) -> _Reading | None:
    away = _DAYS.get(page.word(at))
    return None if away is None else _reading(span.shifted(page.today, "day", away), at, at + 1)


def _anchored(page: _Page, at: int) -> _Reading | None:
    """What another date places: "the week before August 3, 2023", "the day after tomorrow"."""
    count, unit, place = _counted(page, at)
    if not unit and page.word(at) in ("the", "last"):
        count, unit, place = 0, page.word(at + 1), at + 2
    if unit not in _UNITS:
        return None
    word, inner = page.word(place), page.skip(page.skip(place + 1, "to"), "the")
    if word not in ("before", "after", "prior"):
        return None
    date_inside = _date(page, inner)
    anchor = date_inside or _named_day(page, inner)
    days = anchor and _beside(anchor.days, unit, count, before=word != "after")
    if not (anchor and days):
        return None
    return _Reading(days, at, anchor.end, inner if date_inside else anchor.end)


def _beside(days: Days, unit: str, count: int, *, before: bool) -> Days | None:
    """The unit that adjoins a date, or, where it is counted, the one so far from it."""
    edge = date.fromordinal(min(days[0] if before else days[1] - 1, date.max.toordinal()))
    if unit == "week" and not count:
        return (days[0] - 7, days[0]) if before else (days[1], days[1] + 7)
    away = max(count, 1)
    if unit == "weekend" and not before and edge.weekday() < 5:  # noqa: PLR2004 - Monday to Friday
        away -= 1  # the nearest is in the same week
    return span.shifted(edge, unit, -away if before else away)
