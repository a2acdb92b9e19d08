"""A backup is a sound copy, made while others write, and never takes the place of anything else."""

from __future__ import annotations

import os
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest

from agent_memory_os.errors import (
    AlreadyExists,
    DamagedDatabase,
    InvalidInput,
    ReadOnlyHome,
    Refused,
)
from agent_memory_os.service.upkeep import BackupReport, LastBackup
from agent_memory_os.store.write import writing
from tests.store.sample import Fleet, bytes_of, open_home


def count(path: str) -> int:
    """Return how many memories are in a backup."""
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        return int(connection.execute("SELECT count(*) FROM memories").fetchone()[0])


def test_a_backup_in_a_file(fleet: Fleet, tmp_path: Path) -> None:
    """A backup has the name that was given, mode 0600, every memory, and no log."""
    target = tmp_path / "mine.db"
    report = fleet.node.upkeep.backup(str(target))
    assert report == BackupReport(str(target), 15, ())
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert [name for name in os.listdir(tmp_path) if "mine" in name] == ["mine.db"]
    with closing(sqlite3.connect(target)) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    fleet.remember("one more")
    assert fleet.node.upkeep.backup(str(target)).memories == 16
    assert count(str(target)) == 16


def test_the_home_knows_of_its_last_backup(fleet: Fleet, tmp_path: Path) -> None:
    """When and where the last backup was made is noted, for oneself; damage there is no fault."""
    upkeep, home = fleet.node.upkeep, Path(fleet.node.context.home)
    assert upkeep.last_backup() is None
    report = upkeep.backup(str(tmp_path / "mine.db"))
    found = upkeep.last_backup()
    assert found == LastBackup(found.at if found else 0, report.path)
    note = home / "backup.json"
    assert stat.S_IMODE(note.stat().st_mode) == 0o600
    note.write_text("[]")
    assert upkeep.last_backup() is None
    note.unlink()
    note.mkdir()
    assert upkeep.backup(str(tmp_path / "mine.db")).path == report.path


def test_backups_in_a_folder_are_named_and_the_old_ones_go(fleet: Fleet, tmp_path: Path) -> None:
    """Each has a name of its own; of this device's, and of no other, the newest so many stay."""
    folder = tmp_path / "backups"
    folder.mkdir()
    other = open_home(tmp_path / "other")
    other.upkeep.backup(str(folder))
    other.close()
    mine = folder / "agent-memory-notes.txt"
    mine.write_text("mine")
    paths = [fleet.node.upkeep.backup(str(folder)).path for _ in range(3)]
    assert len(set(paths)) == 3
    false = f"{paths[0].rpartition('-')[0]}-19990101T000000.000Z.db"
    Path(false).write_text("no database")
    Path(f"{paths[0]}.partial").write_text("broken off")
    report = fleet.node.upkeep.backup(str(folder), keep=2)
    assert report.removed == tuple(paths[:2])
    left = set(os.listdir(folder))
    assert {os.path.basename(path) for path in (paths[2], report.path, false)} < left
    assert mine.name in left
    assert len(left) == 5
    assert fleet.node.upkeep.backup(str(folder), keep=9).removed == ()


@pytest.mark.parametrize(("name", "keep"), [("backups", 2), ("backups/", None), ("b/c/", None)])
def test_a_folder_that_is_not_there_is_made(
    fleet: Fleet, tmp_path: Path, name: str, keep: int | None
) -> None:
    """What can only be a folder is made, for its owner alone; the folders above it are not."""
    destination = str(tmp_path) + "/" + name
    if name == "b/c/":
        with pytest.raises(Refused, match="No such file or directory"):
            fleet.node.upkeep.backup(destination, keep=keep)
        return
    path = fleet.node.upkeep.backup(destination, keep=keep).path
    assert os.path.dirname(path) == str(tmp_path / "backups")
    assert stat.S_IMODE((tmp_path / "backups").stat().st_mode) == 0o700
    assert fleet.node.upkeep.backup(destination, keep=1).removed == (path,)


def test_backups_of_one_instant_have_names_of_their_own(fleet: Fleet, tmp_path: Path) -> None:
    """Two backups within a millisecond do not take each other's place."""
    fleet.database.clock = lambda: 1_700_000_000_123
    first = fleet.node.upkeep.backup(str(tmp_path)).path
    second = fleet.node.upkeep.backup(str(tmp_path)).path
    assert first.endswith("-20231114T221320.123Z.db")
    assert second.endswith("-20231114T221320.123Z-2.db")
    assert count(first) == count(second) == 15


@pytest.mark.parametrize("name", ["node.db", "node.db-wal", "node.db-shm", "hard", "soft"])
def test_the_node_is_never_its_own_backup(fleet: Fleet, name: str) -> None:
    """The node's file, its log, and other names of them are refused."""
    os.link(fleet.path, fleet.home / "hard")
    os.symlink(fleet.path + "-wal", fleet.home / "soft")
    fleet.remember("there is a log now")
    with pytest.raises(InvalidInput, match="the node itself"):
        fleet.node.upkeep.backup(str(fleet.home / name))
    assert fleet.node.upkeep.check().ok


def test_what_is_not_ours_is_never_replaced(fleet: Fleet, tmp_path: Path) -> None:
    """A file, another program's database and another account's backup are left as they are."""
    notes = tmp_path / "notes.txt"
    notes.write_text("mine")
    foreign = tmp_path / "foreign.db"
    with closing(sqlite3.connect(foreign)) as connection:
        connection.execute("CREATE TABLE things (name TEXT)")
    other = open_home(tmp_path / "other")
    theirs = other.upkeep.backup(str(tmp_path / "theirs.db")).path
    other.close()
    empty = tmp_path / "empty.db"
    empty.touch()
    for path in (notes, foreign, Path(theirs), empty):
        before = path.read_bytes()
        with pytest.raises(AlreadyExists, match="left as it is"):
            fleet.node.upkeep.backup(str(path))
        assert path.read_bytes() == before


