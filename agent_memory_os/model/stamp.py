"""Hybrid logical stamps: when something was written, in one integer that never goes back.

A stamp is a signed 64-bit integer: 47 bits of milliseconds of UTC above 16 bits of counter. The
next stamp is the clock's, or one more than the last where the clock stands still or went back; a
counter that is full carries into the milliseconds. Stamps order the writes of one node strictly,
and those of many nodes as far as their clocks agree or one has seen the other's.
"""

from __future__ import annotations

COUNTER_BITS = 16
MAX_MILLISECONDS = 2**47 - 1
MAX_STAMP = 2**63 - 1
FUTURE_LIMIT_MS = 60_000
"""Content and widenings further ahead of the clock than this are parked."""


def of_time(milliseconds: int) -> int:
    """Return the first stamp of a millisecond; a time out of range is brought to an end of it."""
    return min(max(milliseconds, 0), MAX_MILLISECONDS) << COUNTER_BITS


def time_of(stamp: int) -> int:
    """Return the milliseconds of UTC in a stamp."""
    return stamp >> COUNTER_BITS


def following(last: int, now: int) -> int:
    """Return the next write's stamp; ``last`` is the newest known, ``now`` in milliseconds."""
    return max(of_time(now), last + 1)
