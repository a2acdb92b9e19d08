"""Erased means gone: from the file, its log, its index, copies in the home and named backups."""

from __future__ import annotations

import itertools
import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from agent_memory_os.errors import (
    DamagedDatabase,
    ForeignDatabase,
    InvalidInput,
    NotAllowed,
    ReadOnlyHome,
    TooLarge,
    Unswept,
)
from agent_memory_os.service.memory import erase
from agent_memory_os.store.file import migrate
from tests.store.sample import OPERATOR, Fleet, bytes_of, plain

READ = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("BEGIN")
connection.execute("SELECT count(*) FROM memories").fetchone()
print("reading", flush=True)
sys.stdin.read(1)
"""


def holding(fleet: Fleet, word: str) -> list[str]:
    """Return the names of the files in the home in which a word can be read."""
    names = [name for name in os.listdir(fleet.home) if (fleet.home / name).is_file()]
    return [name for name in names if word.encode() in bytes_of(str(fleet.home / name))]


def test_an_erased_memory_is_nowhere_in_the_home(fleet: Fleet) -> None:
    """Content, index terms, tags, versions and reasons are gone from every file of the home."""
    memory = fleet.remember("the canary warbles", tags=("yellowish",), summary="of a birdcage")
    fleet.node.memories.edit(fleet.ada, memory.id, {"content": "a nightingale"}, "misheard")
    kept = fleet.remember("the sparrow chirps")
    words = ("canary", "warbl", "yellowish", "birdcage", "nightingal", "misheard")
    assert all(holding(fleet, word) for word in words)
    assert fleet.node.memories.erase(fleet.ada, [memory.id[:14]]) == (memory.id,)
    assert [word for word in words if holding(fleet, word)] == []
    assert fleet.node.memories.get(fleet.ada, kept.id).text == "the sparrow chirps"
    assert fleet.ask("SELECT actor, action, object FROM audit") == [
        (fleet.ada.agent, "erase", memory.id)
    ]
    assert fleet.node.upkeep.check().ok


def test_a_forgotten_memory_is_erased_too(fleet: Fleet) -> None:
    """What was forgotten before can be erased at once, and the operator may erase as well."""
    memories = [fleet.remember(f"the canary {number}") for number in range(2)]
    for memory in memories:
        fleet.node.memories.forget(fleet.ada, memory.id)
    ids = tuple(memory.id for memory in memories)
    assert fleet.node.memories.erase(OPERATOR, ids) == ids
    assert holding(fleet, "canary") == []


def test_what_may_not_be_erased_is_not(fleet: Fleet) -> None:
    """A memory of another's is not erased, and then nothing of the same request is."""
    shared = fleet.remember("the canary warbles", "global")
    with pytest.raises(NotAllowed, match="its owner"):
        fleet.node.memories.erase(fleet.bob, [shared.id])
    assert fleet.node.memories.get(fleet.bob, shared.id)


def test_so_many_are_erased_at_once(fleet: Fleet) -> None:
    """More than a page of memories is refused, however many are named, and all of them stay."""
    memory = fleet.remember("the canary warbles")
    with pytest.raises(TooLarge, match="nothing was erased"):
        fleet.node.memories.erase(fleet.ada, itertools.repeat(memory.id))
    assert fleet.node.memories.get(fleet.ada, memory.id) == memory


