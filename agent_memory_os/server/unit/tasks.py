"""Windows: tasks of the Task Scheduler."""

from __future__ import annotations

import os
import subprocess
from xml.sax.saxutils import escape

from agent_memory_os.server.unit.job import At, Every, File, Job, Step, Steps

_TASK = """\
<?xml version="1.0" encoding="UTF-16"?>
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <RegistrationInfo>
    <Description>{title}</Description>
  </RegistrationInfo>
  <Triggers>
{trigger}
  </Triggers>
  <Principals>
    <Principal id="Author">
      <LogonType>InteractiveToken</LogonType>
      <RunLevel>LeastPrivilege</RunLevel>
    </Principal>
  </Principals>
  <Settings>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
    <StartWhenAvailable>true</StartWhenAvailable>
    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>
    <Hidden>true</Hidden>
{settings}  </Settings>
  <Actions Context="Author">
    <Exec>
      <Command>{command}</Command>
      <Arguments>{arguments}</Arguments>
    </Exec>
  </Actions>
</Task>
"""
_AT_LOGON = """\
    <LogonTrigger>
      <Enabled>true</Enabled>
      <UserId>{user}</UserId>
    </LogonTrigger>"""
_DAILY = """\
    <CalendarTrigger>
      <StartBoundary>2026-01-01T{at}:00</StartBoundary>
      <Enabled>true</Enabled>
      <ScheduleByDay>
        <DaysInterval>1</DaysInterval>
      </ScheduleByDay>
    </CalendarTrigger>"""
_RESTART = """\
    <RestartOnFailure>
      <Interval>PT1M</Interval>
      <Count>999</Count>
    </RestartOnFailure>
"""


_EVERY = """\
    <TimeTrigger>
      <Repetition>
        <Interval>PT{minutes}M</Interval>
        <StopAtDurationEnd>false</StopAtDurationEnd>
      </Repetition>
      <StartBoundary>2026-01-01T00:00:00</StartBoundary>
      <Enabled>true</Enabled>
    </TimeTrigger>"""


def _trigger(at: At | Every) -> str:
    return _EVERY.format(minutes=at.minutes) if isinstance(at, Every) else _DAILY.format(at=at)


class Tasks:
    """The tasks of one user, each made from a file in a folder.

    ``user`` is whose signing in starts a service; anybody's would be for an administrator to ask.
    """

    def __init__(self, folder: str, user: str) -> None:
        self._folder = folder
        self._user = user

    def files(self, job: Job) -> tuple[File, ...]:
        """Return the description that a task is made from."""
        program, *words = job.command
        at_logon = _AT_LOGON.format(user=escape(self._user))
        text = _TASK.format(
            title=escape(job.title),
            trigger=at_logon if job.at is None else _trigger(job.at),
            settings=_RESTART if job.at is None else "",
            command=escape(program),
            arguments=escape(subprocess.list2cmdline(words)),
        )
        return (File(self._path(job), text.replace("\n", "\r\n").encode("utf-16")),)

    def begin(self, job: Job) -> Steps:
        """Return what makes the task, instead of the one that may be there, and runs a service."""
        make = Step(("schtasks", "/Create", "/TN", job.name, "/XML", self._path(job), "/F"))
        return (make,) if job.at is not None else (*self._ended(job), make, *self.start(job))

    def end(self, job: Job) -> Steps:
        """Return what stops and removes it."""
        remove = Step(("schtasks", "/Delete", "/TN", job.name, "/F"), may_fail=True)
        return (*self._ended(job), remove)

    def forget(self, job: Job) -> Steps:  # noqa: ARG002 - as of every system
        """Return nothing: a task that was removed is gone."""
        return ()

    def start(self, job: Job) -> Steps:
        """Return what runs it."""
        return (Step(("schtasks", "/Run", "/TN", job.name)),)

    def stop(self, job: Job) -> Steps:
        """Return what ends it."""
        return (Step(("schtasks", "/End", "/TN", job.name)),)

    def restart(self, job: Job) -> Steps:
        """Return what ends it and runs it again."""
        return (*self._ended(job), *self.start(job))

    def ask(self, job: Job) -> Step:
        """Return what tells how it stands."""
        return Step(("schtasks", "/Query", "/TN", job.name, "/V", "/FO", "LIST"), may_fail=True)

    def _ended(self, job: Job) -> Steps:
        return tuple(step._replace(may_fail=True) for step in self.stop(job))

    def _path(self, job: Job) -> str:
        return os.path.join(self._folder, f"{job.name}.xml")
