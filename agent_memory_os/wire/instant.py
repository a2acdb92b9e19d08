"""Instants on the wire: RFC 3339 in UTC with milliseconds."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST, _LAST = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)


def iso(at: int | None) -> str | None:
    """Return an instant as JSON holds it: RFC 3339, in UTC, with milliseconds."""
    if at is None:
        return None
    try:
        time = _EPOCH + timedelta(milliseconds=at)
    except OverflowError:
        time = _LAST if at > 0 else _FIRST
    return time.replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"


def milliseconds(text: str | None) -> int | None:
    """Return the milliseconds of UTC of what :func:`iso` wrote."""
    if text is None:
        return None
    return (datetime.fromisoformat(text) - _EPOCH) // _MILLISECOND
