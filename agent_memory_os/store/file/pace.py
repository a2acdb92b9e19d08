"""Much work in short transactions, so that whoever else writes never waits for long.

What one transaction takes in is as much as held the lock for :data:`HELD` seconds the last time,
however fast the machine is at the moment; for :data:`ALONE`, once nobody else has written for a
while: then it is rare that anybody waits at all. And between two of them the lock is free for
longer than others wait between their attempts, so that one who waits gets it: else the next
transaction would have begun before anybody looked. The write-ahead log is moved into the file then,
and not as part of a commit: most of its pages are written again and again by such work, and are
moved once.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from agent_memory_os.store.database import Database, Transaction

HELD = 0.025
"""For how long a transaction holds the lock, about, in seconds."""

ALONE = 0.05
"""For how long it does where nobody else writes: one who comes then waits once for so long."""

CALM = 1.0
"""After so many seconds in which nobody else has written, nobody else writes."""

FREE = 0.005
"""For how long the lock is free between two: a little longer than others wait to try again."""

MOVED, MOVED_ALONE = 4, 12
"""After so many transactions the write-ahead log is moved into the file, beside others and alone.

Others who commit and find it long move it themselves: that is seldom to happen.
"""

_GROWTH, _SHRINKAGE = 1.3, 0.6
"""By how much the next is larger or smaller at most: one that was held up tells little."""


class Pace:
    """Opens transactions of one kind of work; ``size`` says how much the next is to take in."""

    def __init__(self, database: Database, size: int, most: int) -> None:
        self.database = database
        self.size = size
        self._least = size // 4
        self._most = most
        self._began = self._ended = 0.0
        self._unmoved = 0
        self._state: object = None
        self._calm_since = time.monotonic()

    @contextmanager
    def write(self) -> Iterator[Transaction]:
        """Open a transaction, once the lock was free for a while."""
        if self._unmoved >= (MOVED_ALONE if self._is_alone else MOVED):
            self._unmoved = 0
            self.database.move_log()
        left = self._ended + FREE - time.monotonic()
        if left > 0:
            time.sleep(left)
        self._unmoved += 1
        with self.database.write(keeps_log=True) as transaction:
            self._began = time.monotonic()
            self._look(transaction)
            yield transaction
        self._ended = time.monotonic()

    def done(self, count: int) -> None:
        """Say how much the last transaction took in."""
        held, most = self._ended - self._began, self._held
        if held > most:
            self.size = max(int(count * max(most / held, _SHRINKAGE)), self._least)
        elif count >= self.size:
            self.size = min(int(self.size * _GROWTH), self._most)

    @property
    def _held(self) -> float:
        """For how long the lock may be held now."""
        return ALONE if self._is_alone else HELD

    @property
    def _is_alone(self) -> bool:
        return self._began - self._calm_since > CALM

    def _look(self, transaction: Transaction) -> None:
        """See whether others have written since the last transaction."""
        state, before = transaction.others, self._held
        if state != self._state:
            self._state, self._calm_since = state, self._began
            # The one that begins now was made as large as the last; the next is not.
            self.size = max(int(self.size * self._held / before), self._least)
