"""What the system is asked to run for a home, and what it takes to ask: values alone.

A job has a name of its own for each home, so that several nodes of one person live side by side. A
system turns it into files and into commands; nothing here writes or runs any of them.
"""

from __future__ import annotations

import hashlib
import os
import re
from typing import NamedTuple, Protocol

from agent_memory_os.errors import InvalidInput, Refused

PROGRAM = "agent-memory"
_HASHED = 8
_HOUR = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)")


class At(NamedTuple):
    """A time of day, as the machine's clock shows it."""

    hour: int
    minute: int

    def __str__(self) -> str:
        return f"{self.hour:02}:{self.minute:02}"


class Every(NamedTuple):
    """So many minutes from one time to the next."""

    minutes: int

    def __str__(self) -> str:
        return f"{self.minutes} min"


class Job(NamedTuple):
    """What is run: a command, all the time, or (``at``) once a day or every so many minutes.

    ``log`` is the file for what it says on its standard error before its own log begins.
    """

    name: str
    title: str
    home: str
    command: tuple[str, ...]
    log: str
    at: At | Every | None = None


class File(NamedTuple):
    """A file of a job: where it lies, and its bytes."""

    path: str
    data: bytes


class Step(NamedTuple):
    """A command of the system; ``may_fail`` where it only clears the way."""

    words: tuple[str, ...]
    may_fail: bool = False


Steps = tuple[Step, ...]


class System(Protocol):
    """What runs jobs on a machine: systemd, launchd or the Task Scheduler."""

    def files(self, job: Job) -> tuple[File, ...]:
        """Return a job's files; the job is installed where the first one is."""
        ...

    def begin(self, job: Job) -> Steps:
        """Return what makes the system take up files that are there, and run the job."""
        ...

    def end(self, job: Job) -> Steps:
        """Return what ends a job for good, before its files are removed."""
        ...

    def forget(self, job: Job) -> Steps:
        """Return what is left to do once its files are gone."""
        ...

    def start(self, job: Job) -> Steps:
        """Return what starts a job that is installed."""
        ...

    def stop(self, job: Job) -> Steps:
        """Return what stops it until it is started again."""
        ...

    def restart(self, job: Job) -> Steps:
        """Return what stops and starts it."""
        ...

    def ask(self, job: Job) -> Step:
        """Return what tells how it stands."""
        ...


def name_for(home: str, usual_home: str, timer: str = "") -> str:
    """Return the name of a home's service, or of one of its timers."""
    real = os.path.realpath(home)
    own = "" if real == os.path.realpath(usual_home) else f"-{_hash(real)}"
    return f"{PROGRAM}{own}{f'-{timer}' if timer else ''}"


def check_words(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words of a command, or raise :class:`Refused` where no system could take them.

    A line that ends within a word would begin another setting in a service's file.
    """
    for word in words:
        if not word.isprintable():
            raise Refused(
                f"No system takes {word!r} in a service's file: it has control characters."
            )
    return words


def time_of_day(text: str) -> At:
    """Return the time of day that a text says, as ``03:15``; raise :class:`InvalidInput`."""
    found = _HOUR.fullmatch(text.strip())
    if found is None:
        raise InvalidInput(f"{text!r} is no time of day; write it as 03:15.")
    return At(int(found[1]), int(found[2]))


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode(errors="surrogateescape")).hexdigest()[:_HASHED]