def test_a_name_that_leads_elsewhere_is_followed(fleet: Fleet, tmp_path: Path) -> None:
    """A link to a backup stays a link, and what it leads to is replaced."""
    real, link = tmp_path / "real.db", tmp_path / "link.db"
    fleet.node.upkeep.backup(str(real))
    link.symlink_to(real)
    fleet.remember("one more")
    assert fleet.node.upkeep.backup(str(link)).path == str(real)
    assert link.is_symlink()
    assert count(str(real)) == 16


def test_odd_requests_are_refused(fleet: Fleet, tmp_path: Path) -> None:
    """To keep none, to keep some of a file, and a folder that is not there are refused."""
    with pytest.raises(InvalidInput, match="At least one"):
        fleet.node.upkeep.backup(str(tmp_path), keep=0)
    fleet.node.upkeep.backup(str(tmp_path / "one.db"))
    with pytest.raises(InvalidInput, match="name a folder"):
        fleet.node.upkeep.backup(str(tmp_path / "one.db"), keep=3)
    (tmp_path / "dangling.db").symlink_to(tmp_path / "nowhere" / "else.db")
    with pytest.raises(InvalidInput, match="There is no folder"):
        fleet.node.upkeep.backup(str(tmp_path / "dangling.db"))
    with pytest.raises(InvalidInput, match="There is no folder"):
        fleet.node.upkeep.backup(str(tmp_path / "none" / "one.db"))


def test_a_folder_that_cannot_be_written_to_is_told(
    fleet: Fleet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the system refuses is told in a sentence, and nothing is left behind."""
    real = os.open

    def closed(path: str, flags: int, mode: int = 0o777) -> int:
        if str(path).endswith(".partial"):
            raise PermissionError(13, "Permission denied", path)
        return real(path, flags, mode)

    monkeypatch.setattr(os, "open", closed)
    with pytest.raises(ReadOnlyHome, match="cannot be written to"):
        fleet.node.upkeep.backup(str(tmp_path / "one.db"))
    assert os.listdir(tmp_path) == ["home"]


def test_a_damaged_node_gives_no_backup(fleet: Fleet, tmp_path: Path) -> None:
    """A backup of a damaged file would be worth nothing: it is refused, and an older one stays."""
    target = tmp_path / "one.db"
    fleet.node.upkeep.backup(str(target))
    before = target.read_bytes()
    fleet.node.close()
    with open(fleet.path, "r+b") as file:
        file.seek(4096 * 9)
        file.write(b"\xa5" * 4096)
    with pytest.raises(DamagedDatabase, match="no backup was made"):
        fleet.node.upkeep.backup(str(target))
    assert target.read_bytes() == before


def test_a_backup_holds_nothing_of_what_was_erased(fleet: Fleet, tmp_path: Path) -> None:
    """Where the file was not swept yet, its backup is."""
    memory = fleet.remember("the canary warbles")
    fleet.remember("the sparrow chirps")
    with fleet.database.read() as snapshot:
        with writing(fleet.database) as writer:
            writer.erase(memory.id)
        assert snapshot.value("SELECT count(*) FROM memories WHERE id = ?", (memory.id,)) == 1
        path = fleet.node.upkeep.backup(str(tmp_path / "one.db")).path
    content = bytes_of(path)
    assert [word for word in (b"canary", b"canari", b"warbl") if word in content] == []
    assert b"sparrow" in content


def test_keys_are_in_a_file_of_their_own_and_only_if_asked_for(
    fleet: Fleet, tmp_path: Path
) -> None:
    """A backup has no private key in it; asked for, they lie beside it with mode 0600."""
    folder = tmp_path / "backups"
    folder.mkdir()
    held = (fleet.home / "keys" / "root.key").read_text().strip()
    plain = fleet.node.upkeep.backup(str(folder))
    assert plain.keys == ""
    assert os.listdir(folder) == [os.path.basename(plain.path)]
    report = fleet.node.upkeep.backup(str(folder), with_keys=True)
    assert report.keys == f"{report.path}.keys"
    keys = Path(report.keys)
    assert stat.S_IMODE(keys.stat().st_mode) == 0o600
    assert f"root {held}\n" in keys.read_text()
    for path in (plain.path, report.path):
        assert held.encode() not in bytes_of(path)
        assert bytes.fromhex(held) not in bytes_of(path)
    last = fleet.node.upkeep.backup(str(folder), keep=1)
    assert os.listdir(folder) == [os.path.basename(last.path)]


def test_keys_that_are_missing_cannot_be_kept(fleet: Fleet, tmp_path: Path) -> None:
    """Where a key cannot be read, that is said, and the backup itself is there."""
    (fleet.home / "keys" / "root.key").unlink()
    with pytest.raises(DamagedDatabase, match=r"root\.key cannot be read"):
        fleet.node.upkeep.backup(str(tmp_path / "one.db"), with_keys=True)
    assert count(str(tmp_path / "one.db")) == 15


def test_a_node_of_no_database_has_no_backup(fleet: Fleet, tmp_path: Path) -> None:
    """Where there is no node yet, there is nothing to back up."""
    fleet.node.close()
    os.unlink(fleet.path)
    with pytest.raises((DamagedDatabase, Refused), match="not there"):
        fleet.node.upkeep.backup(str(tmp_path / "one.db"))
    assert not (tmp_path / "one.db").exists()
