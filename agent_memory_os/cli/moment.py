"""Instants on the command line: read as ``text.dates`` reads them, and shown in UTC."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from agent_memory_os.errors import InvalidTime
from agent_memory_os.text.dates import age, parse_duration, parse_instant

__all__ = ["age", "future", "iso", "past", "shown", "span"]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST, _LAST = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)

past = parse_instant
span = parse_duration


def future(text: str, now: int) -> int:
    """Return the instant that ``text`` names; a span of time (30d) lies after ``now``."""
    try:
        return now + parse_duration(text)
    except InvalidTime:
        return parse_instant(text, now)


def iso(at: int | None) -> str | None:
    """Return an instant as JSON holds it: RFC 3339, in UTC, with milliseconds."""
    if at is None:
        return None
    try:
        time = _EPOCH + timedelta(milliseconds=at)
    except OverflowError:
        time = _LAST if at > 0 else _FIRST
    return time.replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"


def shown(at: int) -> str:
    """Return an instant as a person reads it: ``2026-05-08 14:30``, in UTC."""
    return str(iso(at))[:16].replace("T", " ")
