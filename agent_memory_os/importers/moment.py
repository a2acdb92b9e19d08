"""Dates as sources write them, as milliseconds of UTC.

A date that cannot be read, or that lies outside the years 1 to 9999, is no reason to lose a
record: it gives ``None``. A time without an offset is taken as UTC, so that the same bytes mean
the same instant on every machine.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import NamedTuple

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
_LONGEST = 64
_DATE = re.compile(r"(\d{4}-\d{2}-\d{2})(?!\d)", re.ASCII)


def moment(value: object) -> int | None:
    """Return the instant that an ISO 8601 text names, else ``None``."""
    if not isinstance(value, str) or not 0 < len(value) <= _LONGEST:
        return None
    try:
        time = datetime.fromisoformat(value.strip())
        return _milliseconds(time if time.tzinfo else time.replace(tzinfo=UTC))
    except (ValueError, OverflowError):
        return None


def date_in_name(name: str) -> int | None:
    """Return the start of the day that a file's name begins with, else ``None``."""
    match = _DATE.match(name)
    return moment(match[1]) if match else None


class Mark(NamedTuple):
    """What an entry says of itself in parentheses, such as ``(decided 2026-10-01)``."""

    event_at: int | None = None
    is_decision: bool = False
    is_superseded: bool = False


def mark(text: str) -> Mark:
    """Return the mark of an entry; one without any gives the empty mark."""
    match = _mark_pattern().search(text)
    if not match:
        return Mark()
    is_decision = match[1].casefold().startswith(("decided", "决定"))
    return Mark(moment(match[2]), is_decision, bool(_superseded_pattern().search(match[3])))


@cache
def _mark_pattern() -> re.Pattern[str]:
    verbs = "decided|observed|noted|决定于|决定|观察于|观察|记录于|记录"
    return re.compile(
        rf"[(（]\s{{0,4}}({verbs})[\s:：]{{0,4}}(\d{{4}}-\d{{2}}-\d{{2}})([^)）\n]{{0,80}})[)）]",
        re.IGNORECASE | re.ASCII,
    )


@cache
def _superseded_pattern() -> re.Pattern[str]:
    return re.compile(
        r"\b(?:superseded|retired|outdated|obsolete)\b|已(?:取代|失效|过时)", re.IGNORECASE
    )


def _milliseconds(time: datetime) -> int:
    return (time - _EPOCH) // _MILLISECOND
