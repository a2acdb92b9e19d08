"""The files that people edit are in a backup, and come back where the home has none."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from agent_memory_os import settings, wiring
from agent_memory_os.service.upkeep import RestoreReport
from agent_memory_os.store.node import files as held_files
from agent_memory_os.store.node import home
from tests.store.sample import OPERATOR, Fleet, open_home

FLEET = """\ufeff# the fleet\r
[agents.ada]\r
teams = ["apollo"]\r
[agents.gil]\r
teams = ["artemis"]\r
"""
SETTINGS = 'default_agent = "gil" # for now\n'


@pytest.fixture
def declared(fleet: Fleet) -> Fleet:
    """Give a node whose files say something, which was applied."""
    (fleet.home / "agents.toml").write_text(FLEET, encoding="utf-8", newline="")
    (fleet.home / "node.toml").write_text(SETTINGS, encoding="utf-8")
    return again(fleet)


def again(fleet: Fleet) -> Fleet:
    """Open a fleet's node again, as the next command does."""
    fleet.node.close()
    return fleet._replace(node=open_home(fleet.home))


def backup(fleet: Fleet, name: str = "one.db") -> str:
    """Make a backup beside the home."""
    return fleet.node.upkeep.backup(str(fleet.home.parent / name), with_keys=True).path


def restore(where: Path, source: str) -> RestoreReport:
    """Restore into a home, as the command does."""
    return wiring.restore(settings.read(str(where), None, {}), source, force=True)


def state(fleet: Fleet) -> tuple[object, ...]:
    """Return who is a member of what, who acts where nobody is named, and all that was written."""
    agents = fleet.node.organisation.agents()
    count = fleet.ask("SELECT count(*) FROM registers")
    return agents, fleet.node.default_agent, count


def test_a_fresh_machine_gets_the_same_fleet(declared: Fleet, tmp_path: Path) -> None:
    """Both files come back to the letter, for their owner alone, and are not applied once more."""
    declared.node.organisation.leave("gil", "team:artemis")
    before = state(declared)
    source = backup(declared)
    new = tmp_path / "new"
    report = restore(new, source)
    assert [note for note in report.notes if "put back" in note] == [
        f"{new}/agents.toml was put back from the backup.",
        f"{new}/node.toml was put back from the backup.",
    ]
    for name in ("agents.toml", "node.toml"):
        assert (new / name).read_bytes() == (declared.home / name).read_bytes()
        assert os.stat(new / name).st_mode & 0o777 == 0o600
    there = declared._replace(node=open_home(new), home=new)
    assert state(there) == before
    assert held_in(there) == []
    assert [each for each in there.node.upkeep.doctor(OPERATOR) if each.state == "fault"] == []
    assert not [name for name in os.listdir(new) if "restoring" in name]
    there.node.close()


def held_in(fleet: Fleet) -> list[object]:
    """Return what a node's own database holds of files."""
    with fleet.database.read() as snapshot:
        return [*held_files(snapshot)]


def test_a_file_that_is_there_is_left_alone(declared: Fleet) -> None:
    """What somebody has edited since stays to the letter, and counts; that it differs is told."""
    source = backup(declared)
    edited = FLEET.replace('"apollo"', '"apollo", "artemis"')
    (declared.home / "agents.toml").write_text(edited, encoding="utf-8", newline="")
    report = restore(declared.home, source)
    assert report.notes == (
        f"{declared.home}/agents.toml was left as it is; the backup holds another one.",
    )
    assert (declared.home / "agents.toml").read_bytes() == edited.encode()
    there = again(declared)
    ada = next(view for view in there.node.organisation.agents() if view.agent.name == "ada")
    assert ada.teams == ("apollo", "artemis")


@pytest.mark.parametrize("make", [os.mkdir, lambda path: os.symlink("nowhere", path)])
def test_whatever_is_there_is_left_alone(declared: Fleet, make: object) -> None:
    """A folder or a link that leads nowhere, under the name of a file, is not replaced."""
    source = backup(declared)
    path = declared.home / "agents.toml"
    path.unlink()
    make(path)  # type: ignore[operator]
    report = restore(declared.home, source)
    assert "agents.toml was left as it is" in report.notes[0]
    assert not path.is_file()


def test_a_file_that_was_removed_comes_back(declared: Fleet) -> None:
    """In the home that it was taken from a file comes back only if it is not there any more."""
    source = backup(declared)
    before = state(declared)
    (declared.home / "node.toml").unlink()
    assert restore(declared.home, source).notes == (
        f"{declared.home}/node.toml was put back from the backup.",
    )
    there = again(declared)
    assert state(there) == before


def test_what_was_not_applied_is_read_when_it_is_back(declared: Fleet, tmp_path: Path) -> None:
    """A file that was edited or had a fault when the backup was made is new to a restored node."""
    (declared.home / "agents.toml").write_text("[agents.gil]\nteams = []\n[agents.hal]\n")
    (declared.home / "node.toml").write_text("default_agent = 5\n")
    source = backup(declared)
    shutil.rmtree(declared.home / "keys")
    restore(tmp_path / "new", source)
    there = declared._replace(node=open_home(tmp_path / "new"))
    names = {view.agent.name: view.teams for view in there.node.organisation.agents()}
    assert names["hal"] == names["gil"] == ()
    assert there.node.default_agent == "gil"
    assert "default_agent is text" in there.node.warnings[-1]
    with there.database.read() as snapshot:
        found = home(snapshot)
    assert found is not None
    assert found.fleet_mark
    there.node.close()


def test_what_is_no_text_is_not_in_a_backup(declared: Fleet, tmp_path: Path) -> None:
    """A folder, or bytes that are no text, are left out, and nothing comes back for them."""
    (declared.home / "agents.toml").unlink()
    (declared.home / "agents.toml").mkdir()
    (declared.home / "node.toml").write_bytes(b"\xff\xfe")
    source = backup(declared)
    report = restore(tmp_path / "new", source)
    assert not [note for note in report.notes if "put back" in note]
    assert sorted(os.listdir(tmp_path / "new")) == ["keys", "node.db"]


def test_no_other_file_is_written(declared: Fleet, tmp_path: Path) -> None:
    """Whatever names a backup holds, none but the two files of a home comes out of it."""
    source = backup(declared)
    with closing(sqlite3.connect(source, isolation_level=None)) as connection:
        connection.execute("UPDATE files SET name = '../' || name")
        connection.execute("INSERT INTO files VALUES ('keys', 'x', 1), ('', 'x', 1)")
    report = restore(tmp_path / "new", source)
    assert not [note for note in report.notes if "put back" in note]
    assert sorted(os.listdir(tmp_path / "new")) == ["keys", "node.db"]
    assert not (tmp_path / "agents.toml").exists()


def test_a_restore_that_fails_writes_no_file(
    declared: Fleet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where nothing is restored no file is put back, and nothing is left aside."""
    source = backup(declared)
    (declared.home / "agents.toml").unlink()
    declared.node.close()
    monkeypatch.setattr(os, "link", lambda *_: None)
    path = tmp_path / "locked"
    path.mkdir()
    with closing(sqlite3.connect(declared.path, isolation_level=None)) as holder:
        holder.execute("BEGIN IMMEDIATE")
        from agent_memory_os.errors import Busy
        from agent_memory_os.service.upkeep import restore as restore_in

        context = declared.node.context
        context.database.patience = 0.1
        with pytest.raises(Busy):
            restore_in(context, source, force=True)
    assert not [name for name in os.listdir(declared.home) if "toml" in name and "node" not in name]
    assert not [name for name in os.listdir(declared.home) if "restoring" in name]
