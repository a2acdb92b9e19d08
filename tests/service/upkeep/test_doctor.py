"""The doctor finds each fault, names it, says how to mend it, and changes nothing."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from agent_memory_os import settings, wiring
from agent_memory_os.model.identifier import kind_of
from agent_memory_os.model.register import of_time
from agent_memory_os.service.memory.change import UNDO_MS
from agent_memory_os.service.upkeep import Finding, Upkeep
from tests.store.sample import OPERATOR, Fleet, bytes_of, open_home

CHECKS = (
    *("home", "files", "disk", "sqlite", "file", "schema", "registers", "view", "index", "erased"),
    *("forgotten", "clock", "place", "settings", "keys", "recovery", "leftovers"),
)


def finding(fleet: Fleet, name: str) -> Finding:
    """Return what one check of the doctor's finds."""
    return next(each for each in fleet.node.upkeep.doctor(OPERATOR) if each.name == name)


def not_ok(fleet: Fleet) -> list[str]:
    """Return the names of the checks that find something."""
    return [each.name for each in fleet.node.upkeep.doctor(OPERATOR) if each.state != "ok"]


def test_a_node_that_was_only_used_is_well(fleet: Fleet) -> None:
    """Every check of a sound node says that all is well, in order, with a sentence."""
    found = fleet.node.upkeep.doctor(OPERATOR)
    assert tuple(each.name for each in found) == CHECKS
    assert [each for each in found if each.state != "ok" or each.mend] == []
    assert all(each.detail.endswith(".") for each in found)
    for mine, theirs in zip(found, fleet.node.upkeep.doctor(fleet.eve), strict=True):
        assert mine == theirs or mine.name == "disk"
    report = fleet.node.upkeep.check()
    assert report.ok
    assert len(report.lines) == 4


def test_looking_changes_nothing(fleet: Fleet) -> None:
    """Neither the doctor nor the check changes a byte of the file."""
    assert fleet.database.empty_log()
    before = bytes_of(fleet.path)
    fleet.node.upkeep.doctor(OPERATOR)
    fleet.node.upkeep.check()
    fleet.database.empty_log()
    assert bytes_of(fleet.path) == before


def test_what_others_may_read_is_named(fleet: Fleet) -> None:
    """A home, a database or a key that is open to others is named, and closed by mending."""
    fleet.home.chmod(0o755)
    key = fleet.home / "keys" / "root.key"
    key.chmod(0o644)
    os.chmod(fleet.path, 0o640)
    assert not_ok(fleet) == ["home", "files"]
    assert "mode 755" in finding(fleet, "home").detail
    assert "keys/root.key" in finding(fleet, "files").detail
    assert "node.db" in finding(fleet, "files").detail
    assert len(fleet.node.upkeep.mend()) == 3
    assert not_ok(fleet) == []
    assert fleet.home.stat().st_mode & 0o777 == 0o700
    assert key.stat().st_mode & 0o777 == 0o600


def test_a_home_that_is_not_there_is_said_to_be_missing(tmp_path: Path) -> None:
    """The doctor comes where nothing is, makes nothing, and says how to begin."""
    upkeep = wiring.open_upkeep(settings.read(str(tmp_path / "none"), None, {}))
    found = {each.name: each for each in upkeep.doctor(OPERATOR)}
    assert found["home"].state == found["file"].state == found["disk"].state == "fault"
    assert found["home"].mend == "agent-memory init"
    assert "view" not in found
    assert not upkeep.check().ok
    assert os.listdir(tmp_path) == []


