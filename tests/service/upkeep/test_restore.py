"""A backup takes the place of the node whole, under whoever uses it, or nothing changes."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from agent_memory_os import settings, wiring
from agent_memory_os.errors import (
    AgentMemoryError,
    Busy,
    ConfirmationNeeded,
    DamagedDatabase,
    ForeignDatabase,
    InvalidInput,
    NewerSchema,
    Refused,
)
from agent_memory_os.model.recall import Filter
from agent_memory_os.service.upkeep import RestoreReport
from agent_memory_os.store.file import migrate
from tests.store.sample import OPERATOR, Fleet, bytes_of, open_home


@pytest.fixture
def backup(fleet: Fleet, tmp_path: Path) -> str:
    """Give a backup of the fleet's node."""
    folder = tmp_path / "backups"
    folder.mkdir()
    return fleet.node.upkeep.backup(str(folder / "one.db"), with_keys=True).path


def restore(home: Path, source: str | Path, *, force: bool = False) -> RestoreReport:
    """Restore into a home, as the command does."""
    return wiring.restore(settings.read(str(home), None, {}), str(source), force=force)


def texts(fleet: Fleet) -> set[str]:
    """Return what Ada may read."""
    page = fleet.node.memories.list(fleet.ada, Filter(), 100)
    return {memory.text for memory in page.memories}


def node_row(fleet: Fleet) -> dict[str, object]:
    """Return the node's own row."""
    names = (
        "account",
        "device",
        "incarnation",
        "last_seq",
        "last_stamp",
        "chain_head",
        "home_mark",
    )
    return dict(zip(names, fleet.ask(f"SELECT {', '.join(names)} FROM node")[0], strict=True))


def test_a_backup_comes_back_under_an_open_node(fleet: Fleet, backup: str) -> None:
    """What came after the backup is gone, what was there is kept, and the open node goes on."""
    before = texts(fleet)
    fleet.remember("what came later")
    report = restore(fleet.home, backup, force=True)
    assert texts(fleet) == before
    assert report == RestoreReport(15, report.kept, ())
    with closing(sqlite3.connect(report.kept)) as connection:
        assert connection.execute("SELECT count(*) FROM memories").fetchone() == (16,)
    assert os.stat(report.kept).st_mode & 0o777 == 0o600
    fleet.remember("and on we go")
    assert [each for each in fleet.node.upkeep.doctor(OPERATOR) if each.state != "ok"] == []
    assert sorted(os.listdir(fleet.home)) == sorted(
        [
            os.path.basename(report.kept),
            "backup.json",
            "keys",
            "node.db",
            "node.db-shm",
            "node.db-wal",
        ]
    )


def test_a_restored_node_never_gives_out_a_number_twice(fleet: Fleet, backup: str) -> None:
    """The device stays, its log is a new one, and its numbers and stamps go on above all others."""
    fleet.remember("what came later")
    before = node_row(fleet)
    restore(fleet.home, backup, force=True)
    after = node_row(fleet)
    same = ("account", "device", "home_mark")
    assert [after[name] for name in same] == [before[name] for name in same]
    assert after["incarnation"] != before["incarnation"]
    assert after["chain_head"] == ""
    for name in ("last_seq", "last_stamp"):
        assert after[name] > before[name]  # type: ignore[operator]
    restore(fleet.home, backup, force=True)
    assert node_row(fleet)["last_seq"] > after["last_seq"]  # type: ignore[operator]
    fleet.node.organisation.add_team("artemis")
    assert fleet.ask("SELECT chain FROM registers ORDER BY lseq DESC LIMIT 1") == [("",)]


def test_memories_are_not_replaced_without_a_word(fleet: Fleet, backup: str) -> None:
    """Where memories would be replaced that must be confirmed, and the error tells how many."""
    fleet.remember("what came later")
    with pytest.raises(ConfirmationNeeded, match="replaces 16 memories with 15"):
        restore(fleet.home, backup)
    assert "what came later" in texts(fleet)


