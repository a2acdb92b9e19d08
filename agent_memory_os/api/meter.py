"""Limits and use: how much each key may ask for in a minute and a day, and what it did.

A window of a minute is a bucket that fills steadily, so that what was used up comes back bit by
bit and ``Retry-After`` is exact. What was used is gathered in memory and written every few seconds,
and when the server stops; what could not be written is written the next time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from agent_memory_os.errors import LimitReached
from agent_memory_os.model.key import Limits
from agent_memory_os.service.keys import DAY_MS
from agent_memory_os.store.keys import Use

MINUTE_MS = 60_000


class _Bucket(NamedTuple):
    level: float
    at: int


class TooMuch(LimitReached):
    """A limit was reached; ``seconds`` later it is worth another try."""

    def __init__(self, limit: str, window: str, seconds: int) -> None:
        told = f"The limit of {limit} in a {window} is reached; try again in {seconds} s."
        super().__init__(told, limit=limit, seconds=str(seconds))


class Meter:
    """What keys have used lately. It belongs to the server's loop: no other thread touches it."""

    def __init__(self, clock: Callable[[], int]) -> None:
        self._clock = clock
        self._buckets: dict[tuple[str, str], _Bucket] = {}
        self._used: dict[tuple[int, str, str | None], list[int]] = {}
        self._last: dict[str, int] = {}
        self._days: dict[tuple[int, str], int] = {}

    def take(self, key_id: str, limits: Limits, *, is_write: bool) -> None:
        """Count a request; raise :class:`TooMuch` where it is beyond what the key may."""
        self._drip(key_id, "requests", limits.requests)
        if is_write:
            self._drip(key_id, "writes", limits.writes)

    def send(self, key_id: str, most: int, already: Callable[[str, int], int], size: int) -> None:
        """Count bytes as they come; raise :class:`TooMuch` where they are more than are left today.

        Of several requests at once each counts to what is left for the others.
        """
        left = self.left(key_id, most, already)
        self._days[self._clock() // DAY_MS, key_id] += size
        if size > left:
            raise self.until_tomorrow("bytes")

    def left(self, key_id: str, most: int, already: Callable[[str, int], int]) -> int:
        """Return how many bytes a key may still send today.

        ``already`` tells what the node has on record for a key and a day; it is asked once a day.
        """
        day = self._clock() // DAY_MS
        if (day, key_id) not in self._days:
            self._days = {held: sent for held, sent in self._days.items() if held[0] == day}
            pending = [counts[2] for (on, key, _), counts in self._used.items()
                       if (on, key) == (day, key_id)]  # fmt: skip
            self._days[day, key_id] = already(key_id, day) + sum(pending)
        return max(0, most - self._days[day, key_id])

    def until_tomorrow(self, limit: str) -> TooMuch:
        """Return the error of a limit of a day, which ends at midnight (UTC)."""
        now = self._clock()
        rest = (now // DAY_MS + 1) * DAY_MS - now
        return TooMuch(limit, "day", rest // 1000 + 1)

    def note(self, key_id: str, agent: str | None, *, is_write: bool, size: int) -> None:
        """Note what a request has used."""
        now = self._clock()
        day = now // DAY_MS
        counts = self._used.setdefault((day, key_id, agent), [0, 0, 0])
        for place, amount in enumerate((1, int(is_write), size)):
            counts[place] += amount
        self._last[key_id] = now

    def drain(self) -> tuple[list[Use], list[tuple[str, int]]]:
        """Return what is to be written down, and forget it here."""
        used = [Use(*name, *counts) for name, counts in self._used.items()]
        last = list(self._last.items())
        self._used, self._last = {}, {}
        return used, last

    def take_back(self, used: list[Use], last: list[tuple[str, int]]) -> None:
        """Keep what was drained and could not be written down."""
        for use in used:
            counts = self._used.setdefault((use.day, use.key, use.agent), [0, 0, 0])
            for place, amount in enumerate((use.requests, use.writes, use.bytes)):
                counts[place] += amount
        self._last = {**dict(last), **self._last}

    def _drip(self, key_id: str, what: str, most: int | None) -> None:
        if most is None:
            return
        now = self._clock()
        held = self._buckets.get((key_id, what), _Bucket(float(most), now))
        level = min(float(most), held.level + (now - held.at) * most / MINUTE_MS)
        if level < 1:
            wait = (1 - level) * MINUTE_MS / most
            self._buckets[key_id, what] = _Bucket(level, now)
            raise TooMuch(what, "minute", int(wait // 1000) + 1)
        self._buckets[key_id, what] = _Bucket(level - 1, now)
