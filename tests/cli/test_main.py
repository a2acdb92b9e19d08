"""Every way that a command can end has its status and its one sentence, and none is a traceback."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import stat
import subprocess
from pathlib import Path

import pytest

from agent_memory_os import __version__
from agent_memory_os.cli import app, main
from tests.cli.program import AGENT_MEMORY, Program

MISSING = "mem_" + "a" * 32
HELP = Path(main.__file__).with_name("help.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "words",
    [(), ("--help",), ("-h",), ("help",), ("--home", "x", "--help"), ("--json", "-h")],
)
def test_help_is_the_file(program: Program, words: tuple[str, ...]) -> None:
    """The program alone, or asked for help, prints the file, and makes no home."""
    assert program.do(*words) == HELP
    assert not program.home.exists()


def test_help_of_a_command(program: Program) -> None:
    """Each kind of command tells its own help, with an example."""
    assert "Example:\n    agent-memory search" in program.do("search", "--help")
    assert "Example:\n    agent-memory share" in program.do("share", "-h")
    assert "add-member" in program.do("team")
    assert "Example:\n    agent-memory team create" in program.do("team", "create", "--help")
    assert not program.home.exists()


def test_version(program: Program) -> None:
    """The version is the package's."""
    assert program.do("--version") == f"agent-memory {__version__}\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("serch", "x"), "serch"),
        (("search",), "Missing argument"),
        (("search", "x", "--limt", "3"), "--limt"),
        (("share", "x"), "Missing argument"),
        (("team", "make"), "make"),
        (("--hme", "x", "search", "y"), "--hme"),
        (("--home",), "--home"),
        (("get", "x", "y"), "extra argument"),
    ],
)
def test_a_mistake_is_told_with_the_way_to_help(
    program: Program, words: tuple[str, ...], said: str
) -> None:
    """A mistake on the command line has status 2, and names the help."""
    told = program.fails(2, *words)
    assert said in told
    assert told.endswith("--help")


def test_options_stand_before_and_after(fleet: Program) -> None:
    """What every command takes is taken before its name and after it, on both kinds of command."""
    found = fleet.add("tea", "--as", "bob")
    assert fleet.found("tea", "--as", "bob") == ["tea"]
    for words in (
        ("--as", "bob", "--json", "get", found),
        ("get", found, "--as", "bob", "--json"),
        ("--as=bob", "get", found, "--json"),
        ("--as", "bob", "history", found, "--json"),
        ("history", "--json", found, "--as", "bob"),
        ("--as", "ann", "history", "--json", found, "--as", "bob"),
        ("--json", "agent", "list"),
        ("agent", "--json", "list"),
        ("agent", "list", "--json"),
    ):
        assert json.loads(fleet.do(*words))["notes"] == []
    elsewhere = str(fleet.folder / "else where")
    assert json.loads(fleet.do("--home", elsewhere, "whoami", "--json"))["home"] == elsewhere


@pytest.mark.parametrize("blank", ["", " "])
def test_what_is_named_and_empty_is_refused(fleet: Program, blank: str) -> None:
    """An option that is given without a word is a mistake, and never the same as none."""
    fleet.do("add", "tea")
    for words in (
        ("list", "--as", blank),
        ("--as", blank, "list"),
        ("--as=" + blank, "history", MISSING),
        ("history", MISSING, "--as", blank),
        ("--as", "bob", "list", "--as", blank),
        ("list", "--home", blank),
        ("--home", blank, "whoami"),
        ("demo", "--as", blank),
        ("init", "--agent", blank),
        ("add", "coffee", "--key", blank),
        ("add", "coffee", "--share", blank),
        ("import", "agents.toml", "--from", blank),
        ("import", blank),
        ("export", blank),
        ("backup", blank),
        ("list", "--since", blank),
    ):
        assert fleet.fails(2, *words)
    assert sorted(path.name for path in fleet.folder.iterdir()) == ["home"]
    assert len(fleet.json("list")["memories"]) == 1
    assert fleet.json("whoami", AGENT_MEMORY_AGENT_ID=blank)["named_by"] == "node.toml"
    told = fleet.json("whoami", AGENT_MEMORY_HOME=blank)
    assert told["home"] == str(fleet.folder / ".agent-memory")


