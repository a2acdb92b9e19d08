"""A restore under others, or cut short, loses nothing that was acknowledged."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing, suppress
from pathlib import Path

import pytest

from agent_memory_os import settings, wiring
from agent_memory_os.errors import Busy
from agent_memory_os.service.upkeep import RestoreReport
from tests.store.sample import ROOT, Fleet, bytes_of, furnish

RESTORE = """
import sys
from agent_memory_os import settings, wiring
where = settings.read(sys.argv[1], None, {})
print("restoring", flush=True)
wiring.restore(where, sys.argv[2], force=True)
"""


@pytest.fixture
def backup(fleet: Fleet, tmp_path: Path) -> str:
    """Give a backup of the fleet's node, which has memories of every state."""
    furnish(fleet)
    return fleet.node.upkeep.backup(str(tmp_path / "one.db")).path


def restore(home: Path, source: str) -> RestoreReport:
    """Restore into a home, as the command does."""
    return wiring.restore(settings.read(str(home), None, {}), source, force=True)


def test_no_acknowledged_write_is_lost_by_a_restore(fleet: Fleet, backup: str) -> None:
    """What others write meanwhile is in the node afterwards, or in the copy that was kept."""
    done = threading.Event()
    written: list[str] = []

    def write() -> None:
        while not done.is_set():
            written.append(fleet.remember(f"written {len(written)}").id)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        time.sleep(0.2)
        reports = [restore(fleet.home, backup) for _ in range(4)]
        time.sleep(0.1)
    finally:
        done.set()
        writer.join()
    held = {row[0] for row in fleet.ask("SELECT id FROM memories")}
    for report in reports:
        with closing(sqlite3.connect(report.kept)) as connection:
            held |= {row[0] for row in connection.execute("SELECT id FROM memories")}
    assert len(written) > 10
    assert set(written) <= held
    assert len({report.kept for report in reports}) == 4


def test_a_restore_that_is_killed_leaves_the_old_or_the_new(fleet: Fleet, backup: str) -> None:
    """Killed at any moment, a restore leaves all that was there or all of the backup."""
    fleet.fill(1200)
    larger = fleet.node.upkeep.backup(f"{backup}.larger").path
    states = {15, 1215}
    for delay in (0.0, 0.1, 0.18, 0.24, 0.3, 0.36, 0.45):
        source = backup if fleet.ask("SELECT count(*) FROM memories") == [(1215,)] else larger
        fleet.node.close()
        process = subprocess.Popen(
            [sys.executable, "-c", RESTORE, str(fleet.home), source],
            stdout=subprocess.PIPE,
            cwd=ROOT,
        )
        assert process.stdout
        assert process.stdout.readline() == b"restoring\n"
        time.sleep(delay)
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        assert fleet.ask("PRAGMA integrity_check") == [("ok",)]
        count = fleet.ask("SELECT count(*) FROM memories")[0][0]
        assert count in states
        assert fleet.ask("SELECT count(*) FROM documents") == [(int(str(count)) - 1,)]
    assert restore(fleet.home, backup).memories == 15
    assert fleet.node.upkeep.check().ok


def test_nothing_taken_back_is_back_after_a_restore(fleet: Fleet, backup: str) -> None:
    """What others erase, forget and revoke meanwhile is so afterwards, however close they come."""
    memories = [fleet.remember(f"canary{number:03}", "global").id for number in range(150)]
    source = fleet.node.upkeep.backup(f"{backup}.filled").path
    done = threading.Event()
    taken: list[tuple[str, str]] = []

    def take_back() -> None:
        acts = (fleet.node.memories.forget, fleet.node.memories.revoke)
        for number, memory_id in enumerate(memories):
            if done.is_set():
                break
            if number % 20 == 0:
                fleet.node.memories.erase(fleet.ada, [memory_id])
                taken.append(("erased", memory_id))
            else:
                acts[number % 2](fleet.ada, memory_id)
                taken.append((("forgotten", "revoked")[number % 2], memory_id))
            time.sleep(0.01)

    other = threading.Thread(target=take_back)
    other.start()
    try:
        for _ in range(5):
            with suppress(Busy):
                restore(fleet.home, source)
    finally:
        done.set()
        other.join()
    restore(fleet.home, source)
    states = {str(row[0]): row[1:] for row in fleet.ask(STATES)}
    assert len(taken) > 10
    for fate, memory_id in taken:
        held = states.get(memory_id)
        if fate == "erased":
            assert held is None
        else:
            assert held is not None
            assert held[0] == "forgotten" if fate == "forgotten" else held[1] == 0
    assert fleet.node.upkeep.check().ok


STATES = """
SELECT m.id, m.state, (
  SELECT count(*) FROM grants AS g WHERE g.memory = m.rowid AND g.until IS NULL
) FROM memories AS m
"""


def test_a_restore_that_is_killed_brings_nothing_back(fleet: Fleet, backup: str) -> None:
    """Killed at any moment, what was taken back stays so, and a further restore does the rest."""
    erased, forgotten, revoked = (fleet.remember(f"canary{n}", "global").id for n in range(3))
    fleet.fill(800)
    (fleet.home / "agents.toml").write_text('[agents.ada]\nteams = ["apollo"]\n')
    fleet.node.close()
    wiring.open_node(settings.read(str(fleet.home), None, {})).close()
    source = fleet.node.upkeep.backup(f"{backup}.filled").path
    fleet.node.memories.erase(fleet.ada, [erased])
    fleet.node.memories.forget(fleet.ada, forgotten)
    fleet.node.memories.revoke(fleet.ada, revoked)
    (fleet.home / "agents.toml").unlink()
    for delay in (0.0, 0.1, 0.2, 0.28, 0.34, 0.4, 0.5, 0.6):
        fleet.node.close()
        process = subprocess.Popen(
            [sys.executable, "-c", RESTORE, str(fleet.home), source],
            stdout=subprocess.PIPE,
            cwd=ROOT,
        )
        assert process.stdout
        process.stdout.readline()
        time.sleep(delay)
        process.kill()
        process.wait()
        process.stdout.close()
        states = {str(row[0]): row[1:] for row in fleet.ask(STATES)}
        assert erased not in states
        assert states[forgotten][0] == "forgotten"
        assert states[revoked][1] == 0
        assert fleet.node.upkeep.check().ok
        content = bytes_of(fleet.path) + bytes_of(fleet.path + "-wal")
        assert b"canary0" not in content
    restore(fleet.home, source)
    assert (fleet.home / "agents.toml").exists()
    assert not [name for name in os.listdir(fleet.home) if name.endswith("toml.partial")]
