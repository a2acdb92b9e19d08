"""A home of Agent Memory OS 1.10 is left as it lies, whatever is asked of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from agent_memory_os import MemoryClient, settings, wiring
from agent_memory_os.cli import app
from agent_memory_os.errors import ForeignHome
from tests.attack.line import ELSEWHERE, LINES, lying
from tests.cli.program import Program
from tests.cli.warm import Warm, loaded
from tests.federation.shown import ANNS

SAID = "is the home of an earlier Agent Memory OS and was left untouched"


@pytest.fixture
def earlier(tmp_path: Path) -> Iterator[Program]:
    """Give the program on a home of the earlier system, with a backup of ours beside it."""
    program = Warm(tmp_path)
    with loaded():
        yield _beside(program)


def _beside(program: Program) -> Program:
    program.do("--home", "ours", "add", "tea")
    program.do("--home", "ours", "backup", "backup.db")
    (program.folder / "notes.md").write_text("# Tea\n\nWe drink tea.\n", encoding="utf-8")
    program.home.mkdir()
    for name in ("memories.db", "memories.db-wal", "agents.toml", "instance.toml", "sync_key"):
        (program.home / name).write_bytes(f"theirs: {name}".encode())
    return program


def test_every_command_leaves_it(earlier: Program) -> None:
    """Each command that works on a home refuses it in one sentence, and writes nothing."""
    before = lying(earlier.home)
    for line in LINES:
        assert SAID in earlier.fails(1, *line.split()), line
        assert lying(earlier.home) == before, line
    earlier.do("demo")
    assert lying(earlier.home) == before
    assert sorted(path.name for path in earlier.folder.iterdir()) == [
        *("backup.db", "home", "notes.md", "ours")
    ]


def test_no_command_is_left_out() -> None:
    """Every command stands in the list."""
    names = [name for _, section in app.SECTIONS for name in section if name not in ELSEWHERE]
    known = {" ".join(entry.words) for name in names for entry in app.entries(name)}
    asked = {words for words in known if any(line.startswith(words) for line in LINES)}
    assert asked == known


def test_every_way_in_leaves_it(earlier: Program) -> None:
    """Whatever a program calls, it is refused, and nothing is written."""
    home, source = str(earlier.home), str(earlier.folder / "backup.db")
    read = settings.read(home, None, {})
    ways: list[Callable[[], object]] = [
        lambda: MemoryClient(home),
        lambda: MemoryClient(home, agent="kim", create=False),
        lambda: wiring.open_node(read),
        lambda: wiring.open_upkeep(read),
        lambda: wiring.become_new_device(read),
        lambda: wiring.join_account(read, ANNS),
        lambda: wiring.restore(read, source),
        lambda: wiring.restore(read, source, force=True),
    ]
    before = lying(earlier.home)
    for way in ways:
        with pytest.raises(ForeignHome, match=SAID):
            way()
        assert lying(earlier.home) == before
