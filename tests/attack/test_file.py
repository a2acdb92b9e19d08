"""The files that people edit: where a fault is told, and what is no file of text."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from agent_memory_os import MemoryClient
from agent_memory_os.errors import BadFleetFile
from agent_memory_os.service.fleet import parse
from agent_memory_os.service.node import LocalNode

FAULTS = {
    "the same key of another agent": ('[agents.a]\nnotes = "x"\n[agents.b]\nnotes = 5\n', 4),
    "the same key of a team": ('[teams.b]\nnotes = "x"\n[agents.b]\nnotes = 5\n', 4),
    "the value in another text": ('[agents.a]\nnotes = "robot"\nkind = "robot"\n', 3),
    "the value at another agent": (
        '[agents.a]\nnotes = "kind robot"\n\n[agents."b"]\nkind = "robot"\n',
        5,
    ),
    "a table in a line": ('[agents]\na = { notes = "x" }\nb = { notes = 5 }\n', 3),
    "a key with dots": ('agents.a.notes = "x"\n\nagents.b.notes = 5\n', 3),
    "a project's table": ('[projects."x/a"]\nnotes = "x"\n[projects."x/b"]\nnotes = 5\n', 4),
}


@pytest.mark.parametrize("what", FAULTS)
def test_a_fault_is_told_at_its_own_line(what: str) -> None:
    """A word that stands elsewhere too is told where it is wrong."""
    text, line = FAULTS[what]
    with pytest.raises(BadFleetFile, match=rf"agents\.toml, line {line}:"):
        parse(text, "agents.toml")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home that has been used."""
    folder = tmp_path / "home"
    MemoryClient(str(folder), agent="planner").close()
    return folder


@pytest.mark.parametrize("name", ["agents.toml", "node.toml"])
@pytest.mark.parametrize("make", [os.mkdir, os.mkfifo], ids=["folder", "pipe"])
def test_what_is_no_file_is_not_read(home: Path, name: str, make: Callable[[Path], None]) -> None:
    """A folder or a pipe in the place of a file is a warning that names it, and nothing waits."""
    (home / name).unlink(missing_ok=True)
    make(home / name)
    with MemoryClient(str(home), agent="planner") as client:
        assert [name in warning for warning in client.node.warnings] == [True]
        assert client.list().memories == ()


@pytest.mark.parametrize("name", ["agents.toml", "node.toml"])
def test_a_mark_of_the_encoding_is_no_fault(home: Path, name: str) -> None:
    """A file that begins with a byte order mark is read like any other."""
    texts = {
        "agents.toml": '[agents.bot]\nkind = "codex"\n',
        "node.toml": 'default_agent = "bot"\n',
    }
    (home / name).write_text(texts[name], encoding="utf-8-sig")
    with MemoryClient(str(home), agent="planner") as client:
        assert isinstance(client.node, LocalNode)
        assert client.node.warnings == ()
        known = (
            client.node.default_agent
            if name == "node.toml"
            else client.node.organisation.agent("bot").name
        )
        assert known == "bot"


def test_a_bad_default_agent_is_told_with_its_file(home: Path) -> None:
    """A name that can be no agent's is told with the file that it stands in."""
    (home / "node.toml").write_text('default_agent = "*"\n', encoding="utf-8")
    with MemoryClient(str(home), agent="planner") as client:
        assert "node.toml" in client.node.warnings[0]
