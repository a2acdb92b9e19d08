"""Acting on the machine: files are written, commands run, and what fails is told in a sentence."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from agent_memory_os.errors import NotFound, Refused
from agent_memory_os.server.unit import machine
from agent_memory_os.server.unit.job import At, Step
from agent_memory_os.server.unit.launchd import Launchd
from agent_memory_os.server.unit.systemd import Systemd
from agent_memory_os.server.unit.tasks import Tasks
from agent_memory_os.server.unit.timer import of_name


@pytest.fixture
def system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Systemd:
    """Give a systemd whose commands are written down, and succeed unless they say otherwise."""
    tool = tmp_path / "bin" / "systemctl"
    tool.parent.mkdir()
    tool.write_text(
        f'#!/bin/sh\necho "$@" >> {tmp_path}/said\necho "no bus"\n'
        f"test ! -e {tmp_path}/fails || exit 3\n"
    )
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", str(tool.parent), prepend=os.pathsep)
    return Systemd(str(tmp_path / "units"))


def test_each_platform_has_its_system() -> None:
    """Linux has systemd, macOS launchd, Windows its tasks, each in the user's own folder."""
    linux = machine.system_of("linux", {"XDG_CONFIG_HOME": "/c"})
    mac = machine.system_of("darwin", {})
    windows = machine.system_of("win32", {"LOCALAPPDATA": "/w"})
    assert (type(linux), type(mac), type(windows)) == (Systemd, Launchd, Tasks)
    paths = [each.files(machine.service_of("/h"))[0].path for each in (linux, mac, windows)]
    assert paths[0].startswith("/c/systemd/user/agent-memory-")
    assert paths[1].startswith(os.path.expanduser("~/Library/LaunchAgents/"))
    assert paths[2].startswith("/w/agent-memory/")
    usual = machine.system_of("linux", {}).files(machine.service_of("/h"))[0].path
    assert usual.startswith(os.path.expanduser("~/.config/systemd/user/"))


def test_a_job_comes_and_goes(system: Systemd, tmp_path: Path) -> None:
    """What is installed has its files and is listed; what is removed has none, and data stays."""
    home = str(tmp_path / "home")
    backup = machine.timer_of(home, of_name("backup"), At(4, 30), {"keep": "3"})
    assert machine.timers_at(system, home) == []
    with pytest.raises(NotFound, match="not installed"):
        machine.check_installed(system, backup)
    machine.install(system, backup)
    machine.check_installed(system, backup)
    assert machine.timers_at(system, home) == ["backup"]
    text = "".join(path.read_text() for path in (tmp_path / "units").iterdir())
    assert "OnCalendar=*-*-* 04:30:00" in text
    assert "--keep 3" in text
    machine.uninstall(system, backup)
    assert machine.timers_at(system, home) == []
    assert not list((tmp_path / "units").iterdir())
    assert (tmp_path / "home" / "logs").is_dir()
    verbs = [line.split()[1] for line in (tmp_path / "said").read_text().splitlines()]
    assert verbs == ["daemon-reload", "enable", "restart", "disable", "daemon-reload"]


def test_what_the_system_refuses_leaves_nothing(system: Systemd, tmp_path: Path) -> None:
    """Where a command fails its words and its first line are told, and new files are gone."""
    service = machine.service_of(str(tmp_path / "home"))
    (tmp_path / "fails").touch()
    with pytest.raises(Refused, match="systemctl --user daemon-reload: no bus"):
        machine.install(system, service)
    assert not machine.is_installed(system, service)
    (tmp_path / "fails").unlink()
    machine.install(system, service)
    (tmp_path / "fails").touch()
    with pytest.raises(Refused):
        machine.install(system, service)
    assert machine.is_installed(system, service)


def test_a_machine_without_a_system_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the system's command is missing, so is everything that could run a service."""
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(Refused, match="nothing runs a service or timer"):
        machine.run(Step(("systemctl", "--user", "status")))


def test_the_program_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is beside Python, else in PATH, else nowhere."""
    monkeypatch.setattr("sys.executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    with pytest.raises(Refused, match="install it"):
        machine.service_of("/h")
    for folder in (tmp_path / "bin", tmp_path):
        folder.mkdir(exist_ok=True)
        tool = folder / "agent-memory"
        tool.write_text("#!/bin/sh\n")
        tool.chmod(0o755)
        assert machine.service_of("/h").command[0] == str(tool)
