"""How the node stands: with a server, without one, and as a script asks."""

from __future__ import annotations

import json
import signal
import subprocess
import threading

import pytest

from agent_memory_os.server import logs
from tests.cli.program import AGENT_MEMORY, Program
from tests.server.process import Server, key_of, serving


def test_a_node_that_is_not_there_has_no_status(program: Program) -> None:
    """Where there is no node nothing is made, and the way to one is told."""
    assert "agent-memory init" in program.fails(1, "status")
    assert not program.home.exists()


def test_status_tells_of_a_node_at_rest(program: Program) -> None:
    """Without a server it tells the size, the last backup, the live keys and the timers."""
    program.do("init", "--agent", "ann")
    key_of(program, "laptop", "--agent", "ann")
    key_of(program, "old", "--agent", "ann")
    program.do("key", "revoke", "old")
    program.do("backup", str(program.folder / "b.db"))
    found = program.json("status")
    assert (found["served"], found["keys"], found["timers"]) == (None, 1, [])
    assert found["file_bytes"] > 0
    assert found["last_backup"]["path"] == str(program.folder / "b.db")
    told = program.do("status")
    assert "served       no; to serve it: agent-memory serve" in told
    assert "last backup  just now" in told


def test_status_tells_of_a_server(program: Program) -> None:
    """With a server it tells where, which process, since when, and whether it is ready."""
    program.do("init", "--agent", "ann")
    with serving(program) as server:
        found = program.json("status")["served"]
        assert (found["url"], found["pid"], found["ready"]) == (server.url, server.pid, True)
        assert f"at {server.url} by process {server.pid}" in program.do("status")
        assert f"is served at {server.url}, and ready" in program.do("status", "--check")
        record = program.home / "server.json"
        shape = json.loads(record.read_text())
        record.write_text(json.dumps(shape | {"version": "0.0.9", "port": 9}))
        told = program.do("status")
        assert "the server is still 0.0.9: restart it" in told
        assert ", not ready" in told
        assert program.fails(1, "status", "--check").endswith("is served, and not ready.")
        record.write_text(json.dumps(shape))


def test_a_script_can_wait_for_a_server(program: Program) -> None:
    """With --wait the check goes on until the server is ready."""
    asked: list[str] = []
    waiting = threading.Thread(
        target=lambda: asked.append(program.do("status", "--check", "--wait", "60"))
    )
    waiting.start()
    with serving(program) as server:
        waiting.join()
        assert server.url in asked[0]
    assert "is not served" in program.fails(1, "status", "--check")


@pytest.fixture
def logged(program: Program) -> Server:
    """Give a server that has written a log and has ended."""
    program.do("init", "--agent", "ann")
    path = logs.path_in(str(program.home))
    with serving(program, "--log-file", path) as server:
        server.stop()
    return server


def test_the_log_is_shown(program: Program, logged: Server) -> None:
    """The newest lines are shown in words or as objects, narrowed by number and level."""
    lines = program.do("logs").splitlines()
    assert [line.split()[3] for line in lines] == ["serving", "stopping", "stopped"]
    assert logged.url in lines[0]
    assert [line["event"] for line in program.json("logs", "--lines", "1")["lines"]] == ["stopped"]
    assert program.json("logs", "--level", "warning")["lines"] == []
    assert "no level 'loud'" in program.fails(2, "logs", "--level", "loud")


@pytest.mark.parametrize("as_json", [False, True], ids=["words", "json"])
def test_the_log_is_followed(program: Program, logged: Server, *, as_json: bool) -> None:
    """With --follow it goes on with what the next server writes, a line or an object at a time."""
    process = subprocess.Popen(
        [AGENT_MEMORY, "logs", "--follow", *(["--json"] if as_json else [])],
        stdout=subprocess.PIPE,
        env=program.environment(),
        text=True,
    )
    assert process.stdout is not None
    lines = [process.stdout.readline() for _ in range(3)]
    with serving(program, "--log-file", logs.path_in(logged.home)) as server:
        lines.append(process.stdout.readline())
        server.stop()
    process.send_signal(signal.SIGINT)
    process.stdout.close()
    assert process.wait(60) in (130, 141)
    events = [json.loads(line)["event"] if as_json else line.split()[3] for line in lines]
    assert events == ["serving", "stopping", "stopped", "serving"]


def test_a_node_without_a_log_says_so(program: Program) -> None:
    """Where no log is, its place is told."""
    assert "There is no log at" in program.json("logs")["notes"][0]
