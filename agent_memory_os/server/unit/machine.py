"""The machine's own system, and doing with it what a job needs: the thin part that acts."""

from __future__ import annotations

import getpass
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping

from agent_memory_os.errors import NotFound, Refused
from agent_memory_os.server import logs
from agent_memory_os.server.unit import timer
from agent_memory_os.server.unit.job import (
    PROGRAM,
    At,
    Every,
    Job,
    Step,
    Steps,
    System,
    check_words,
    name_for,
)
from agent_memory_os.server.unit.launchd import Launchd
from agent_memory_os.server.unit.systemd import Systemd
from agent_memory_os.server.unit.tasks import Tasks
from agent_memory_os.settings import DEFAULT_HOME

_SECONDS = 120


def system_of(platform: str, environment: Mapping[str, str]) -> System:
    """Return what runs jobs on a platform, as ``sys.platform`` names it, for this user."""
    if platform == "darwin":
        return Launchd(os.path.expanduser("~/Library/LaunchAgents"), os.getuid())
    if platform == "win32":
        base = environment.get("LOCALAPPDATA") or os.path.expanduser("~")
        return Tasks(os.path.join(base, PROGRAM), getpass.getuser())
    base = environment.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    return Systemd(os.path.join(base, "systemd", "user"))


def service_of(home: str) -> Job:
    """Return the job that serves a home."""
    log = logs.path_in(home)
    return Job(
        _name(home),
        f"Agent Memory at {home}",
        home,
        check_words((*_program(), "--home", home, "serve", "--log-file", log)),
        f"{log}.begin",
    )


def timer_of(home: str, named: timer.Timer, at: At | Every | None, given: Mapping[str, str]) -> Job:
    """Return the job that does what a timer says, at its time."""
    return Job(
        _name(home, named.name),
        f"{named.title}: Agent Memory at {home}",
        home,
        check_words((*_program(), "--home", home, *timer.words_of(named, home, given))),
        os.path.join(os.path.dirname(logs.path_in(home)), f"{named.name}.log"),
        at or named.at,
    )


def timers_at(system: System, home: str) -> list[str]:
    """Return the names of the timers that are installed for a home."""
    jobs = {named.name: timer_of(home, named, None, {}) for named in timer.TIMERS}
    return [name for name, job in jobs.items() if is_installed(system, job)]


def is_installed(system: System, job: Job) -> bool:
    """Say whether a job's files are there."""
    return os.path.exists(system.files(job)[0].path)


def check_installed(system: System, job: Job) -> None:
    """Raise :class:`NotFound` where a job is not installed."""
    if not is_installed(system, job):
        raise NotFound(f"{job.name} is not installed.")


def install(system: System, job: Job) -> None:
    """Write a job's files and have the system run it.

    Raises :class:`Refused` where it does not; files that were not there before are gone then.
    """
    was_installed = is_installed(system, job)
    os.makedirs(os.path.dirname(job.log), mode=0o700, exist_ok=True)
    for file in system.files(job):
        os.makedirs(os.path.dirname(file.path), exist_ok=True)
        with open(file.path, "wb") as out:
            out.write(file.data)
    try:
        act(system.begin(job))
    except Refused:
        if not was_installed:
            _remove(system, job)
        raise


def uninstall(system: System, job: Job) -> None:
    """End a job and remove its files; what it worked with stays."""
    act(system.end(job))
    _remove(system, job)
    act(system.forget(job))


def _remove(system: System, job: Job) -> None:
    for file in system.files(job):
        if os.path.exists(file.path):
            os.unlink(file.path)


def act(steps: Steps) -> None:
    """Run commands of the system; raise :class:`Refused` with what the first that fails said."""
    for step in steps:
        status, said = run(step)
        if status and not step.may_fail:
            told = said.strip().partition("\n")[0].rstrip(".") or f"it ended with {status}"
            raise Refused(
                f"The system did not do it: {shlex.join(step.words)}: {told}.", "other_means"
            )


def run(step: Step) -> tuple[int, str]:
    """Run one command of the system; return its status and what it said."""
    program = shutil.which(step.words[0])
    if program is None:
        raise Refused(
            f"{step.words[0]} is not on this machine: nothing runs a service or timer here.",
            "other_means",
        )
    done = subprocess.run(  # noqa: S603 - the system's own command, with our words
        (program, *step.words[1:]),
        check=False,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=_SECONDS,
    )
    return done.returncode, done.stdout.decode(errors="replace")


def _name(home: str, named: str = "") -> str:
    return name_for(home, os.path.expanduser(DEFAULT_HOME), named)


def _program() -> tuple[str, ...]:
    """Return the command that starts this program, by a path that does not hang on ``PATH``."""
    suffix = ".exe" if sys.platform == "win32" else ""
    beside = os.path.join(os.path.dirname(os.path.abspath(sys.executable)), f"{PROGRAM}{suffix}")
    if os.path.exists(beside):
        return (beside,)
    found = shutil.which(PROGRAM)
    if found is None:
        raise Refused(f"The command {PROGRAM} is not where Python is, nor in PATH: install it.")
    return (os.path.abspath(found),)
