"""Dates and times as people write them, and ages as they read them.

`find_dates` reads English and Chinese prose and digits; what each form means is said in
`text.calendar.english`, `.chinese` and `.numeric`. It is told what day it is, reads no clock, and
takes all days as days of UTC. A form that can be two dates (08/05/2023) gives both.

`parse_instant` and `parse_duration` are for what a person types as an argument: they read one
thing, all of it, or say what is wrong. `age` goes the other way.

Times are milliseconds of UTC since 1970. Days are half-open: a date ends where the next begins.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

from agent_memory_os.errors import InvalidTime
from agent_memory_os.text.pattern import pattern
from agent_memory_os.value import NamedTuple

_DAY_MS = 86_400_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_EPOCH_DAY = date(1970, 1, 1).toordinal()
_LAST_MS = (date.max.toordinal() + 1 - _EPOCH_DAY) * _DAY_MS
_SECOND_MS = 1000
_UNITS = {
    "ms": 1,
    "s": _SECOND_MS,
    "m": 60 * _SECOND_MS,
    "h": 3600 * _SECOND_MS,
    "d": _DAY_MS,
    "w": 7 * _DAY_MS,
    "mo": 30 * _DAY_MS,
    "y": 365 * _DAY_MS,
}
_LONGEST_MS = 1000 * _UNITS["y"]
_PART = (
    r"(\d{1,12}(?:\.\d{1,6})?)\s*(ms|milliseconds?|s|sec|secs|seconds?|mo|mon|months?"
    r"|m|min|mins|minutes?|h|hrs?|hours?|d|days?|w|wks?|weeks?|y|yrs?|years?)(?![a-z])\s*"
)
_SHORT = {"mil": "ms", "ms": "ms", "mon": "mo", "mo": "mo"}
_SHOWN = 40


class DateSpan(NamedTuple):
    """What a date in a text covers, and the words that said so."""

    start_ms: int
    end_ms: int
    text: str


def find_dates(text: str, today: date) -> list[DateSpan]:
    """Return the dates of a text, in order; none is a frequent answer, and costs little."""
    found = _found(text, today)
    return [
        DateSpan(
            start_ms=(first - _EPOCH_DAY) * _DAY_MS,
            end_ms=(after - _EPOCH_DAY) * _DAY_MS,
            text=text[begin:end],
        )
        for begin, end, first, after in found
    ]


def parse_instant(text: str, now_ms: int) -> int:
    """Return the instant that an argument names, in milliseconds.

    It may be a date or a date with a time (UTC, unless it says otherwise), milliseconds since
    1970 (eleven digits or more), an age (`3d`, `2h ago`), a time ahead (`in 3d`, `+3d`), `now`, or
    a date in words. A date stands for its beginning. Raises `InvalidTime`.
    """
    asked = text.strip()
    for read in (_read_number, _read_iso, _read_age, _read_words):
        instant = read(asked, now_ms)
        if instant is not None:
            return instant
    raise InvalidTime(
        f"{_shown(text)} is no time: write a date (2026-05-08), a date and a time "
        "(2026-05-08T10:00), an age (3d, 2h ago), or words such as yesterday."
    )


def parse_duration(text: str) -> int:
    """Return a duration in milliseconds: `90s`, `1h`, `30d`, `2w`, `1h30m`; a month has 30 days.

    Raises `InvalidTime`.
    """
    duration = _duration(text.strip())
    if duration is None:
        raise InvalidTime(
            f"{_shown(text)} is no duration: write a number and a unit, such as 90s, 15m, 1h, "
            "30d or 2w."
        )
    return duration


def age(ms: int, now_ms: int) -> str:
    """Return how long ago an instant was, or how far ahead it is: "3 d ago", "in 2 h"."""
    away = abs(now_ms - ms)
    for name, unit, least in (
        ("y", _UNITS["y"], _UNITS["y"]),
        ("mo", _UNITS["mo"], 2 * _UNITS["mo"]),
        ("w", _UNITS["w"], 2 * _UNITS["w"]),
        ("d", _DAY_MS, _DAY_MS),
        ("h", _UNITS["h"], _UNITS["h"]),
        ("min", _UNITS["m"], _UNITS["m"]),
    ):
        if away >= least:
            return f"{away // unit} {name} ago" if ms < now_ms else f"in {away // unit} {name}"
    return "just now"


def _found(text: str, today: date) -> list[tuple[int, int, int, int]]:
    """Where each date begins and ends, and its first day and the day after its last."""
    # Each knows more than the last, is needed less often, and is loaded when it is.
    found: list[tuple[int, int, int, int]] = []
    if pattern(r"\d").search(text):
        from agent_memory_os.text.calendar import numeric

        for readings, begin, end in numeric.find(text):
            found += [(begin, end, *days) for days in readings]
    taken = [(begin, end) for begin, end, *_ in found]
    for days, begin, end in _in_words(text, today):
        if not any(begin < other_end and other < end for other, other_end in taken):
            found.append((begin, end, *days))
    return sorted(found, key=lambda date: date[:2])


def _in_words(text: str, today: date) -> list[tuple[tuple[int, int], int, int]]:
    from agent_memory_os.text.calendar import english

    found = list(english.find(text, today))
    if not text.isascii():
        from agent_memory_os.text.calendar import chinese

        found += chinese.find(text, today)
    return found


def _read_number(asked: str, now_ms: int) -> int | None:
    del now_ms
    digits = asked.removeprefix("-")
    if not (digits.isascii() and digits.isdigit()):
        return None
    if len(asked) == 4 and digits == asked:  # noqa: PLR2004 - a year
        return _at(datetime(int(asked), 1, 1, tzinfo=UTC)) if int(asked) else None
    is_time = 10 < len(digits) < 16  # noqa: PLR2004 - fewer may be seconds, more are no year
    return int(asked) if is_time and abs(int(asked)) < _LAST_MS else None


def _read_iso(asked: str, now_ms: int) -> int | None:
    del now_ms
    try:
        instant = datetime.fromisoformat(asked)
    except ValueError:
        return None
    return _at(instant if instant.tzinfo else instant.replace(tzinfo=UTC))


def _read_age(asked: str, now_ms: int) -> int | None:
    lower = asked.lower()
    ahead = lower.removeprefix("+").removeprefix("in ")
    duration = _duration(ahead.removesuffix("ago").strip())
    if duration is None:
        return now_ms if lower == "now" else None
    return now_ms - duration if ahead == lower else now_ms + duration


def _read_words(asked: str, now_ms: int) -> int | None:
    today = (_EPOCH + timedelta(milliseconds=now_ms)).date()
    spans = [span for span in find_dates(asked, today) if span.text == asked]
    if len(spans) > 1:
        raise InvalidTime(f"{_shown(asked)} can be two dates: write it as 2026-05-08.")
    return spans[0].start_ms if spans else None


def _duration(asked: str) -> int | None:
    lower = asked.lower()
    if not pattern(f"(?:{_PART})+").fullmatch(lower):
        return None
    total = sum(float(count) * _UNITS[_unit(name)] for count, name in pattern(_PART).findall(lower))
    return round(total) if total <= _LONGEST_MS else None


def _unit(name: str) -> str:
    return _SHORT.get(name[:3], name[0])


def _at(instant: datetime) -> int:
    return (instant - _EPOCH) // timedelta(milliseconds=1)


def _shown(text: str) -> str:
    return repr(text if len(text) <= _SHOWN else text[:_SHOWN] + "…")
