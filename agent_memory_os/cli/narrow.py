"""From what a person narrows by to a filter."""

from __future__ import annotations

from agent_memory_os.cli import moment
from agent_memory_os.errors import InvalidTime
from agent_memory_os.model.recall import TimeSpan

_SUFFIX = "_at"


def time_field(text: str) -> str:
    """Return the name of a time, also where it was written as ``created_at``."""
    return text.strip().casefold().removesuffix(_SUFFIX)


def span(since: str | None, until: str | None, now: int) -> TimeSpan:
    """Return the half-open interval between two times as people write them."""
    start = None if since is None else moment.past(since, now)
    end = None if until is None else moment.past(until, now)
    if start is not None and end is not None and end <= start:
        raise InvalidTime(f"--until {until} does not come after --since {since}.")
    return start, end