def test_a_lost_machine_is_restored_into_a_new_home(
    fleet: Fleet, backup: str, tmp_path: Path
) -> None:
    """With its keys the node is the same account; as a possible twin it asks to become a device."""
    fleet.node.close()
    shutil.rmtree(fleet.home)
    report = restore(fleet.home, backup)
    assert report.memories == 15
    assert report.kept == ""
    assert "keys came with the backup" in report.notes[0]
    assert (fleet.home / "keys" / "root.key").stat().st_mode & 0o777 == 0o600
    assert (fleet.home / "keys").stat().st_mode & 0o777 == 0o700
    assert fleet.home.stat().st_mode & 0o777 == 0o700
    where = settings.read(str(fleet.home), None, {})
    node = wiring.open_node(where)
    assert "copied or moved" in node.warnings[0]
    node.close()
    wiring.become_new_device(where)
    again = wiring.open_node(where)
    assert again.warnings == ()
    assert [each for each in again.upkeep.doctor(OPERATOR) if each.state != "ok"] == []
    again.close()
    assert not (tmp_path / "home" / "keys.partial").exists()


def test_a_backup_without_keys_is_remembered_alone(
    fleet: Fleet, backup: str, tmp_path: Path
) -> None:
    """Without keys all memories come back, the node says what it cannot do, and makes no mess."""
    os.unlink(backup + ".keys")
    fleet.node.close()
    home = tmp_path / "new"
    report = restore(home, backup)
    assert report.memories == 15
    assert "goes on alone" in report.notes[0]
    node = open_home(home)
    assert node.warnings == ()
    found = {each.name: each.state for each in node.upkeep.doctor(OPERATOR)}
    assert found["keys"] == "warning"
    node.close()
    with pytest.raises(Refused, match="keys of this node's account"):
        wiring.become_new_device(settings.read(str(home), None, {}))


def test_a_home_that_became_another_device_stays_that_device(fleet: Fleet, backup: str) -> None:
    """A backup of an earlier device of the home is restored as the device whose keys it has."""
    earlier = node_row(fleet)
    fleet.node.close()
    device = wiring.become_new_device(settings.read(str(fleet.home), None, {}))
    restore(fleet.home, backup, force=True)
    after = node_row(fleet)
    assert after["device"] == device != earlier["device"]
    assert after["last_seq"] > earlier["last_seq"]  # type: ignore[operator]
    assert {row[0] for row in fleet.ask("SELECT device FROM devices")} == {
        device,
        earlier["device"],
    }
    assert [each for each in fleet.node.upkeep.doctor(OPERATOR) if each.state != "ok"] == []


def test_a_backup_of_another_account_is_refused(fleet: Fleet, backup: str, tmp_path: Path) -> None:
    """Another account's backup is refused, with or without keys on either side."""
    other = open_home(tmp_path / "other")
    path = other.context.database.path
    with pytest.raises(Refused, match="another account"):
        restore(tmp_path / "other", backup, force=True)
    other.close()
    shutil.rmtree(tmp_path / "other" / "keys")
    with pytest.raises(Refused, match="another account"):
        restore(tmp_path / "other", backup, force=True)
    os.unlink(path)
    assert restore(tmp_path / "other", backup).memories == 15
    assert len(texts(fleet)) == 14


def wrong(folder: Path, backup: str) -> dict[str, tuple[Path, type[AgentMemoryError]]]:
    """Return files that are no backups of ours, and how each is refused."""
    kinds: dict[str, type[AgentMemoryError]] = {
        "none": InvalidInput,
        "folder": InvalidInput,
        "empty": InvalidInput,
        "text": DamagedDatabase,
        "foreign": ForeignDatabase,
        "newer": NewerSchema,
        "damaged": DamagedDatabase,
        "cut": DamagedDatabase,
        "other_schema": DamagedDatabase,
        "no_node": DamagedDatabase,
    }
    paths = {name: folder / f"{name}.db" for name in kinds}
    paths["folder"].mkdir()
    paths["empty"].touch()
    paths["text"].write_text("notes of mine\n" * 500)
    content = Path(backup).read_bytes()
    for name in ("newer", "other_schema", "no_node"):
        paths[name].write_bytes(content)
    paths["damaged"].write_bytes(content[: 4096 * 9] + b"\xa5" * 4096 + content[4096 * 10 :])
    paths["cut"].write_bytes(content[: 4096 * 20])
    for name, statement in (
        ("foreign", "CREATE TABLE things (name TEXT)"),
        ("newer", "PRAGMA user_version = 99"),
        ("other_schema", "DROP TABLE audit"),
        ("no_node", "DELETE FROM node"),
    ):
        with closing(sqlite3.connect(paths[name], isolation_level=None)) as connection:
            connection.execute(statement)
    return {name: (paths[name], kind) for name, kind in kinds.items()}


