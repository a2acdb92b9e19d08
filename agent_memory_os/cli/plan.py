"""What commands on services and timers share: to do it, or to say what would be done."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

from agent_memory_os.cli.desk import Desk
from agent_memory_os.errors import Refused
from agent_memory_os.server.unit import machine
from agent_memory_os.server.unit.job import File, Job, Steps, System

_BOM = b"\xff\xfe"


def show(desk: Desk, files: Iterable[File], steps: Steps, shape: Mapping[str, object]) -> None:
    """Say which files would be written, and what would be run."""
    shown = [(file.path, text_of(file)) for file in files]
    commands = [shlex.join(step.words) for step in steps]
    for path, text in shown:
        desk.say(f"Would write {path}:", *(f"    {line}".rstrip() for line in text.splitlines()))
    desk.say(*(f"Would run: {command}" for command in commands))
    desk.give({**shape, "files": [{"path": p, "text": t} for p, t in shown], "run": commands})


@contextmanager
def kept(path: str) -> Iterator[None]:
    """Put a file back as it was where something is refused."""
    before = None
    if os.path.exists(path):
        with open(path, "rb") as file:
            before = file.read()
    try:
        yield
    except Refused:
        if before is None:
            os.unlink(path)
        else:
            with open(path, "wb") as file:
                file.write(before)
        raise


def act(desk: Desk, system: System, job: Job, steps: Steps, done: str, *, dry_run: bool) -> bool:
    """Run steps on a job that is installed, or say them; return whether they were run."""
    if dry_run:
        show(desk, (), steps, {"name": job.name})
        return False
    machine.check_installed(system, job)
    machine.act(steps)
    desk.say(f"{job.name} is {done}.")
    desk.give({"name": job.name})
    return True


def remove(desk: Desk, system: System, job: Job, *, dry_run: bool) -> None:
    """End a job and remove its files, or say so."""
    if dry_run:
        paths = [file.path for file in system.files(job)]
        desk.say(*(f"Would remove {path}" for path in paths))
        show(desk, (), (*system.end(job), *system.forget(job)), {"name": job.name})
        return
    machine.check_installed(system, job)
    machine.uninstall(system, job)
    desk.say(f"Removed {job.name}; the home {job.home} stays as it is.")
    desk.give({"name": job.name})


def text_of(file: File) -> str:
    """Return what is in a file, as text."""
    return file.data.decode("utf-16" if file.data.startswith(_BOM) else "utf-8")