def test_errors_as_json(fleet: Program) -> None:
    """With --json an error is one object on the standard error, with its stable code."""
    for words, status, code in (
        (("get", MISSING), 1, "not_found"),
        (("add", "x", "--share", "globl"), 2, "unknown_audience"),
        (("share", "x"), 2, "usage"),
        (("edit", MISSING, "--type", "fact"), 1, "not_found"),
    ):
        done = fleet.run(*words, "--json")
        assert (done.status, done.out) == (status, "")
        told = json.loads(done.err)
        assert told["code"] == code
        assert told["message"]


def test_hidden_and_missing_read_the_same(fleet: Program) -> None:
    """What may not be seen is told in the words of what is not there, by every command."""
    hidden = fleet.add("hidden", "--as", "bob")
    for command in (
        ("get",),
        ("edit", "--type", "fact"),
        ("share", "team:apollo"),
        ("revoke",),
        ("pin",),
        ("forget",),
        ("history",),
        ("timeline",),
    ):
        name, *rest = command
        told = [
            fleet.fails(1, name, found, *rest).replace(found[:14], "ID")
            for found in (hidden, MISSING)
        ]
        assert told[0] == told[1]


def test_who_acts_is_said_once(program: Program) -> None:
    """An agent named after the user is made and said once, and never changes silently."""
    first = program.run("add", "tea")
    assert "Acting as agent sam" in first.err
    assert program.run("add", "coffee").err == ""
    assert program.run("list", USER="kim", LOGNAME="kim").err == ""
    told = program.json("whoami", USER="kim", LOGNAME="kim")
    assert told["agent"]["name"] == "sam"
    assert told["named_by"] == "node.toml"


def test_the_home_and_its_files_are_ones_own(program: Program) -> None:
    """The home is 0700, and what lies in it is for nobody else."""
    program.do("add", "tea")
    assert stat.S_IMODE(program.home.stat().st_mode) == 0o700
    for path in program.home.rglob("*"):
        assert not stat.S_IMODE(path.stat().st_mode) & 0o077 or path.name == "node.toml"


def test_a_home_of_the_earlier_system(program: Program) -> None:
    """A home of Agent Memory OS 1.x is left as it is, and the way out is told."""
    program.home.mkdir()
    (program.home / "memories.db").write_bytes(b"held")
    assert "--home" in program.fails(1, "add", "tea")
    assert [path.name for path in program.home.iterdir()] == ["memories.db"]


@pytest.mark.parametrize("content", [b"no database" * 100, b"SQLite format 3\x00" + b"\xff" * 5000])
def test_a_damaged_file(program: Program, content: bytes) -> None:
    """A damaged file is status 3 for every command, and not a byte of it changes."""
    program.home.mkdir(mode=0o700)
    path = program.home / "node.db"
    path.write_bytes(content)
    path.chmod(0o600)
    for words in (("search", "x"), ("add", "x"), ("list",), ("team", "list"), ("doctor",)):
        program.fails(3, *words)
    assert path.read_bytes() == content


def test_a_foreign_and_a_newer_database(program: Program, tmp_path: Path) -> None:
    """Another program's database and one of a newer version are left as they are, with status 3."""
    program.do("add", "tea")
    path = program.home / "node.db"
    with sqlite3.connect(path) as newer:
        newer.execute("PRAGMA user_version = 9999")
    newer.close()
    held = path.read_bytes()
    assert "newer" in program.fails(3, "search", "tea")
    assert path.read_bytes() == held
    other = tmp_path / "other"
    other.mkdir(mode=0o700)
    foreign = sqlite3.connect(other / "node.db")
    foreign.execute("CREATE TABLE things (name TEXT)")
    foreign.close()
    held = (other / "node.db").read_bytes()
    assert "another program" in program.fails(3, "--home", str(other), "add", "x")
    assert (other / "node.db").read_bytes() == held


def test_a_home_that_cannot_be(program: Program, tmp_path: Path) -> None:
    """A home that is a file, or lies where nothing may be made, is told."""
    (tmp_path / "file").write_text("held")
    assert "folder" in program.fails(1, "--home", str(tmp_path / "file"), "list")
    assert program.fails(1, "--home", "/proc/nothing/here", "list")
    assert (tmp_path / "file").read_text() == "held"