def test_what_is_no_backup_of_ours_changes_nothing(
    fleet: Fleet, backup: str, tmp_path: Path
) -> None:
    """Whatever is named, if it is no sound backup it is refused, and no byte changes anywhere."""
    assert fleet.database.empty_log()
    before = bytes_of(fleet.path)
    for name, (path, kind) in wrong(tmp_path, backup).items():
        held = path.read_bytes() if path.is_file() else b""
        with pytest.raises(kind) as caught:
            restore(fleet.home, path, force=True)
        assert type(caught.value) is kind, name
        assert path.name in str(caught.value)
        assert "othing was restored" in str(caught.value) or kind is InvalidInput
        assert (path.read_bytes() if path.is_file() else b"") == held
    assert bytes_of(fleet.path) == before
    assert not [name for name in os.listdir(fleet.home) if "before" in name or "partial" in name]


@pytest.mark.parametrize("name", ["node.db", "node.db-wal"])
def test_the_node_is_no_backup_of_itself(fleet: Fleet, name: str) -> None:
    """To restore the node's own file is refused."""
    fleet.remember("there is a log now")
    with pytest.raises(InvalidInput, match="the node itself"):
        restore(fleet.home, fleet.home / name, force=True)


@pytest.mark.parametrize("content", [b"\0" * 9000, b"notes of mine\n" * 500, b""])
def test_a_damaged_node_is_replaced_and_kept(fleet: Fleet, backup: str, content: bytes) -> None:
    """What is no database any more is put aside as it is, with its log, and the backup put in."""
    fleet.node.close()
    Path(fleet.path).write_bytes(content)
    log = Path(fleet.path + "-wal")
    log.touch(0o600)
    log.write_bytes(b"what was in the log")
    if content:
        with pytest.raises(ConfirmationNeeded, match="what is damaged"):
            restore(fleet.home, backup)
    report = restore(fleet.home, backup, force=True)
    assert Path(report.kept).read_bytes() == content
    assert Path(report.kept + "-wal").read_bytes() == b"what was in the log"
    assert len(texts(fleet)) == 14
    assert [each for each in fleet.node.upkeep.doctor(OPERATOR) if each.state != "ok"] == []


def test_a_node_with_damaged_pages_is_replaced_and_kept(fleet: Fleet, backup: str) -> None:
    """A file that SQLite can still open is overwritten, and its damage is kept as it is."""
    roots = fleet.ask("SELECT rootpage FROM sqlite_schema WHERE tbl_name IN ('memories', 'node')")
    fleet.node.close()
    with open(fleet.path, "r+b") as file:
        for (root,) in roots:
            assert isinstance(root, int)
            file.seek((root - 1) * 4096)
            file.write(b"\xa5" * 4096)
    with pytest.raises(ConfirmationNeeded, match="what is damaged"):
        restore(fleet.home, backup)
    report = restore(fleet.home, backup, force=True)
    assert b"\xa5" * 4096 in bytes_of(report.kept)
    assert [each for each in fleet.node.upkeep.doctor(OPERATOR) if each.state != "ok"] == []


def test_a_foreign_or_newer_node_is_left_as_it_is(
    fleet: Fleet, backup: str, tmp_path: Path
) -> None:
    """A backup does not take the place of another program's database, or of a newer node."""
    home = tmp_path / "foreign"
    home.mkdir()
    with closing(sqlite3.connect(home / "node.db")) as connection:
        connection.execute("CREATE TABLE things (name TEXT)")
    with pytest.raises(ForeignDatabase, match="left as it is"):
        restore(home, backup, force=True)
    fleet.database.maintain("PRAGMA user_version = 99")
    with pytest.raises(NewerSchema, match="Update agent-memory-node"):
        restore(fleet.home, backup, force=True)


