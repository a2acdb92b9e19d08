"""Taking turns: what writes much holds the write lock for a moment at a time.

Whoever waits for the lock asks for it again and again, so between two turns there is a pause that
is longer than theirs. What is done in one turn stays done, whatever becomes of the others.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from agent_memory_os.store.database import Database, Transaction

T = TypeVar("T")

HELD_SECONDS = 0.02
"""After so long a turn takes up nothing more."""

_PAUSE_SECONDS = 0.005


def in_turns(
    database: Database, items: Sequence[T], act: Callable[[Transaction, Iterator[T]], None]
) -> None:
    """Do something to each of some items, as many in a transaction as fit into a turn.

    ``act`` takes items up until there are no more. An error undoes the turn that it came in, and
    ends all of it.
    """
    done = 0
    while done < len(items):
        turn = _Turn(items, done)
        with database.write() as transaction:
            act(transaction, turn)
        done = turn.at
        pause()


def clock() -> Callable[[], bool]:
    """Begin a turn; return what says whether its time is over."""
    end = time.monotonic() + HELD_SECONDS
    return lambda: time.monotonic() > end


def pause() -> None:
    """Let others come first."""
    time.sleep(_PAUSE_SECONDS)


class _Turn(Iterator[T]):
    """Items from a place on, at least one, until the time is over; ``at`` is the next one's."""

    def __init__(self, items: Sequence[T], at: int) -> None:
        self._items = items
        self._began_at = self.at = at
        self._is_over = clock()

    def __next__(self) -> T:
        is_over = self.at > self._began_at and self._is_over()
        if is_over or self.at == len(self._items):
            raise StopIteration
        self.at += 1
        return self._items[self.at - 1]
