"""Services and timers, on a small systemd of our own where there is none."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest

from agent_memory_os.cli.app import GROUPS
from tests.cli.program import Program
from tools.cli_shapes import COMMANDS, SOMETIMES

SYSTEMCTL = Path(__file__).parents[1] / "server" / "unit" / "systemctl.py"


class Machine(NamedTuple):
    """A program, and the environment in which it finds a systemd."""

    program: Program
    more: dict[str, str]

    def do(self, *words: str) -> str:
        """Run what must succeed."""
        return self.program.do(*words, stdin=b"", **self.more)

    def json(self, *words: str) -> Any:  # noqa: ANN401 - JSON is of any kind
        """Run a command with --json; what it prints has the names that the reference tells."""
        found = self.program.json(*words, **self.more)
        command = " ".join(words[:2]) if words[0] in GROUPS else words[0]
        sometimes = SOMETIMES.get(command, {}) if "--dry-run" in words else {}
        assert set(found) == {*COMMANDS[command], *sometimes, "notes"}
        return found

    def fails(self, status: int, *words: str) -> str:
        """Run what must fail."""
        return self.program.fails(status, *words, stdin=b"", **self.more)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """Give a machine with a small systemd, and a home with a name that must be quoted."""
    folder = tmp_path / "100% mine"
    folder.mkdir()
    tool = tmp_path / "bin" / "systemctl"
    tool.parent.mkdir()
    tool.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{SYSTEMCTL}" "$@"\n')
    tool.chmod(0o755)
    path = f"{tool.parent}{os.pathsep}{os.environ['PATH']}"
    return Machine(Program(folder), {"PATH": path, "XDG_CONFIG_HOME": str(tmp_path / "config")})


def test_a_service_lives_its_life(machine: Machine) -> None:
    """It is installed, serves at the port of node.toml, stops, starts, goes, and the data stays."""
    program = machine.program
    program.add("figs")
    assert machine.json("service", "status")["installed"] is False
    assert "not installed" in machine.fails(1, "service", "start")
    done = machine.json("service", "install")
    try:
        url = f"http://127.0.0.1:{done['port']}"
        assert f"port = {done['port']}" in (program.home / "node.toml").read_text()
        assert httpx.get(f"{url}/healthz").status_code == 200
        assert machine.json("service", "status")["url"] == url
        assert "active" in machine.do("service", "status")
        assert machine.json("status")["served"]["url"] == url
        assert "is ready" not in machine.do("status", "--check")
        first = machine.json("status")["served"]["pid"]
        machine.do("service", "restart")
        assert machine.json("status")["served"]["pid"] != first
        again = machine.json("service", "install")
        assert again["port"] == done["port"]
        machine.do("service", "stop")
        assert machine.json("status")["served"] is None
        assert "is not served" in machine.fails(1, "status", "--check")
        machine.do("service", "start")
        events = [line["event"] for line in machine.json("service", "logs")["lines"]]
        assert events.count("serving") == 4
        assert "stopped" in events
    finally:
        told = machine.do("service", "uninstall")
    assert "stays as it is" in told
    assert machine.json("status")["served"] is None
    assert machine.json("service", "status")["installed"] is False
    assert program.found("figs") == ["figs"]


def test_several_services_live_side_by_side(machine: Machine) -> None:
    """Each home has a service of its own name, with a port of its own."""
    other = Program(machine.program.folder / "other")
    other.folder.mkdir()
    one = machine.json("service", "install")
    try:
        two = other.json("service", "install", **machine.more)
        try:
            assert one["name"] != two["name"]
            assert one["port"] != two["port"]
            for done in (one, two):
                assert httpx.get(f"http://127.0.0.1:{done['port']}/healthz").status_code == 200
        finally:
            other.do("service", "uninstall", stdin=b"", **machine.more)
        assert httpx.get(f"http://127.0.0.1:{one['port']}/healthz").status_code == 200
    finally:
        machine.do("service", "uninstall")


def test_a_dry_run_does_nothing(machine: Machine, tmp_path: Path) -> None:
    """It says which files and commands there would be, and leaves the machine as it is."""
    for words in (
        ("service", "install"),
        ("service", "start"),
        ("service", "stop"),
        ("service", "restart"),
        ("service", "uninstall"),
        ("timer", "install", "backup"),
        ("timer", "uninstall", "backup"),
    ):
        assert "Would run: systemctl --user" in machine.do(*words, "--dry-run")
    shape = machine.json("service", "install", "--port", "8799", "--host", "::1", "--dry-run")
    assert (shape["host"], shape["port"]) == ("::1", 8799)
    assert "serve --log-file" in shape["files"][0]["text"]
    assert not (tmp_path / "config").exists()
    assert not machine.program.home.exists()


def test_what_cannot_be_installed_leaves_nothing(machine: Machine, tmp_path: Path) -> None:
    """Where the system refuses, the settings are as they were, and no unit is left."""
    program = machine.program
    nowhere = tmp_path / "empty"
    nowhere.mkdir()
    for before in (None, 'default_agent = "ann" # me\n'):
        if before is not None:
            (program.home / "node.toml").write_text(before)
        told = program.fails(
            1, "service", "install", XDG_CONFIG_HOME=str(nowhere), PATH=f"/nowhere:{nowhere}"
        )
        assert "not on this machine" in told
        path = program.home / "node.toml"
        assert (path.read_text() if path.exists() else None) == before
    assert not [*nowhere.rglob("*.service")]


def test_a_timer_does_what_it_says(machine: Machine, tmp_path: Path) -> None:
    """It is listed once it is installed, its command makes a backup, and that outlives it."""
    machine.program.add("figs")
    assert "-" in machine.do("timer", "list").splitlines()[1]
    assert machine.json("timer", "status", "backup")["installed"] is False
    done = machine.json("timer", "install", "backup", "--at", "4:05", "--to", str(tmp_path / "b"))
    assert done["at"] == "04:05"
    assert "active" in machine.do("timer", "status", "backup")
    assert machine.json("status")["timers"] == ["backup"]
    assert machine.json("timer", "list")["timers"][0]["installed"] is True
    assert machine.json("status")["last_backup"] is None
    machine.program.do(*done["command"][1:])
    assert machine.json("status")["last_backup"]["path"].startswith(str(tmp_path / "b"))
    assert machine.json("timer", "uninstall", "backup")["name"] == done["name"]
    assert machine.json("timer", "list")["timers"][0]["installed"] is False
    assert len([*(tmp_path / "b").iterdir()]) == 1
    assert "no timer called 'sweep'" in machine.fails(1, "timer", "install", "sweep")
    assert "no time of day" in machine.fails(2, "timer", "install", "backup", "--at", "noon")


def test_a_timer_exchanges_with_peers(machine: Machine) -> None:
    """It runs every few minutes and does what is run by hand; a time of day is not for it."""
    machine.program.add("figs")
    done = machine.json("timer", "install", "sync", "--every", "2")
    assert done["at"] == "2 min"
    assert machine.json("status")["timers"] == ["sync"]
    assert "no peer" in machine.program.do(*done["command"][1:], "--jitter", "0")
    machine.do("timer", "uninstall", "sync")
    assert "every 5 min" in machine.do("timer", "install", "sync")
    assert "--every" in machine.fails(2, "timer", "install", "sync", "--at", "3:05")
    assert "--at" in machine.fails(2, "timer", "install", "backup", "--every", "5")
    assert "nothing to set" in machine.fails(2, "timer", "install", "sync", "--keep", "5")
