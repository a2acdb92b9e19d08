"""Backups of a served node: whole and verified on this machine, or not there at all."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent_memory_os import settings, wiring
from agent_memory_os.errors import AlreadyExists, InvalidInput, Refused, Unreachable
from agent_memory_os.model.principal import Principal
from agent_memory_os.remote.node import RemoteNode
from agent_memory_os.service.memory.add import NewMemory
from tests.api.served import Served, serving
from tests.remote.other import HTML, answering, cut_off, says

OPERATOR = Principal.operator()
KIND = "application/vnd.sqlite3"
TOLD = (
    'content-disposition: attachment; filename="agent-memory-abcdefgh-20260508T120000.000Z.db"\r\n'
    "agent-memory-memories: 3\r\n"
)


@pytest.fixture
def served() -> Iterator[Served]:
    """Give a node that is served, with three memories."""
    with serving() as found:
        for number in range(3):
            found.add("ann", f"note {number}")
        yield found


@pytest.fixture
def node(served: Served) -> Iterator[RemoteNode]:
    """Give the node as its operator reaches it."""
    found = RemoteNode(served.url, served.keys["operator"])
    yield found
    found.close()


def test_a_backup_comes_whole(served: Served, node: RemoteNode, tmp_path: Path) -> None:
    """A backup that was brought here can be restored, and nobody else may read it."""
    report = node.upkeep.backup(str(tmp_path / "one.db"))
    assert (report.path, report.memories, report.removed) == (str(tmp_path / "one.db"), 3, ())
    assert stat.S_IMODE(os.stat(report.path).st_mode) == 0o600
    assert os.listdir(tmp_path) == ["one.db"]
    home = settings.Settings(str(tmp_path / "home"), None)
    assert wiring.restore(home, report.path).memories == 3
    assert node.upkeep.backup(str(tmp_path / "one.db")).memories == 3
    actions = [one.action for one in served.node.upkeep.audit(OPERATOR).entries]
    assert actions.count("backup") == 2
    assert [name for name in os.listdir(served.home) if "sent" in name] == []


def test_older_backups_go(served: Served, node: RemoteNode, tmp_path: Path) -> None:
    """In a folder so many of this device are kept, and what else lies there stays."""
    folder = tmp_path / "backups"
    (tmp_path / "backups").mkdir()
    (folder / "notes.txt").write_text("mine")
    local = served.node.upkeep.backup(str(folder)).path
    removed: list[str] = []
    for _ in range(4):
        served.clock.ahead += 1000
        removed += node.upkeep.backup(f"{folder}{os.sep}", keep=2).removed
    assert local in removed
    assert len(list(folder.glob("agent-memory-*.db"))) == 2
    assert len(removed) == 3
    assert (folder / "notes.txt").read_text() == "mine"
    assert node.upkeep.backup(str(tmp_path / "made"), keep=1).path.startswith(
        str(tmp_path / "made")
    )


@pytest.mark.parametrize(
    ("destination", "how", "error", "words"),
    [
        (" ", {}, InvalidInput, "Say where"),
        ("x.db", {"keep": 0}, InvalidInput, "At least one"),
        ("nowhere/x.db", {}, InvalidInput, "There is no folder"),
        ("x.db", {"with_keys": True}, Refused, "not sent anywhere"),
        ("file.txt", {"keep": 1}, InvalidInput, "Only in a folder"),
        ("file.txt", {}, AlreadyExists, "no backup of this node"),
        ("other.db", {}, AlreadyExists, "no backup of this node"),
    ],
)
def test_where_a_backup_may_not_go(
    node: RemoteNode,
    tmp_path: Path,
    destination: str,
    how: dict[str, int],
    error: type[Exception],
    words: str,
) -> None:
    """A backup replaces nothing but a backup of its account, and goes where there is a place."""
    (tmp_path / "file.txt").write_text("mine")
    other = wiring.open_node(settings.Settings(str(tmp_path / "other"), None))
    other.upkeep.backup(str(tmp_path / "other.db"))
    other.close()
    before = {path.name: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    where = str(tmp_path / destination) if destination.strip() else destination
    with pytest.raises(error, match=words):
        node.upkeep.backup(where, **how)  # type: ignore[arg-type]
    assert {path.name: path.stat().st_mtime_ns for path in tmp_path.iterdir()} == before


def test_a_node_is_no_place_for_a_backup(served: Served, node: RemoteNode) -> None:
    """The file of a node is never replaced, not by a backup of itself either."""
    with pytest.raises(InvalidInput, match="is a node itself"):
        node.upkeep.backup(str(Path(served.home) / "node.db"))
    assert served.node.upkeep.check().ok


@pytest.mark.parametrize("what", ["text", "empty", "cut", "another", "page", "nameless", "path"])
def test_what_is_no_backup_is_not_kept(served: Served, tmp_path: Path, what: str) -> None:
    """Whatever else comes in the place of a backup, nothing of it is left, and what was stays."""
    shutil.copy(served.node.upkeep.backup(str(tmp_path / "real.db")).path, tmp_path / "kept.db")
    real = (tmp_path / "real.db").read_bytes()
    foreign = tmp_path / "foreign.db"
    with sqlite3.connect(foreign) as other:
        other.execute("CREATE TABLE t (x)")
    other.close()
    answers = {
        "text": says("200 OK", KIND, b"hello", TOLD),
        "empty": says("200 OK", KIND, b"", TOLD),
        "cut": cut_off(KIND, real[: len(real) // 2], TOLD),
        "another": says("200 OK", KIND, foreign.read_bytes(), TOLD),
        "page": says("200 OK", HTML, b"<html/>"),
        "nameless": says("200 OK", KIND, real, "agent-memory-memories: 3\r\n"),
        "path": says("200 OK", KIND, real, TOLD.replace("agent-memory-abc", "../../abc")),
    }
    before = {path.name for path in tmp_path.iterdir()}
    with answering(answers[what]) as url:
        stranger = RemoteNode(url)
        with pytest.raises(Unreachable):
            stranger.upkeep.backup(str(tmp_path / "kept.db"))
        with pytest.raises(Unreachable):
            stranger.upkeep.backup(str(tmp_path))
        stranger.close()
    assert {path.name for path in tmp_path.iterdir()} == before
    assert (tmp_path / "kept.db").read_bytes() == real


def test_an_export_that_breaks_off_is_told(served: Served) -> None:
    """Who reads an export that ends too soon is told that it is not whole."""
    lines = b"".join(line.encode() for line in served.node.transfer.export(OPERATOR))
    with answering(cut_off("application/x-ndjson", lines)) as url:
        node = RemoteNode(url)
        with pytest.raises(Unreachable, match="does not answer"):
            list(node.transfer.export(OPERATOR))
        node.close()


def test_erasing_leaves_no_byte_and_takes_no_backup_along(
    served: Served, node: RemoteNode, tmp_path: Path
) -> None:
    """What is erased over the wire is erased there; a backup here is refused before anything is."""
    who = node.acting("ann")
    memory = node.memories.add(who, NewMemory("a canary7731 sings")).memory
    with pytest.raises(InvalidInput, match="Nothing was erased"):
        node.memories.erase(who, [memory.id], [str(tmp_path / "x.db")])
    assert node.memories.get(who, memory.id).text
    assert node.memories.erase(who, [memory.id]) == (memory.id,)
    held = b"".join(path.read_bytes() for path in Path(served.home).glob("node.db*"))
    assert b"canary7731" not in held