def test_a_wrong_fleet_file(fleet: Program) -> None:
    """A mistake in agents.toml is told with its line, and the last good state answers."""
    fleet.do("add", "tea")
    (fleet.home / "agents.toml").write_text('[agents.ann]\nkind = "robot"\n')
    done = fleet.run("search", "tea")
    assert done.status == 0
    assert "tea" in done.out
    assert "line 2" in done.err
    assert "robot" in done.err
    notes = json.loads(fleet.do("search", "tea", "--json"))["notes"]
    assert any("line 2" in note for note in notes)


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252"])
def test_any_terminal_shows_any_memory(fleet: Program, encoding: str) -> None:
    """What a terminal cannot show is escaped, and JSON stays JSON."""
    fleet.do("add", "龙井 café 🚀")
    for words in (("list",), ("search", "龙井")):
        assert fleet.run(*words, PYTHONIOENCODING=encoding).status == 0
    done = subprocess.run(
        [AGENT_MEMORY, "list", "--json"],
        check=True,
        capture_output=True,
        env=fleet.environment(PYTHONIOENCODING=encoding),
    )
    told = json.loads(done.stdout.decode(encoding))
    assert told["memories"][0]["content"] == "龙井 café 🚀"


def test_a_memory_cannot_steer_a_terminal(fleet: Program) -> None:
    """Control characters of a memory are shown as text, wherever a memory is shown to a person."""
    found = fleet.add("red \x1b[31m bell \x07 back \x08\u202e turned", "--author", "a\x1b]0;x\x07")
    for words in (("list",), ("search", "red"), ("get", found), ("history", found)):
        shown = fleet.do(*words)
        assert not any(char in shown for char in "\x1b\x07\x08\u202e")
        assert "\\x1b[31m" in shown


def test_a_reader_that_goes_away(fleet: Program) -> None:
    """A pipe that is closed ends the command quietly."""
    for number in range(30):
        fleet.do("add", f"note {number} " + "x" * 20_000)
    reading, writing = os.pipe()
    with subprocess.Popen(
        [AGENT_MEMORY, "list", "--json"],
        stdout=writing,
        stderr=subprocess.PIPE,
        env=fleet.environment(),
    ) as running:
        os.close(writing)
        os.read(reading, 10)
        os.close(reading)
        _, err = running.communicate()
    assert (running.returncode, err) == (141, b"")


def test_an_interruption_is_quiet(fleet: Program) -> None:
    """Ctrl-C while the command waits ends it with status 130, and no word."""
    fleet.do("add", "tea")
    with subprocess.Popen(
        [AGENT_MEMORY, "add", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=fleet.environment(),
    ) as running:
        wait_until_it_reads(running)
        running.send_signal(signal.SIGINT)
        running.wait()
        assert running.stderr
        assert running.stderr.read() == b""
    assert running.returncode == 130


def wait_until_it_reads(running: subprocess.Popen[bytes]) -> None:
    """Wait until a process sleeps in reading its standard input."""
    place = Path(f"/proc/{running.pid}/syscall")
    while running.poll() is None and not place.read_text().startswith("0 0x0 "):
        pass


def test_a_mistake_is_one_sentence_with_one_end(program: Program) -> None:
    """What stands behind a mistake in the words is where to look, and no second stop."""
    assert program.fails(2, "serch", "x") == (
        "No such command 'serch'. Did you mean 'search', 'service', 'serve'? "
        "See: agent-memory --help"
    )
    told = program.fails(2, "search")
    assert "'QUERY...'" in told or "'QUERY'" in told
    assert ".." not in told.replace("...", "")


@pytest.mark.parametrize("name", [name for _, names in app.SECTIONS for name in names])
def test_help_shows_arguments_as_they_are_written(program: Program, name: str) -> None:
    """The line of usage and the list of arguments name no type of Python, and no braces."""
    entries = list(app.entries(name))
    for entry in entries if len(entries) < 3 else entries[:2]:
        shown = program.do(*entry.words, "--help")
        usage = shown.splitlines()[0]
        assert usage.startswith(f"Usage: agent-memory {' '.join(entry.words)}")
        assert usage.endswith("[OPTIONS]")
        assert "{" not in usage
        assert "<" not in shown.partition("Options:")[0]
        assert "Example:" in shown