def test_backups_that_are_named_are_swept(fleet: Fleet, tmp_path: Path) -> None:
    """A named backup loses what was erased and keeps the rest; others stay as they are."""
    memory = fleet.remember("the canary warbles")
    fleet.remember("the sparrow chirps")
    paths = [fleet.node.upkeep.backup(str(tmp_path / f"{name}.db")).path for name in "abc"]
    with closing(sqlite3.connect(paths[1], isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("SELECT count(*) FROM memories").fetchone()
    before = Path(paths[2]).read_bytes()
    fleet.node.memories.erase(fleet.ada, [memory.id], paths[:2])
    for path in paths[:2]:
        content = bytes_of(path)
        assert b"canary" not in content
        assert b"warbl" not in content
        assert b"sparrow" in content
        with closing(sqlite3.connect(path)) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            assert connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)
            assert connection.execute("SELECT unswept FROM node").fetchone() == (0,)
            assert connection.execute("SELECT id FROM tombstones").fetchall() == [(memory.id,)]
        assert os.stat(path).st_mode & 0o777 == 0o600
    assert Path(paths[2]).read_bytes() == before
    assert sorted(os.listdir(tmp_path)) == ["a.db", "b.db", "c.db", "home"]


def test_a_backup_that_cannot_be_swept_is_refused_before_anything_is_erased(
    fleet: Fleet, tmp_path: Path
) -> None:
    """What is no backup is refused, and the memory stays."""
    memory = fleet.remember("the canary warbles")
    (tmp_path / "empty.db").touch()
    (tmp_path / "text.db").write_text("notes of mine\n" * 500)
    for name, kind in (
        ("none.db", InvalidInput),
        ("empty.db", ForeignDatabase),
        ("text.db", DamagedDatabase),
    ):
        with pytest.raises(kind):
            fleet.node.memories.erase(fleet.ada, [memory.id], [str(tmp_path / name)])
    assert fleet.node.memories.get(fleet.ada, memory.id)


def test_an_older_backup_is_brought_up_to_date_and_swept(
    fleet: Fleet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A backup of an earlier version is swept without a copy of what it was."""
    memory = fleet.remember("the canary warbles")
    path = fleet.node.upkeep.backup(str(tmp_path / "one.db")).path
    folder = tmp_path / "migrations"
    folder.mkdir()
    for _, each in migrate.migrations():
        shutil.copy(each, folder)
    (folder / "0002_notes.sql").write_text("CREATE TABLE notes (note TEXT) STRICT;\n")
    monkeypatch.setattr(migrate, "_FOLDER", str(folder))
    migrate.prepare(fleet.database)
    assert "node.db.before-2" in holding(fleet, "canary")
    fleet.node.memories.erase(fleet.ada, [memory.id], [path])
    assert holding(fleet, "canary") == []
    assert not (fleet.home / "node.db.before-2").exists()
    assert b"canary" not in bytes_of(path)
    assert not [name for name in os.listdir(tmp_path) if "before" in name or "partial" in name]


def test_copies_from_before_a_restore_are_swept(fleet: Fleet, tmp_path: Path) -> None:
    """What a restore kept of the node is swept as well, and keeps the rest."""
    from agent_memory_os.service.upkeep import restore

    backup = fleet.node.upkeep.backup(str(tmp_path / "one.db")).path
    memory = fleet.remember("the canary warbles")
    fleet.remember("the sparrow chirps")
    first = restore(fleet.node.context, backup, force=True)
    restore(fleet.node.context, first.kept, force=True)
    assert len(erase.copies(fleet.node.context)) == 2
    fleet.node.memories.erase(fleet.ada, [memory.id])
    assert holding(fleet, "canary") == []
    assert os.path.basename(first.kept) in holding(fleet, "sparrow")


def test_a_copy_that_cannot_be_swept_is_named(fleet: Fleet) -> None:
    """A copy of a damaged database may hold anything: that is said, and all else is swept."""
    memory = fleet.remember("the canary warbles")
    damaged = fleet.home / "node.db.before-restore-1"
    damaged.write_bytes(b"the canary warbles" + b"\0" * 9000)
    with pytest.raises(Unswept, match=r"before-restore-1 is a copy of a damaged database"):
        fleet.node.memories.erase(fleet.ada, [memory.id])
    assert holding(fleet, "canary") == [damaged.name]
    (fleet.home / "node.db.before-2.partial").write_bytes(b"the canary")
    damaged.unlink()
    other = fleet.remember("the canary whistles")
    fleet.node.memories.erase(fleet.ada, [other.id])
    assert holding(fleet, "canary") == []


def test_another_process_that_reads_delays_the_sweep(fleet: Fleet) -> None:
    """While another process keeps an earlier state the erasure says so, and is finished later."""
    memory = fleet.remember("the canary warbles")
    fleet.database.patience = 0.2
    reader = subprocess.Popen(
        [sys.executable, "-c", READ, fleet.path],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=plain(),
    )
    assert reader.stdout
    assert reader.stdout.readline() == b"reading\n"
    with pytest.raises(Unswept, match="found by no read"):
        fleet.node.memories.erase(fleet.ada, [memory.id])
    assert fleet.ask("SELECT count(*) FROM memories") == [(0,)]
    found = [each for each in fleet.node.upkeep.doctor(OPERATOR) if each.state != "ok"]
    assert [each.name for each in found] == ["erased"]
    reader.communicate(b"x")
    fleet.node.upkeep.mend()
    assert holding(fleet, "canary") == []


def test_a_backup_in_a_closed_folder_is_named_and_the_rest_is_swept(
    fleet: Fleet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where one backup cannot be swept, the node and the other backups are all the same."""
    memory = fleet.remember("the canary warbles")
    paths = [fleet.node.upkeep.backup(str(tmp_path / f"{name}.db")).path for name in "ab"]
    real = os.open

    def closed(path: str, flags: int, mode: int = 0o777) -> int:
        if str(path) == f"{paths[0]}.partial.partial":
            raise PermissionError(13, "Permission denied", path)
        return real(path, flags, mode)

    monkeypatch.setattr(os, "open", closed)
    with pytest.raises(ReadOnlyHome, match="cannot be written to"):
        fleet.node.memories.erase(fleet.ada, [memory.id], paths)
    assert holding(fleet, "canary") == []
    assert b"canary" in bytes_of(paths[0])
    assert b"canary" not in bytes_of(paths[1])


def crowd(fleet: Fleet, count: int) -> list[str]:
    """Fill a node, and return the ids of some memories from all over it."""
    memories = fleet.fill(count)
    return [memories[at].id for at in (0, 1, count // 3, count // 2, count - 2, count - 1)]


def erased_of_a_crowd(fleet: Fleet, count: int) -> None:
    """Erase some memories of many, one by one, and look for each word of theirs."""
    for memory_id in crowd(fleet, count):
        text = fleet.node.memories.get(fleet.ada, memory_id).text
        assert fleet.node.memories.erase(fleet.ada, [memory_id]) == (memory_id,)
        content = b"".join(bytes_of(fleet.path + side) for side in ("", "-wal"))
        # The part of each word that no other memory has, whatever the index made of the rest.
        assert [word for word in text.split() if word[:9].encode() in content] == []
    assert fleet.node.upkeep.check().ok


def test_nothing_of_one_among_thousands_is_left(fleet: Fleet) -> None:
    """Among three thousand memories every word of an erased one is gone, whichever it is."""
    erased_of_a_crowd(fleet, 3_000)


@pytest.mark.soak
def test_nothing_of_one_among_very_many_is_left(fleet: Fleet) -> None:
    """Among a hundred thousand memories every word of an erased one is gone, whichever it is."""
    erased_of_a_crowd(fleet, 100_000)
