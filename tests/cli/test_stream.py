"""The standard streams may be closed, full, or in another encoding: no command ends badly."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.cli.program import AGENT_MEMORY, Program

LINES = (
    "list",
    "list --json",
    "search tea",
    "pack tea",
    "add tea",
    "whoami",
    "doctor",
    "stats --json",
    "export",
    "--help",
    "--version",
    "search --help",
    "history --help",
    "get mem_" + "a" * 32,
    "nonsense",
)
BARE = {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
"""A locale that knows no more than ASCII, with Python's ways around it switched off."""


def in_locale(program: Program, locale: Mapping[str, str]) -> Program:
    """Return the program on the same home, in another locale."""

    class Elsewhere(Program):
        def environment(self, **more: str) -> dict[str, str]:
            return {**super().environment(**more), **locale}

    return Elsewhere(program.folder)


TEXT = "用户身份 café 🚀"


@pytest.fixture
def kept(fleet: Program) -> Program:
    """Give the program on a home with a memory."""
    fleet.do("add", "tea on Fridays", "--key", "k")
    return fleet


def told(program: Program, line: str, redirected: str) -> tuple[int, str, str]:
    """Run a line in a shell with streams redirected; return its status and what it printed."""
    done = subprocess.run(
        ["bash", "-c", f'set -o pipefail; "{AGENT_MEMORY}" {line} {redirected}'],
        check=False,
        capture_output=True,
        text=True,
        env=program.environment(),
        cwd=program.folder,
    )
    assert "Traceback" not in done.stderr, done
    assert "Exception ignored" not in done.stderr, done
    return done.returncode, done.stdout, done.stderr


def test_nothing_is_done_where_nobody_can_be_told(kept: Program) -> None:
    """With a closed standard output a command says so in a sentence, and does nothing."""
    for line in LINES:
        status, _, err = told(kept, line, ">&-")
        assert (status, err.count("\n")) == (1, 1), line
        assert "The standard output is closed, and nothing was done" in err
    assert json.loads(told(kept, "list --json", ">&-")[2])["code"] == "refused"
    assert [one["content"] for one in kept.json("list")["memories"]] == ["tea on Fridays"]


def test_output_that_cannot_be_written_is_an_error(kept: Program) -> None:
    """What does not fit the standard output ends with 1 and a sentence; an error stays itself."""
    for line in LINES:
        expected = told(kept, line, "")[0]
        status, _, err = told(kept, line, ">/dev/full")
        assert status == (expected or 1), line
        if not expected:
            assert "The output could not be written: No space left on device." in err, line


def test_a_reader_that_is_gone_ends_every_command_quietly(kept: Program) -> None:
    """Whichever way a command is run, a pipe that nobody reads ends it with 141, and no word."""
    for line in LINES:
        expected, _, complaint = told(kept, line, "")
        reading, writing = os.pipe()
        os.close(reading)
        done = subprocess.run(
            [AGENT_MEMORY, *line.split()],
            check=False,
            stdout=writing,
            stderr=subprocess.PIPE,
            env=kept.environment(),
        )
        os.close(writing)
        assert done.returncode == (expected or 141), line
        assert done.stderr.decode() == (complaint if expected else ""), line


@pytest.mark.parametrize("redirected", ["2>&-", "2>/dev/full"])
def test_what_nobody_hears_changes_nothing(kept: Program, redirected: str) -> None:
    """A standard error that takes nothing changes neither the result nor the status."""
    kept.do("add", "tea")
    for line in LINES:
        expected, out, _ = told(kept, line, "")
        status, printed, err = told(kept, line, redirected)
        assert (status, err) == (expected, ""), line
        if line not in ("doctor", "export"):  # they tell the time, and what is free on the disk
            assert printed == out, line


def test_no_file_takes_the_number_of_a_closed_stream(kept: Program) -> None:
    """With all three streams closed a command ends, and the database is as sound as before."""
    assert told(kept, "add more", "<&- 2>&- >&-")[0] == 1
    assert told(kept, "add more", "<&- 2>&- >/dev/null")[0] == 0
    assert told(kept, "add -", "<&-")[0] == 2
    assert kept.found("more") == ["more"]
    kept.do("check")


def test_words_are_utf8_whatever_the_locale(kept: Program) -> None:
    """In a bare locale words, files and their names are what they are in any other."""
    bare = in_locale(kept, BARE)
    place = kept.folder / "龙井"
    place.mkdir()
    (place / "café.md").write_text("# 茶\n\nWe drink 龙井.\n", encoding="utf-8")
    bare.do("add", TEXT)
    bare.do("add", "-", stdin=TEXT.encode())
    assert kept.found("用户") == [TEXT]
    assert bare.found("用户") == [TEXT]
    assert "café".encode("ascii", "backslashreplace").decode() in bare.do("list")
    assert "1 new" in bare.do("import", str(place))
    assert "1 known already" in kept.do("import", str(place))
    assert "no UTF-8" in bare.fails(2, "add", b"caf\xe9")
    bare.do("backup", str(place / "备份.db"))
    assert (place / "备份.db").is_file()
    assert TEXT in bare.do("export")
    assert bare.json("search", "用户")["hits"][0]["memory"]["content"] == TEXT


@pytest.mark.skipif(not shutil.which("localedef"), reason="no other locale can be made here")
def test_another_encoding_is_that_of_the_output_alone(kept: Program, tmp_path: Path) -> None:
    """In Latin-1 words are read as UTF-8 all the same, and what is printed is in Latin-1."""
    made = tmp_path / "locales" / "xx.ISO-8859-1"
    made.parent.mkdir()
    words = ["localedef", "-i", "en_US", "-f", "ISO-8859-1", str(made)]
    if subprocess.run(words, check=False, capture_output=True).returncode:
        pytest.skip("no other locale can be made here")
    latin = {"LOCPATH": str(made.parent), "LC_ALL": made.name, "PYTHONUTF8": "0"}
    foreign = in_locale(kept, latin)
    foreign.do("add", TEXT)
    assert kept.found("café") == [TEXT]
    done = subprocess.run(
        [AGENT_MEMORY, "search", "café"],
        check=True,
        capture_output=True,
        env=foreign.environment(),
    )
    assert TEXT.encode("latin-1", "backslashreplace") in done.stdout
