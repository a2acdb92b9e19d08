"""Examples in the documentation, run for real.

`page` says how they are written, and `match` where what they print may differ. The examples of a
page are one session: one new home, one working folder, run from top to bottom. All commands are
lines of one shell, so that `cd` and `export` last; all programs are parts of one, so that names
last. A command must succeed, unless the next command is `echo $?`, which tells its exit status.
The home of the person who types is `/home/sam`, in commands and in what they print, and the port
that nodes are served at is 8765, though it is another one in each run.
"""

from __future__ import annotations

import json
import os
import shlex
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from tests.docs.match import Matcher, dates
from tests.docs.page import Command, Failure, File, Program, Step, is_run

STATUS = "echo $?"
HOME = "/home/sam"
PORT = "8765"
_PYTHON = """\
import json, sys, traceback
names = {"__name__": "__main__"}
for line in sys.stdin:
    status = 0
    try:
        exec(compile(json.loads(line), "page", "exec"), names)
    except BaseException:
        traceback.print_exc(file=sys.stdout)
        status = 1
    print(f"\\x1e{status}", flush=True)
"""


def run(page: Sequence[Step], folder: Path, environment: Mapping[str, str]) -> None:
    """Run a page's steps in a folder, and raise Failure at the first that does not hold."""
    put_in = dates(" ".join(step.text for step in page))
    session = _Session(folder, environment, Matcher(put_in))
    try:
        for number, step in enumerate(page):
            if isinstance(step, File):
                session.write(step)
            elif isinstance(step, Program):
                session.do(step, may_fail=False)
            elif is_run(step):
                told = number + 1 < len(page) and _asks_status(page[number + 1])
                session.do(step, may_fail=told)
    finally:
        session.close()


def _asks_status(step: Step) -> bool:
    return isinstance(step, Command) and step.text == STATUS


class _Session:
    """One run of one page."""

    def __init__(self, folder: Path, environment: Mapping[str, str], matcher: Matcher) -> None:
        self._folder = folder
        self._home = environment["HOME"]
        with socket.create_server(("127.0.0.1", 0)) as free:
            self._port = str(free.getsockname()[1])
        more = {**environment, "AGENT_MEMORY_WEB_PORT": self._port}
        self._shell = _Reader(["/bin/sh"], folder, more)
        self._python = _Reader([sys.executable, "-c", _PYTHON], folder, more)
        self._matcher = matcher
        self._status = "0"

    def write(self, file: File) -> None:
        path = self._folder / file.name
        if file.name.startswith("~/"):
            path = Path(self._home) / file.name.removeprefix("~/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(file.text, encoding="utf-8")

    def do(self, step: Command | Program, *, may_fail: bool) -> None:
        where = f"line {step.line}: `{step.text.strip()}`"
        try:
            printed = self._printed_by(step)
        except Failure as failure:
            msg = f"{where}: {failure}"
            raise Failure(msg) from None
        if not may_fail and step.text != STATUS and self._status != "0":
            msg = f"{where} ended with {self._status}:\n{printed}"
            raise Failure(msg)
        if not self._matcher.matches(step.printed, printed):
            msg = f"{where} printed\n{printed}\nand not\n{step.printed}"
            raise Failure(msg)

    def _printed_by(self, step: Command | Program) -> str:
        if step.text == STATUS:
            return f"{self._status}\n"
        if isinstance(step, Program):
            printed, self._status = self._python.ask(json.dumps(step.text))
        else:
            command = self._matcher.command(step.text).replace(HOME, self._home)
            line = shlex.quote(command.replace(f":{PORT}", f":{self._port}"))
            asked = f"eval {line} </dev/null; printf '\\036%s\\n' $?"
            printed, self._status = self._shell.ask(asked)
        return printed.replace(self._home, HOME).replace(f":{self._port}", f":{PORT}")

    def close(self) -> None:
        self._shell.close()
        self._python.close()


class _Reader:
    """A process that reads lines, and after what each prints a mark with its status."""

    def __init__(self, words: Sequence[str], folder: Path, environment: Mapping[str, str]) -> None:
        self._process = subprocess.Popen(
            words,
            cwd=folder,
            env=dict(environment),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            start_new_session=True,
        )

    def ask(self, line: str) -> tuple[str, str]:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()
        printed = ""
        for answer in self._process.stdout:
            before, mark, status = answer.partition("\x1e")
            printed += before
            if mark:
                return printed, status.strip()
        msg = f"it was the end of all examples:\n{printed}"
        raise Failure(msg)

    def close(self) -> None:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()
        # What a page left running in the background ends with the page.
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
