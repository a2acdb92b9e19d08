"""Examples in the documentation, read from its pages.

A fenced block marked `console` is what a person would type and see. A line that begins with `$ ` is
a command, carried on over lines that end with a backslash; what stands below it is the whole of
what it prints. Commands of `RUN` are run; those of `SHOWN` are for the reader, and are not run, nor
is what they print compared; there are no others.

A block marked `python` alone is a program, and what it prints is the block marked `text` directly
below it, or nothing. A block whose info string names a file (as in `toml agents.toml`) is that
file, in the working folder or, if its name begins with `~`, in the home.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

RUN = tuple("agent-memory cat cd chmod cp curl echo export grep kill ls mkdir mv sh sleep".split())
SHOWN = ("crontab", "git", "make", "pip", "pipx", "python3", "rm")
FENCE = re.compile(
    r"^(?P<indent> *)(?P<fence>```+)(?P<info>[^\n`]*)\n(?P<body>.*?)^ *(?P=fence) *$",
    re.MULTILINE | re.DOTALL,
)
_ASSIGNMENT = re.compile(r"[A-Z_]+=\S* ")


class File(NamedTuple):
    """A file that the page shows and a later command reads."""

    name: str
    text: str


class Command(NamedTuple):
    """A command that the page shows, with all that it prints; the line is counted from 1."""

    line: int
    text: str
    printed: str


class Program(NamedTuple):
    """Python that the page shows, with all that it prints; the line is counted from 1."""

    line: int
    text: str
    printed: str


Step = File | Command | Program


class Failure(AssertionError):
    """An example does not do what its page says."""


class _Block(NamedTuple):
    kind: str
    name: str
    body: str
    line: int
    is_below: bool
    """Whether nothing but blank lines stands between it and the block before it."""


def steps(page: str) -> Iterator[Step]:
    """Yield what a page's examples do, in order."""
    program: Program | None = None
    for block in _blocks(page):
        if program:
            is_printed = block.is_below and block.kind == "text"
            yield program._replace(printed=block.body) if is_printed else program
            program = None
        if block.kind == "console":
            yield from _commands(block.body, block.line)
        elif block.name:
            yield File(block.name, block.body)
        elif block.kind == "python":
            program = Program(block.line, block.body, "")
    if program:
        yield program


def _blocks(page: str) -> Iterator[_Block]:
    before = 0
    for found in FENCE.finditer(page):
        lines = found["body"].splitlines(keepends=True)
        body = "".join(line.removeprefix(found["indent"]) for line in lines)
        kind, _, name = found["info"].strip().partition(" ")
        line = page.count("\n", 0, found.start("body")) + 1
        is_below = before > 0 and not page[before : found.start()].strip()
        yield _Block(kind, name.strip(), body, line, is_below)
        before = found.end()


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


def is_run(command: Command) -> bool:
    """Say whether a command is run, and not only shown; there is no third kind."""
    text = command.text
    while assignment := _ASSIGNMENT.match(text):
        text = text[assignment.end() :]
    program = text.split(maxsplit=1)[0]
    if program not in (*RUN, *SHOWN):
        msg = f"line {command.line}: {program} is neither run nor known as only shown"
        raise Failure(msg)
    return program in RUN
