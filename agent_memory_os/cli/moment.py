"""Instants on the command line: read as ``text.dates`` reads them, and shown in UTC."""

from __future__ import annotations

from agent_memory_os.errors import InvalidTime
from agent_memory_os.text.dates import age, parse_duration, parse_instant
from agent_memory_os.wire.instant import iso

__all__ = ["SECOND", "age", "future", "iso", "past", "shown", "span"]

SECOND = 1_000
"""Milliseconds of a second."""

past = parse_instant
span = parse_duration


def future(text: str, now: int) -> int:
    """Return the instant that ``text`` names; a span of time (30d) lies after ``now``."""
    try:
        return now + parse_duration(text)
    except InvalidTime:
        return parse_instant(text, now)


def shown(at: int) -> str:
    """Return an instant as a person reads it: ``2026-05-08 14:30``, in UTC."""
    return str(iso(at))[:16].replace("T", " ")
