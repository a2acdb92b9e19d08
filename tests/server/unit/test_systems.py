"""What systemd, launchd and the Task Scheduler are given, as golden files and as they read it."""

from __future__ import annotations

import os
import plistlib
import shutil
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from agent_memory_os.server.unit.job import At, Every, File, Job, Step, System
from agent_memory_os.server.unit.launchd import Launchd
from agent_memory_os.server.unit.systemd import Systemd, quoted
from agent_memory_os.server.unit.tasks import Tasks
from tests.server.unit.sample import EVERY, HOME, JOBS, SERVICE, TIMER

GOLDEN = Path(__file__).parents[2] / "golden" / "unit"
SYSTEMS: dict[str, System] = {
    "systemd": Systemd("units"),
    "launchd": Launchd("agents", 501),
    "tasks": Tasks("tasks", "HOST\\sam"),
}
NAMESPACE = "{http://schemas.microsoft.com/windows/2004/02/mit/task}"


def text_of(file: File) -> str:
    """Return a file's text, with the line ends of this machine's files."""
    coding = "utf-16" if file.data.startswith(b"\xff\xfe") else "utf-8"
    return file.data.decode(coding).replace("\r\n", "\n")


def told(system: System, job: Job) -> str:
    """Return all that a system is given for a job, as one text."""
    files = "".join(f"== {Path(file.path)}\n{text_of(file)}" for file in system.files(job))
    acts = {
        "begin": system.begin(job),
        "end": system.end(job),
        "forget": system.forget(job),
        "start": system.start(job),
        "stop": system.stop(job),
        "restart": system.restart(job),
        "ask": (system.ask(job),),
    }
    lines = [f"{name}: {line_of(step)}" for name, steps in acts.items() for step in steps]
    return f"{files}== commands\n" + "\n".join(lines) + "\n"


def line_of(step: Step) -> str:
    """Return a command as a line; a mark says that it may fail."""
    return " ".join(step.words) + (" (may fail)" if step.may_fail else "")


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("job", JOBS)
def test_what_a_system_is_given_is_as_it_was_agreed(system: str, job: str) -> None:
    """Files and commands are those of the golden file; set GOLDEN=write to write it anew."""
    path = GOLDEN / f"{system}-{job}.txt"
    text = told(SYSTEMS[system], JOBS[job])
    if os.environ.get("GOLDEN") == "write":
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd here")
@pytest.mark.parametrize("job", [SERVICE, TIMER, EVERY], ids=["service", "timer", "every"])
def test_systemd_finds_no_fault(job: Job, tmp_path: Path) -> None:
    """What systemd itself says of the units is nothing, with a command that is there."""
    there = job._replace(command=("/bin/true", *job.command[1:]))
    files = Systemd(str(tmp_path)).files(there)
    for file in files:
        Path(file.path).write_bytes(file.data)
    done = subprocess.run(
        ["systemd-analyze", "--user", "verify", *(file.path for file in files)],
        check=False,
        capture_output=True,
        text=True,
        env={**os.environ, "XDG_RUNTIME_DIR": str(tmp_path), "HOME": str(tmp_path)},
    )
    assert str(tmp_path) not in done.stderr, done.stderr
    assert job.name not in done.stderr, done.stderr


def test_launchd_reads_what_was_meant() -> None:
    """A property list gives back the command word for word, and what keeps it alive or wakes it."""
    service = plistlib.loads(SYSTEMS["launchd"].files(SERVICE)[0].data)
    assert tuple(service["ProgramArguments"]) == SERVICE.command
    assert (service["Label"], service["RunAtLoad"]) == (SERVICE.name, True)
    assert service["KeepAlive"] == {"SuccessfulExit": False}
    timer = plistlib.loads(SYSTEMS["launchd"].files(TIMER)[0].data)
    assert timer["StartCalendarInterval"] == {"Hour": 3, "Minute": 5}
    assert "RunAtLoad" not in timer
    every = plistlib.loads(SYSTEMS["launchd"].files(EVERY)[0].data)
    assert (every["StartInterval"], "StartCalendarInterval" in every) == (300, False)


@pytest.mark.parametrize("job", [SERVICE, TIMER, EVERY], ids=["service", "timer", "every"])
def test_a_task_is_well_formed(job: Job) -> None:
    """A task is XML in UTF-16, whose command and words are what was meant, and has one trigger."""
    root = ET.fromstring(SYSTEMS["tasks"].files(job)[0].data)
    action = root.find(f"{NAMESPACE}Actions/{NAMESPACE}Exec")
    assert action is not None
    program, *words = job.command
    assert action.findtext(f"{NAMESPACE}Command") == program
    assert action.findtext(f"{NAMESPACE}Arguments") == subprocess.list2cmdline(words)
    triggers = root.find(f"{NAMESPACE}Triggers")
    assert triggers is not None
    assert len(triggers) == 1
    boundary = triggers.findtext(f"{NAMESPACE}CalendarTrigger/{NAMESPACE}StartBoundary")
    assert boundary == (f"2026-01-01T{job.at}:00" if isinstance(job.at, At) else None)
    interval = triggers.findtext(
        f"{NAMESPACE}TimeTrigger/{NAMESPACE}Repetition/{NAMESPACE}Interval"
    )
    assert interval == ("PT5M" if isinstance(job.at, Every) else None)


def test_a_word_is_quoted_where_it_must_be() -> None:
    """What systemd would read as more than a letter is escaped, and the rest is left alone."""
    assert quoted("/usr/bin/x-1.2") == "/usr/bin/x-1.2"
    assert quoted("") == '""'
    assert quoted(HOME) == '"/home/sam/100%% \\"mine\\" & <ours>"'
    assert quoted("$HOME") == '"$$HOME"'
