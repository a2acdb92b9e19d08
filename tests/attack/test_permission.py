"""A home that may not be read or written: each command says so in a sentence, or does without."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from agent_memory_os import settings, wiring
from agent_memory_os.errors import ReadOnlyHome
from tests.attack.line import LINES, lying
from tests.cli.warm import Warm, loaded

READING = (
    *("whoami", "list", "timeline now", "search tea", "pack tea", "agent list", "team list"),
    *("project list", "owner list", "export", "stats", "audit", "doctor", "check"),
    *(
        "key list",
        "usage",
        "status",
        "peers list",
        "peers card",
        "device list",
        "invitation list",
        "quarantine list",
        "conflicts --sync",
        "receipts",
        "neighbors",
    ),
    *(f"sync {words}" for words in ("auto --jitter 0", "pull", "push")),
)
"""What reads a home, and asks for nothing else; to sync with nobody is nothing else."""

BESIDE = ("backup copy.db", "export out.jsonl")
"""What reads a home, and writes elsewhere."""

ENDLESS = ("watch",)
"""What reads a home until it is told to stop."""

_DROP_FROM_BOUNDS = 24
_WHAT_IGNORES_MODES = (1, 2)


def give_up() -> None:
    """Give up what lets the superuser pass by the modes of files, for what is run next."""
    for capability in _WHAT_IGNORES_MODES:
        ctypes.CDLL(None).prctl(_DROP_FROM_BOUNDS, capability, 0, 0, 0)


@pytest.fixture(scope="module")
def bound() -> Iterator[None]:
    """Have the program loaded by somebody whom modes bind: the superuser is made so."""
    with loaded(give_up if os.geteuid() == 0 else None):
        yield


@pytest.fixture
def kept(tmp_path: Path, bound: None) -> Iterator[Warm]:  # noqa: ARG001 - it has the program loaded
    """Give the program on a home with a memory, and open what was closed at the end."""
    program = Warm(tmp_path)
    program.do("init", "--agent", "kim")
    program.do("add", "tea on Fridays")
    program.do("backup", "backup.db")
    (tmp_path / "notes.md").write_text("We drink tea.\n", encoding="utf-8")
    yield program
    program.home.chmod(0o700)
    (program.home / "keys").chmod(0o700)


def close(home: Path, folder: int, file: int) -> None:
    """Give all folders and files of a home these modes."""
    for path in (*home.rglob("*"), home):
        path.chmod(folder if path.is_dir() else file)


def test_a_home_that_may_only_be_read_is_read(kept: Warm) -> None:
    """What reads goes on, what writes is refused in a sentence, and nothing changes."""
    close(kept.home, 0o555, 0o444)
    before = lying(kept.home)
    for line in READING:
        assert kept.run(*line.split()).status == 0, line
    for line in BESIDE:
        kept.do(*line.split())
    assert "tea on Fridays" in kept.do("search", "tea")
    for line in LINES:
        if line not in (*READING, *BESIDE, *ENDLESS, "doctor --mend"):
            done = kept.run(*line.split())
            assert done.status in (1, 2), line
            assert done.err.count("error: ") == 1, done
    assert lying(kept.home) == before


CLOSED: dict[str, Callable[[Path], None]] = {
    "the home": lambda home: home.chmod(0),
    "the database": lambda home: (home / "node.db").chmod(0),
    "a folder above": lambda home: home.parent.chmod(0o600),
}


@pytest.mark.parametrize("what", CLOSED)
def test_a_closed_home_is_told_by_every_command(kept: Warm, what: str) -> None:
    """Whatever cannot be read, nobody is told that there is no node, or that a file is denied."""
    deep = kept.folder / "deep" / "er"
    deep.parent.mkdir()
    kept.home.rename(deep)
    CLOSED[what](deep)
    try:
        for line in LINES:
            told = kept.fails(1, "--home", str(deep), *line.split())
            assert told.endswith(("--home FOLDER", "nothing was changed.")), line
    finally:
        deep.parent.chmod(0o700)
        deep.rename(kept.home)
    kept.home.chmod(0o700)
    (kept.home / "node.db").chmod(0o600)
    assert kept.found("tea") == ["tea on Fridays"]


def test_keys_that_may_not_be_written_are_told(kept: Warm) -> None:
    """A home whose keys are closed becomes no new device, says so, and stays what it is."""
    (kept.home / "keys").chmod(0o500)
    before = lying(kept.home / "keys")
    assert "--home FOLDER" in kept.fails(1, "init", "--new-device")
    assert lying(kept.home / "keys") == before
    kept.do("check")


def test_a_file_in_the_place_of_the_home(tmp_path: Path) -> None:
    """Where the home is a file, the upkeep of it says so as everything else does."""
    (tmp_path / "home").write_text("held", encoding="utf-8")
    with pytest.raises(ReadOnlyHome, match="is a file, not a folder"):
        wiring.open_upkeep(settings.read(str(tmp_path / "home"), None, {}))
