"""Examples in the documentation, read from its pages and run for real.

A fenced block marked `console` is what a person would type and see. A line that begins with `$ ` is
a command, carried on over lines that end with a backslash; what stands below it is the whole of
what it prints. Commands other than `agent-memory` (and what a shell builds in: `cd`, `echo`,
`export`, `cat`, `ls`, `mkdir`) are for the reader and are not run, nor is what they print compared.

* `…` in a line stands for any characters, and a line that is `…` alone for any lines or none. It is
  for what differs from run to run: ids, times, sizes.
* A word of a command that ends in `…` is completed from what was printed before on the same page:
  `mem_…` is the last word printed that begins with `mem_`.
* A command must succeed, unless the next command is `echo $?`, which tells its exit status.
* Another fenced block whose info string names a file (as in `toml agents.toml`) is written to that
  file before what follows it is run.

The blocks of a page are one session: one new home, one working folder, run from top to bottom.
"""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

ANY = "…"
STATUS = "echo $?"
RUN = ("agent-memory", "cat", "cd", "echo", "export", "ls", "mkdir")
FENCE = re.compile(
    r"^(?P<indent> *)(?P<fence>```+)(?P<info>[^\n`]*)\n(?P<body>.*?)^ *(?P=fence) *$",
    re.MULTILINE | re.DOTALL,
)


class File(NamedTuple):
    """A file that the page shows and a later command reads."""

    name: str
    text: str


class Command(NamedTuple):
    """A command that the page shows, with all that it prints; the line is counted from 1."""

    line: int
    text: str
    printed: str


Step = File | Command


class Failure(AssertionError):
    """An example does not do what its page says."""


def steps(page: str) -> Iterator[Step]:
    """Yield what a page's examples do, in order."""
    for block in FENCE.finditer(page):
        body = "".join(
            line.removeprefix(block["indent"]) for line in block["body"].splitlines(keepends=True)
        )
        kind, _, rest = block["info"].strip().partition(" ")
        if kind == "console":
            yield from _commands(body, page.count("\n", 0, block.start("body")) + 1)
        elif rest.strip():
            yield File(rest.strip(), body)


def _commands(body: str, first: int) -> Iterator[Command]:
    command: Command | None = None
    for number, line in enumerate(body.splitlines(), first):
        if command and command.text.endswith("\\") and not command.printed:
            command = command._replace(text=command.text[:-1] + line.strip())
        elif line.startswith("$ "):
            if command:
                yield command
            command = Command(number, line[2:].strip(), "")
        elif command:
            command = command._replace(printed=f"{command.printed}{line}\n")
        else:
            msg = f"line {number}: a console block begins with a command"
            raise Failure(msg)
    if command:
        yield command


def is_run(text: str) -> bool:
    """Say whether a command is run, and not only shown."""
    return text.split(maxsplit=1)[0] in RUN


def matches(shown: str, printed: str) -> bool:
    """Say whether what the page shows is all of what was printed, `…` standing for anything."""
    pattern = ""
    for line in shown.rstrip().splitlines():
        if line.strip() == ANY:
            pattern += r"(?:[^\n]*\n)*"
        else:
            pattern += "[^\n]*".join(map(re.escape, line.rstrip().split(ANY))) + "\n"
    lines = [line.rstrip() for line in printed.rstrip().splitlines()]
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in lines)) is not None


def completed(text: str, seen: str) -> str:
    """Complete the words of a command that end in `…` from what was printed before."""

    def last(word: re.Match[str]) -> str:
        found = re.findall(re.escape(word[1]) + r"[\w-]+", seen)
        if not found:
            msg = f"nothing that begins with {word[1]!r} was printed before: {text}"
            raise Failure(msg)
        return str(found[-1])

    return re.sub(rf"(\w+){ANY}", last, text)


def run(page: Sequence[Step], folder: Path, environment: Mapping[str, str]) -> None:
    """Run a page's steps in a folder, and raise Failure at the first that does not hold.

    All commands are lines of one shell, so that `cd` and `export` last; each is followed by a mark
    that tells its exit status.
    """
    session = _Session(folder, environment)
    try:
        for number, step in enumerate(page):
            if isinstance(step, File):
                (folder / step.name).write_text(step.text, encoding="utf-8")
            elif is_run(step.text):
                told = number + 1 < len(page) and _asks_status(page[number + 1])
                session.do(step, may_fail=told)
    finally:
        session.close()


def _asks_status(step: Step) -> bool:
    return isinstance(step, Command) and step.text == STATUS


class _Session:
    """One shell, in which the commands of a page are run one after the other."""

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        self._shell = subprocess.Popen(
            ["/bin/sh"],
            cwd=folder,
            env=dict(environment),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
        )
        self._seen = ""
        self._status = "0"

    def do(self, command: Command, *, may_fail: bool) -> None:
        text = completed(command.text, self._seen)
        printed = f"{self._status}\n" if text == STATUS else self._printed_by(text)
        self._seen += printed
        if not may_fail and text != STATUS and self._status != "0":
            msg = f"line {command.line}: `{text}` ended with {self._status}:\n{printed}"
            raise Failure(msg)
        if not matches(command.printed, printed):
            msg = f"line {command.line}: `{text}` printed\n{printed}\nand not\n{command.printed}"
            raise Failure(msg)

    def _printed_by(self, text: str) -> str:
        assert self._shell.stdin
        assert self._shell.stdout
        self._shell.stdin.write(f"eval {shlex.quote(text)} </dev/null; printf '\\036%s\\n' $?\n")
        self._shell.stdin.flush()
        printed = ""
        for line in self._shell.stdout:
            before, mark, status = line.partition("\x1e")
            printed += before
            if mark:
                self._status = status.strip()
                return printed
        msg = f"the shell ended while it ran `{text}`:\n{printed}"
        raise Failure(msg)

    def close(self) -> None:
        assert self._shell.stdin
        assert self._shell.stdout
        self._shell.stdin.close()
        self._shell.stdout.close()
        self._shell.wait()