def test_a_full_disk_is_a_fault_and_a_nearly_full_one_a_warning(
    fleet: Fleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The room that is left is told, and judged against what is needed."""
    free = "agent_memory_os.service.upkeep.home.free_bytes"
    for number, state in ((10**6, "fault"), (5 * 10**7, "warning"), (10**10, "ok")):
        monkeypatch.setattr(free, lambda _path, number=number: number)
        assert finding(fleet, "disk").state == state


def test_an_old_sqlite_is_named(fleet: Fleet, monkeypatch: pytest.MonkeyPatch) -> None:
    """A SQLite that is too old is a fault of the Python that has it."""
    monkeypatch.setattr("agent_memory_os.store.file.migrate._OLDEST_SQLITE", (99,))
    assert finding(fleet, "sqlite").state == "fault"


@pytest.mark.parametrize("content", [b"", b"\0" * 9000, b"notes of mine\n" * 500])
def test_a_file_that_is_no_database_is_a_fault(fleet: Fleet, content: bytes) -> None:
    """What is no database is named and left as it is, and nothing within it is looked at."""
    fleet.node.close()
    Path(fleet.path).write_bytes(content)
    found = {each.name: each for each in fleet.node.upkeep.doctor(OPERATOR)}
    assert found["file"].state == "fault"
    assert "restore" in found["file"].mend
    assert "registers" not in found
    assert not fleet.node.upkeep.check().ok
    assert Path(fleet.path).read_bytes() == content


def test_a_file_without_a_log_mode_is_looked_at_too(fleet: Fleet) -> None:
    """A file that was left without a write-ahead log is examined like any other."""
    fleet.database.maintain("PRAGMA journal_mode = DELETE")
    assert not_ok(fleet) == []


def test_a_newer_file_is_a_fault(fleet: Fleet) -> None:
    """A file of a newer version is named as one."""
    fleet.database.maintain("PRAGMA user_version = 99")
    fleet.node.close()
    assert "newer version" in finding(fleet, "file").detail


def test_a_damaged_page_is_a_fault(fleet: Fleet) -> None:
    """A page that was overwritten is a fault of the file, and a backup is the way back."""
    root = fleet.ask("SELECT rootpage FROM sqlite_schema WHERE name = 'documents'")[0][0]
    assert isinstance(root, int)
    fleet.node.close()
    with open(fleet.path, "r+b") as file:
        file.seek((root - 1) * 4096)
        file.write(b"\xa5" * 4096)
    assert finding(fleet, "file").state == "fault"
    assert not fleet.node.upkeep.check().ok


def test_a_reference_to_nothing_is_a_fault(fleet: Fleet) -> None:
    """A row that names a row which is not there is a fault of the file."""
    with fleet.database.connection() as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute("UPDATE grants SET scope = 99")
        connection.execute("PRAGMA foreign_keys = ON")
    assert "that name no row of scopes" in finding(fleet, "file").detail


@pytest.mark.parametrize(
    ("statement", "name", "state"),
    [
        ("DROP INDEX memories_by_same", "schema", "fault"),
        ("DROP TABLE audit", "schema", "fault"),
        ("UPDATE memories SET content = 'altered' WHERE rowid = 1", "registers", "fault"),
        ("UPDATE teams SET name = 'soyuz'", "view", "fault"),
        ("DELETE FROM documents WHERE memory = 1", "index", "fault"),
        ("UPDATE node SET unswept = 1", "erased", "warning"),
        ("UPDATE node SET home_mark = 'elsewhere:1'", "place", "warning"),
        ("UPDATE node SET settings_fault = 'node.toml, line 3: odd.'", "settings", "warning"),
        ("UPDATE node SET fleet_fault = 'agents.toml, line 9: odd.'", "settings", "warning"),
    ],
)
def test_each_fault_within_the_file_is_named(
    fleet: Fleet, statement: str, name: str, state: str
) -> None:
    """What is wrong within the file is found by the check that is there for it, with its mend."""
    fleet.say(statement)
    found = finding(fleet, name)
    assert found.state == state
    assert found.mend


def test_ids_are_told_to_the_operator_alone(fleet: Fleet) -> None:
    """Which memories are meant, and how many, an agent is not told."""
    fleet.say("UPDATE memories SET content = 'altered' WHERE rowid < 4")
    fleet.say("UPDATE teams SET name = 'soyuz'")
    fleet.say("DELETE FROM documents WHERE memory = 5")
    fleet.say("UPDATE memories SET forgotten_at = 0 WHERE state = 'forgotten'")
    told = " ".join(each.detail for each in fleet.node.upkeep.doctor(OPERATOR))
    assert "Memories that are not what their registers say: 3 (mem_" in told
    for each in fleet.node.upkeep.doctor(fleet.eve):
        assert "mem_" not in each.detail
        assert ": 3" not in each.detail
        assert not any(kind_of(word.strip("(),.")) for word in each.detail.split())


def test_a_clock_that_went_back_is_noticed(fleet: Fleet) -> None:
    """A newest write more than a minute ahead of the clock is a warning."""
    now = wiring.clock()
    fleet.say("UPDATE node SET last_stamp = ?", (of_time(now + 30_000),))
    assert finding(fleet, "clock").state == "ok"
    fleet.say("UPDATE node SET last_stamp = ?", (of_time(now + 3_600_000),))
    assert finding(fleet, "clock").state == "warning"
    assert "3,5" in finding(fleet, "clock").detail


def test_what_was_forgotten_long_ago_is_noticed_and_goes(fleet: Fleet) -> None:
    """Memories past the days of undo are a warning, and mending takes them away for good."""
    fleet.say(
        "UPDATE memories SET forgotten_at = ? WHERE state = 'forgotten'",
        (wiring.clock() - UNDO_MS,),
    )
    assert finding(fleet, "forgotten").state == "warning"
    assert "Of what was forgotten long ago, 1 are gone for good." in fleet.node.upkeep.mend()
    assert not_ok(fleet) == []


def test_keys_are_compared_with_the_account_and_the_device(fleet: Fleet, tmp_path: Path) -> None:
    """Keys that are missing, of another device or of another account are told apart."""
    keys = fleet.home / "keys"
    other = open_home(tmp_path / "other")
    other.close()
    fleet_key, other_key = keys / "device-sign.key", tmp_path / "other/keys/device-sign.key"
    held = fleet_key.read_bytes()
    fleet_key.unlink()
    assert finding(fleet, "keys").state == "warning"
    fleet_key.write_bytes(other_key.read_bytes())
    assert finding(fleet, "keys").mend == "agent-memory init --new-device"
    fleet_key.write_bytes(held)
    (keys / "root.key").write_bytes((tmp_path / "other/keys/root.key").read_bytes())
    assert "another account" in finding(fleet, "keys").detail


def test_what_was_left_behind_is_named_and_removed(fleet: Fleet) -> None:
    """Files that a crash left are named once nobody can be at them, and so are old copies."""
    broken = fleet.home / "node.db.restoring.partial"
    copy = fleet.home / "node.db.before-2"
    for path in (broken, copy):
        path.touch(0o600)
    assert finding(fleet, "leftovers").state == "ok"
    os.utime(broken, (0, 0))
    assert broken.name in finding(fleet, "leftovers").detail
    assert len(fleet.node.upkeep.mend()) == 1
    assert not broken.exists()
    os.utime(copy, (0, 0))
    found = finding(fleet, "leftovers")
    assert found.state == "warning"
    assert f"rm {copy.name}" in found.mend
    assert fleet.node.upkeep.mend() == ()
    assert copy.exists()


def test_a_home_that_cannot_be_written_to_is_a_fault(
    fleet: Fleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A home that one may not write to is a fault, and the rest is looked at all the same."""
    monkeypatch.setattr(os, "access", lambda _path, _mode: False)
    assert not_ok(fleet) == ["home"]


def test_who_writes_is_in_nobodys_way(fleet: Fleet) -> None:
    """Every check is done while another process holds the write lock, and waits for nobody."""
    fleet.database.patience = 0.0
    with closing(sqlite3.connect(fleet.path, isolation_level=None)) as holder:
        holder.execute("BEGIN IMMEDIATE")
        assert not_ok(fleet) == []
        assert fleet.node.upkeep.check().ok


def test_a_check_that_cannot_be_done_is_said_to_be(
    fleet: Fleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A check that something stands in the way of says so, and the others go on."""
    from agent_memory_os.errors import Busy
    from agent_memory_os.store.upkeep import index

    def refuse(*_: object, **__: object) -> list[str]:
        raise Busy("somebody writes")

    monkeypatch.setattr(index, "faults", refuse)
    assert finding(fleet, "index").state == "warning"
    assert not_ok(fleet) == ["index"]


def test_an_upkeep_is_there_before_the_node_is_opened(fleet: Fleet) -> None:
    """What a command gets for a file that may be damaged finds the same as an open node."""
    upkeep = wiring.open_upkeep(settings.read(str(fleet.home), None, {}))
    assert isinstance(upkeep, Upkeep)
    assert [each.name for each in upkeep.doctor(OPERATOR)] == list(CHECKS)
    assert [each for each in upkeep.doctor(OPERATOR) if each.state != "ok"] == []
