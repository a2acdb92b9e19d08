"""Dates in Chinese text.

What is read: dates with their signs, in digits of either kind ("2023年5月8日", "二〇二三年五月",
"5月8号", "去年五月"); named days ("昨天", "大后天"); weeks and their days ("上周", "上上周三",
"下个星期天", "周五"); months ("上个月", "下个月5号"); what is counted ("三天前", "两个月后",
"最近7天").

Japanese dates in digits are written alike and are read too. A day or month without its year is
the latest that has begun; a week that is counted is a calendar's week, and so on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

from agent_memory_os.text.calendar import span
from agent_memory_os.text.calendar.span import Days
from agent_memory_os.text.pattern import pattern

_DIGITS = "零一二三四五六七八九"
_COUNT = "([0-9]{1,4}|[零一二两三四五六七八九十]{1,3})"
_YEAR = "(?<![0-9])([0-9]{4}|[〇零一二三四五六七八九]{4})"
_SMALL = "([0-9]{1,2}|[一二三四五六七八九十]{1,3})"
_YEARS = {"大前年": -3, "前年": -2, "去年": -1, "今年": 0, "本年": 0, "明年": 1, "后年": 2}
_DAYS = {"大前": -3, "前": -2, "昨": -1, "今": 0, "明": 1, "后": 2, "大后": 3}
_STEPS = {"上上": -2, "上": -1, "这": 0, "本": 0, "当": 0, "下": 1, "下下": 2}
_UNITS = {"天": "day", "周": "week", "期": "week", "拜": "week", "月": "month", "年": "year"}
_WEEKDAYS = "一二三四五六日天"
_WHICH = "(上上|下下|[上下这本])个?(?:周|星期|礼拜)"
_PLAUSIBLE = range(1900, 2100)


def find(text: str, today: date) -> Iterator[tuple[Days, int, int]]:
    """Yield the dates of a text: what each covers, where it begins and where it ends."""
    taken: set[int] = set()
    for trigger, source, read in _RULES:
        if trigger not in text:
            continue
        for match in pattern(source).finditer(text):
            if taken.isdisjoint(range(match.start(), match.end())):
                days = read(match, today)
                if days:
                    taken.update(range(match.start(), match.end()))
                    yield days, match.start(), match.end()


def _number(written: str) -> int:
    """The value of a number in digits of either kind, up to 99 where it has the sign of ten."""
    if written.isdecimal():
        return int(written)
    written = written.replace("两", "二").replace("〇", "零")
    tens, ten, ones = written.rpartition("十")
    if not ten:
        return int("".join(str(_DIGITS.index(sign)) for sign in ones))
    return 10 * (_DIGITS.find(tens) if tens else 1) + (_DIGITS.find(ones) if ones else 0)


def _dated(match: re.Match[str], today: date) -> Days | None:
    """A year with what follows it: 2023年5月8日, 去年五月, 今年."""
    year = today.year + _YEARS[match[2]] if match[2] else _number(match[1])
    if not match[3]:
        return span.years(year) if year in _PLAUSIBLE else None
    return _day_or_month(year, match[3], match[4])


def _day_or_month(year: int, month: str, number: str | None) -> Days | None:
    if number:
        return span.day(year, _number(month), _number(number))
    is_one = 1 <= _number(month) <= 12  # noqa: PLR2004 - a year's
    return span.months(year, _number(month)) if is_one else None


def _in_month(match: re.Match[str], today: date) -> Days | None:
    """上个月, 下个月5号."""
    month = span.shifted(today, "month", _STEPS[match[1]])
    if not (month and match[2]):
        return month
    first = date.fromordinal(month[0])
    return span.day(first.year, first.month, _number(match[2]))


def _yearless(match: re.Match[str], today: date) -> Days | None:
    month = _number(match[1])
    if match[2]:
        return span.recent(today, month, _number(match[2]))
    is_one = 1 <= month <= 12  # noqa: PLR2004 - a year's
    return span.named(today, month, 1, which="") if is_one else None


def _in_week(match: re.Match[str], today: date) -> Days:
    """上周, 下个星期天, 这周末."""
    monday, end = span.week(today, _STEPS[match[1]])
    if not match[2]:
        return monday, end
    if match[2] == "末":
        return monday + 5, end
    first = monday + min(_WEEKDAYS.index(match[2]), 6)
    return first, first + 1


def _weekday(match: re.Match[str], today: date) -> Days:
    return span.weekday(today, min(_WEEKDAYS.index(match[1]), 6), which="")


def _named_day(match: re.Match[str], today: date) -> Days | None:
    return span.shifted(today, "day", _DAYS[match[1]])


def _counted(match: re.Match[str], today: date) -> Days | None:
    count = _number(match[1]) * (-1 if match[5] == "前" else 1)
    return span.shifted(today, _unit(match), count)


def _lately(match: re.Match[str], today: date) -> Days | None:
    return span.stretch(today, _unit(match), _number(match[1]))


def _unit(match: re.Match[str]) -> str:
    return _UNITS[match[2] or match[3] or match[4]]


_COUNTED = f"{_COUNT}(?:个?(?:星|礼)([期拜])|个(月)|([天周年]))"
_RULES = (
    (
        "年",
        f"(?:{_YEAR}年|({'|'.join(_YEARS)})的?)(?:{_SMALL}月份?(?:{_SMALL}[日号])?)?",
        _dated,
    ),
    ("月", f"(上上|下下|[上下这本当])个?月(?:的?{_SMALL}[日号])?", _in_month),
    ("前", f"{_COUNTED}[之以]?(前)", _counted),
    ("后", f"{_COUNTED}[之以]?(后)", _counted),
    ("近", f"近(?:的|这)?{_COUNTED}", _lately),
    ("过去", f"过去(?:的|这)?{_COUNTED}", _lately),
    ("月", f"(?<![0-9年个]){_SMALL}月份?(?:{_SMALL}[日号])?", _yearless),
    *((trigger, f"{_WHICH}([{_WEEKDAYS}末])?", _in_week) for trigger in ("周", "星期", "礼拜")),
    *(
        (trigger, f"(?<![每个一二三四五六七八九十0-9]){trigger}([{_WEEKDAYS}])", _weekday)
        for trigger in ("周", "星期", "礼拜")
    ),
    *(
        (sign, f"(?<![以之今])(大[前后]|[前昨今明后]){sign}", _named_day)
        for sign in ("天", "日", "晚", "早")
    ),
)
