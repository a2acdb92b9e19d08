"""macOS: agents of launchd."""

from __future__ import annotations

import os
import plistlib
from typing import Any

from agent_memory_os.server.unit.job import At, Every, File, Job, Step, Steps

_UMASK = 0o077
_EXIT_SECONDS = 45


def _when(at: At | Every) -> dict[str, Any]:
    if isinstance(at, Every):
        return {"StartInterval": at.minutes * 60}
    return {"StartCalendarInterval": {"Hour": at.hour, "Minute": at.minute}}


class Launchd:
    """The agents of one user, in a folder (``~/Library/LaunchAgents``)."""

    def __init__(self, folder: str, user: int) -> None:
        self._folder = folder
        self._domain = f"gui/{user}"

    def files(self, job: Job) -> tuple[File, ...]:
        """Return the property list of a job."""
        shape: dict[str, Any] = {
            "Label": job.name,
            "ProgramArguments": list(job.command),
            "StandardErrorPath": job.log,
            "Umask": _UMASK,
        }
        if job.at is None:
            # One that ended with 0 was told to.
            shape |= {"RunAtLoad": True, "KeepAlive": {"SuccessfulExit": False}}
            shape |= {"ExitTimeOut": _EXIT_SECONDS}
        else:
            shape |= {"ProcessType": "Background", **_when(job.at)}
        return (File(self._path(job), plistlib.dumps(shape)),)

    def begin(self, job: Job) -> Steps:
        """Return what loads the agent, instead of the one that may be loaded."""
        load = Step(("launchctl", "bootstrap", self._domain, self._path(job)))
        return (*self.end(job), load)

    def end(self, job: Job) -> Steps:
        """Return what unloads it."""
        return (Step(("launchctl", "bootout", self._target(job)), may_fail=True),)

    def forget(self, job: Job) -> Steps:  # noqa: ARG002 - as of every system
        """Return nothing: launchd remembers nothing of what was unloaded."""
        return ()

    def start(self, job: Job) -> Steps:
        """Return what starts it."""
        return (Step(("launchctl", "kickstart", self._target(job))),)

    def stop(self, job: Job) -> Steps:
        """Return what stops it."""
        return (Step(("launchctl", "kill", "SIGTERM", self._target(job))),)

    def restart(self, job: Job) -> Steps:
        """Return what starts it anew."""
        return (Step(("launchctl", "kickstart", "-k", self._target(job))),)

    def ask(self, job: Job) -> Step:
        """Return what tells how it stands."""
        return Step(("launchctl", "print", self._target(job)), may_fail=True)

    def _path(self, job: Job) -> str:
        return os.path.join(self._folder, f"{job.name}.plist")

    def _target(self, job: Job) -> str:
        return f"{self._domain}/{job.name}"
