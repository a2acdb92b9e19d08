"""A nonce is taken once, by whatever process, for as long as it is kept."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from agent_memory_os.store.database import Database
from agent_memory_os.store.file import migrate
from agent_memory_os.store.peer import nonces

COUNT = "SELECT count(*) FROM nonces"
ONE, OTHER = "00" * 16, "11" * 16


class Clock:
    """A clock that is set."""

    now = 1_000

    def __call__(self) -> int:
        """Return the time that it was set to."""
        return self.now


@pytest.fixture
def clock() -> Clock:
    """Give a clock."""
    return Clock()


@pytest.fixture
def database(tmp_path: Path, clock: Clock) -> Iterator[Database]:
    """Give a node's file with nothing in it."""
    database = Database(str(tmp_path / "node.db"), clock, lambda: 0.5)
    migrate.prepare(database)
    yield database
    database.close()


def take(database: Database, device: str, nonce: str, until: int = 5_000) -> bool:
    """Take a nonce in a transaction of its own."""
    with database.write() as transaction:
        return nonces.take(transaction, device, nonce, until)


def test_a_nonce_is_taken_once(database: Database) -> None:
    """The second time it is refused, and another device's or another nonce is not."""
    assert take(database, "dev_a", ONE)
    assert not take(database, "dev_a", ONE)
    assert take(database, "dev_b", ONE)
    assert take(database, "dev_a", OTHER)


def test_a_restart_forgets_none(database: Database) -> None:
    """Another process on the file, and one that comes later, know it."""
    assert take(database, "dev_a", ONE)
    later = Database(database.path, database.clock, database.chance)
    assert not take(later, "dev_a", ONE)
    later.close()


def test_what_is_over_is_dropped(database: Database, clock: Clock) -> None:
    """A nonce is kept until its time is over, and not for longer."""
    assert take(database, "dev_a", ONE)
    clock.now = 5_000
    assert not take(database, "dev_a", ONE)
    clock.now = 5_001
    assert take(database, "dev_a", OTHER, 9_000)
    with database.read() as snapshot:
        assert snapshot.value(COUNT) == 1
