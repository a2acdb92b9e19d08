"""Instants on the wire: RFC 3339 in UTC with milliseconds."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import lru_cache

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
_FIRST = (datetime.min.replace(tzinfo=UTC) - _EPOCH) // _MILLISECOND
_LAST = (datetime.max.replace(tzinfo=UTC) - _EPOCH) // _MILLISECOND
_DAY = timedelta(days=1) // _MILLISECOND


def iso(at: int | None) -> str | None:
    """Return an instant as JSON holds it: RFC 3339, in UTC, with milliseconds."""
    if at is None:
        return None
    # A search shows dozens of them, most of few days.
    days, rest = divmod(min(max(at, _FIRST), _LAST), _DAY)
    minutes, rest = divmod(rest, 60_000)
    return f"{_day(days)}T{minutes // 60:02}:{minutes % 60:02}:{rest // 1000:02}.{rest % 1000:03}Z"


@lru_cache(maxsize=1024)
def _day(days: int) -> str:
    return (_EPOCH + timedelta(days=days)).date().isoformat()


def milliseconds(text: str | None) -> int | None:
    """Return the milliseconds of UTC of what :func:`iso` wrote."""
    if text is None:
        return None
    return (datetime.fromisoformat(text) - _EPOCH) // _MILLISECOND
