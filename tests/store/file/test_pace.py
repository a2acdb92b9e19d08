"""Much work is done in short transactions, and others get the lock between them."""

from __future__ import annotations

import os
import threading
import time

import pytest

from agent_memory_os.store.database import Database
from agent_memory_os.store.file import pace as module
from agent_memory_os.store.file.pace import ALONE, FREE, HELD, MOVED, MOVED_ALONE, Pace
from tests.store.sample import Fleet


@pytest.fixture
def database(fleet: Fleet) -> Database:
    """Give the file of a node."""
    return fleet.node.context.database


def write(pace: Pace, count: int, seconds: float = 0.0) -> None:
    """Hold the lock for so long, and say that so much was taken in."""
    with pace.write():
        time.sleep(seconds)
    pace.done(count)


def test_what_held_the_lock_too_long_is_less_the_next_time(database: Database) -> None:
    """It falls as far as a quarter of what it began with, and no further."""
    pace = Pace(database, 100, 1_000)
    write(pace, 100, 2 * HELD)
    assert pace.size < 100
    for _ in range(4):
        write(pace, pace.size, 2 * HELD)
    assert pace.size == 25


def test_what_was_quick_is_more_the_next_time(database: Database) -> None:
    """It rises to the most, but not where there was less to take in than there was room for."""
    pace = Pace(database, 100, 150)
    write(pace, 99)
    assert pace.size == 100
    write(pace, 100)
    assert 100 < pace.size <= 150
    write(pace, pace.size)
    write(pace, pace.size)
    assert pace.size == 150


def test_who_is_alone_holds_the_lock_for_longer(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is too long beside others is not, once nobody has written for a while."""
    pace, held = Pace(database, 100, 1_000), (HELD + ALONE) / 2
    write(pace, 100, held)
    assert pace.size < 100
    monkeypatch.setattr(module, "CALM", 0.0)
    before = pace.size
    write(pace, before, held)
    assert pace.size > before
    write(pace, pace.size, 2 * ALONE)
    assert pace.size < 100


def test_who_is_not_alone_any_more_takes_in_less_at_once(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As soon as somebody else has written, and not only when the lock was held too long."""
    monkeypatch.setattr(module, "CALM", 0.0)
    pace = Pace(database, 100, 1_000)
    for _ in range(3):
        write(pace, pace.size)
    before = pace.size
    with database.connection(), database.write() as transaction:
        transaction.execute("UPDATE node SET last_seq = last_seq + 1")
    with pace.write():
        assert pace.size <= before * HELD / ALONE + 1
    monkeypatch.setattr(module, "CALM", 1.0)
    pace.done(pace.size)
    write(pace, pace.size, (HELD + ALONE) / 2)
    assert pace.size < before


def test_others_write_between_two(database: Database) -> None:
    """Who waits for the lock gets it before the work is over."""
    pace, done = Pace(database, 100, 100), threading.Event()

    def other() -> None:
        with database.write():
            done.set()

    with pace.write():
        waiting = threading.Thread(target=other)
        waiting.start()
        time.sleep(2 * FREE)
        assert not done.is_set()
    rounds = 0
    while not done.is_set() and rounds < 1_000:
        write(pace, 100, FREE)
        rounds += 1
    waiting.join()
    assert rounds < 1_000


@pytest.mark.parametrize("calm", [1_000.0, -1.0])
def test_the_log_is_moved_between_two(
    database: Database, monkeypatch: pytest.MonkeyPatch, calm: float
) -> None:
    """It grows for some transactions, and is in the file then, and begins anew."""
    assert database.empty_log()
    monkeypatch.setattr(module, "CALM", calm)
    pace, log = Pace(database, 100, 100), f"{database.path}-wal"
    most = MOVED if calm > 0 else MOVED_ALONE
    sizes = []
    for number in range(most + 2):
        with pace.write() as transaction:
            transaction.execute("UPDATE node SET last_seq = ?", (number,))
        sizes.append(os.path.getsize(log))
    assert sizes[:most] == sorted(set(sizes[:most]))
    assert sizes[most:] == [sizes[most - 1]] * 2