def test_an_older_backup_is_brought_up_to_date(
    fleet: Fleet, backup: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A backup of an earlier version is migrated on its way, and itself stays what it is."""
    folder = tmp_path / "migrations"
    folder.mkdir()
    for _, path in migrate.migrations():
        shutil.copy(path, folder)
    (folder / f"{migrate.latest_version() + 1:04}_notes.sql").write_text(
        "CREATE TABLE notes (note TEXT) STRICT;\n"
    )
    monkeypatch.setattr(migrate, "_FOLDER", str(folder))
    before = Path(backup).read_bytes()
    restore(fleet.home, backup, force=True)
    assert fleet.ask("SELECT count(*) FROM notes") == [(0,)]
    assert Path(backup).read_bytes() == before


def test_a_backup_with_pages_of_another_size_fits(fleet: Fleet, backup: str) -> None:
    """A backup whose pages have another size is brought to the size of the present file."""
    with closing(sqlite3.connect(backup, isolation_level=None)) as connection:
        connection.execute("PRAGMA page_size = 8192")
        connection.execute("VACUUM")
    restore(fleet.home, backup, force=True)
    assert fleet.ask("PRAGMA page_size") == [(4096,)]
    assert len(texts(fleet)) == 14


def test_a_backup_with_a_log_beside_it_is_read_with_its_log(fleet: Fleet, tmp_path: Path) -> None:
    """A file that was copied by hand together with its log is restored with all that it holds."""
    fleet.remember("only in the log")
    by_hand = tmp_path / "by-hand.db"
    for side in ("", "-wal"):
        Path(f"{by_hand}{side}").write_bytes(bytes_of(fleet.path + side))
    assert b"only in the log" not in by_hand.read_bytes()
    restore(fleet.home, by_hand, force=True)
    assert "only in the log" in texts(fleet)


def test_a_writer_is_waited_for_and_then_refused(fleet: Fleet, backup: str) -> None:
    """While another process writes nothing is replaced, and that is said."""
    with closing(sqlite3.connect(fleet.path, isolation_level=None)) as holder:
        holder.execute("BEGIN IMMEDIATE")
        context = fleet.node.context
        context.database.patience = 0.2
        from agent_memory_os.service.upkeep import restore as restore_in

        with pytest.raises(Busy, match="nothing was changed"):
            restore_in(context, backup, force=True)
    assert not [name for name in os.listdir(fleet.home) if "before" in name or "partial" in name]


def test_keys_that_are_none_are_not_put_in(fleet: Fleet, backup: str, tmp_path: Path) -> None:
    """A file of keys that is not whole is refused, and nothing is restored."""
    fleet.node.close()
    Path(f"{backup}.keys").write_text("root 00\n")
    with pytest.raises(DamagedDatabase, match="does not hold the keys"):
        restore(tmp_path / "new", backup)
    assert os.listdir(tmp_path / "new") == []


def test_keys_stay_what_they_are(fleet: Fleet, backup: str) -> None:
    """Keys of the present file are kept, but for those of agents that the backup does not know."""
    keys = fleet.node.keys
    operators = keys.create("desk", "operator")
    revoked = keys.create("lost", "metrics")
    keys.revoke("lost")
    fleet.node.organisation.add_agent("late")
    keys.create("late", "agent", "late")
    restore(fleet.home, backup, force=True)
    assert {key.name for key in keys.list()} == {"desk", "lost"}
    assert keys.authenticate(operators.token) is not None
    assert keys.authenticate(revoked.token) is None


def test_no_invitation_comes_back(fleet: Fleet, tmp_path: Path) -> None:
    """A code that was tried, used or withdrawn since a backup opens nothing after its restore."""
    fleet.node.organisation.add_team("zeus")
    invited = fleet.node.invitations.team("zeus")
    path = fleet.node.upkeep.backup(str(tmp_path / "two.db"), with_keys=True).path
    fleet.node.invitations.withdraw(invited.number)
    restore(fleet.home, path, force=True)
    assert fleet.node.invitations.list() == ()
