"""Linux: user units of systemd."""

from __future__ import annotations

import os
import re

from agent_memory_os.server.unit.job import Every, File, Job, Step, Steps

_PLAIN = re.compile(r"[\w@/.:=+,-]+", re.ASCII)
_ESCAPES = {"\\": "\\\\", '"': '\\"', "%": "%%", "$": "$$"}
_SERVICE = """\
[Unit]
Description={title}

[Service]
Type={kind}
ExecStart={command}
UMask=0077
NoNewPrivileges=yes
"""
_ALWAYS = """\
Restart=on-failure
RestartSec=2
TimeoutStopSec=45

[Install]
WantedBy=default.target
"""
_DAILY = "OnCalendar=*-*-* {at}:00\nPersistent=true"
_EVERY = "OnActiveSec=1min\nOnUnitActiveSec={minutes}min"
_TIMER = """\
[Unit]
Description={title}

[Timer]
{when}

[Install]
WantedBy=timers.target
"""


class Systemd:
    """The units of one user, in a folder (``~/.config/systemd/user``)."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def files(self, job: Job) -> tuple[File, ...]:
        """Return a service; of a job that has its time, the timer and then the service."""
        title = job.title.replace("%", "%%")
        kind = "exec" if job.at is None else "oneshot"
        text = _SERVICE.format(title=title, kind=kind, command=" ".join(map(quoted, job.command)))
        if job.at is None:
            return (self._file(f"{job.name}.service", f"{text}{_ALWAYS}"),)
        when = (
            _EVERY.format(minutes=job.at.minutes)
            if isinstance(job.at, Every)
            else _DAILY.format(at=job.at)
        )
        timer = _TIMER.format(title=title, when=when)
        return (self._file(_unit(job), timer), self._file(f"{job.name}.service", text))

    def begin(self, job: Job) -> Steps:
        """Return what makes systemd read the units, and begin at once and at each start."""
        return (
            *_steps(("daemon-reload",), ("enable", _unit(job))),
            *_steps(("restart", _unit(job))),
        )

    def end(self, job: Job) -> Steps:
        """Return what ends it now and at each start."""
        return (Step(("systemctl", "--user", "disable", "--now", _unit(job)), may_fail=True),)

    def forget(self, job: Job) -> Steps:  # noqa: ARG002 - as of every system
        """Return what makes systemd see that the units are gone."""
        return _steps(("daemon-reload",))

    def start(self, job: Job) -> Steps:
        """Return what starts it."""
        return _steps(("start", _unit(job)))

    def stop(self, job: Job) -> Steps:
        """Return what stops it."""
        return _steps(("stop", _unit(job)))

    def restart(self, job: Job) -> Steps:
        """Return what starts it anew."""
        return _steps(("restart", _unit(job)))

    def ask(self, job: Job) -> Step:
        """Return what tells how it stands."""
        words = ("systemctl", "--user", "--no-pager", "status", _unit(job))
        return Step(words, may_fail=True)

    def _file(self, name: str, text: str) -> File:
        return File(os.path.join(self._folder, name), text.encode())


def quoted(word: str) -> str:
    """Return a word as a command line of a unit takes it."""
    if _PLAIN.fullmatch(word):
        return word
    return '"' + "".join(_ESCAPES.get(letter, letter) for letter in word) + '"'


def _unit(job: Job) -> str:
    return f"{job.name}.service" if job.at is None else f"{job.name}.timer"


def _steps(*acts: tuple[str, ...]) -> Steps:
    return tuple(Step(("systemctl", "--user", *act)) for act in acts)
