"""Keeping a node well from the command line."""

from __future__ import annotations

import sqlite3

import pytest

from tests.cli.program import Program


def test_a_sound_node(fleet: Program) -> None:
    """Doctor and check find nothing wrong with a node that is used as it should be."""
    fleet.do("add", "tea", "--share", "team:apollo")
    told = fleet.json("doctor")
    assert {finding["state"] for finding in told["findings"]} == {"ok"}, told
    assert "ok" in fleet.do("doctor")
    assert fleet.json("check")["ok"] is True
    assert fleet.do("check")


@pytest.mark.parametrize("command", ["doctor", "check", "reindex"])
def test_no_node_yet(program: Program, command: str) -> None:
    """Upkeep of a home that is not there says so, and makes none."""
    assert "agent-memory init" in program.fails(1, command)
    assert not program.home.exists()


def test_a_broken_index_is_found_and_mended(fleet: Program) -> None:
    """An index that lost its rows is named, mended, and found from again."""
    fleet.do("add", "the kettle")
    with sqlite3.connect(fleet.home / "node.db") as database:
        tables = [row[0] for row in database.execute("SELECT name FROM sqlite_schema")]
        for name in tables:
            if name.endswith(("_docsize", "_data")):
                database.execute(f"DELETE FROM {name}")
    database.close()
    told = fleet.run("doctor")
    assert told.status == 3, told
    assert "index" in told.err
    fleet.fails(3, "check")
    mended = fleet.json("doctor", "--mend")
    assert mended["mended"]
    assert fleet.found("kettle") == ["the kettle"]
    assert fleet.json("check")["ok"] is True


def test_reindex(fleet: Program) -> None:
    """The index is made anew, and the answers are the same."""
    fleet.do("add", "the kettle")
    assert fleet.do("reindex") == "Indexed 1 memory anew.\n"
    assert fleet.json("reindex")["memories"] == 1
    assert fleet.found("kettle") == ["the kettle"]


def test_backup_and_restore(fleet: Program) -> None:
    """A backup goes to a folder, older ones are removed, and it can be put back."""
    folder = fleet.folder / "backups"
    fleet.do("add", "before")
    first = fleet.json("backup", str(folder), "--keep", "7")
    assert first["memories"] == 1
    second = fleet.json("backup", str(folder), "--keep", "1")
    assert second["removed"] == [first["path"]]
    assert [str(path) for path in folder.iterdir()] == [second["path"]]
    fleet.do("add", "after")
    refused = fleet.fails(1, "restore", second["path"])
    assert "replaces 2 memories with 1 memory; a copy" in refused
    assert "--yes" in refused
    assert set(fleet.found("before")) == {"before"}
    told = fleet.json("restore", second["path"], "--yes")
    assert told["memories"] == 1
    assert told["kept"]
    assert fleet.found("after") == []
    assert fleet.found("before") == ["before"]
    assert "is the node itself" in fleet.fails(2, "backup", str(fleet.home / "node.db"))
    assert fleet.fails(2, "backup", str(folder), "--keep", "0")


def test_the_keys_go_to_a_file_of_their_own(fleet: Program) -> None:
    """Where the private keys lie, and that they are to be kept like a password, is said."""
    fleet.do("add", "one")
    assert "keep that file like a password" in fleet.do("backup", "one.db", "--with-keys")
    assert (fleet.folder / "one.db.keys").is_file()
    assert fleet.json("backup", "two.db", "--with-keys")["keys"].endswith("two.db.keys")
    assert fleet.json("backup", "three.db")["keys"] is None


@pytest.mark.parametrize("content", [b"", b"text", b"SQLite format 3\x00" + b"\xff" * 4096])
def test_what_is_no_backup_restores_nothing(fleet: Program, content: bytes) -> None:
    """What is no backup of a node is refused, and the node is as it was."""
    fleet.do("add", "before")
    (fleet.folder / "x.db").write_bytes(content)
    done = fleet.run("restore", "x.db", "--force")
    assert done.status in (2, 3), done
    assert fleet.run("restore", "nothing.db", "--force").status == 2
    assert fleet.found("before") == ["before"]


def test_stats(fleet: Program) -> None:
    """An agent counts what it may read, and the operator the whole node."""
    fleet.do("add", "one", "--pin", "--type", "fact")
    fleet.do("add", "two", "--as", "eve")
    told = fleet.json("stats")
    assert (told["shown"], told["pinned"], told["types"]) == (1, 1, {"fact": 1})
    assert told["owners"] == {"ann": 1}
    assert told["node"] == {}
    whole = fleet.json("stats", "--as-operator")
    assert whole["shown"] == 2
    assert whole["node"]["registers"] > 2
    assert "memories   2 (1 pinned)" in fleet.do("stats", "--as-operator")
    assert "eve" not in fleet.do("stats")
