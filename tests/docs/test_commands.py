"""The documentation shows every command, and names none that is not there."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
import typer

from agent_memory_os.cli import app, parse
from tests.docs.page import Command, is_run, steps

ROOT = Path(__file__).parents[2]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
COMMANDS = [
    entry.words
    for _, names in app.SECTIONS
    for name in names
    for entry in app.entries(name)
]  # fmt: skip
PROGRAM = "agent-memory"
OF_THE_PROGRAM = {"--version", "--help", "--install-completion", "--show-completion"}


@cache
def options(words: tuple[str, ...]) -> frozenset[str]:
    """Return the options of a command, or of the group of that name."""
    command = typer.main.get_command(app.build([words[0]]))
    for word in words:
        command = command.commands[word]  # type: ignore[attr-defined]
    return frozenset(flag for parameter in command.params for flag in parameter.opts) | {"--help"}


def split(text: str) -> tuple[tuple[str, ...], list[str]]:
    """Return a command line's command (a group's name and its word), and the words behind it."""
    words = shlex.split(text.partition(" | ")[0].rstrip("…"))
    words = words[words.index(PROGRAM) + 1 :]
    name, _, rest = parse.command_name(words)
    if name in app.GROUPS and rest and not rest[0].startswith("-"):
        return (name, rest[0]), rest[1:]
    return (name,) if name else (), rest


def shown() -> Iterator[tuple[str, ...]]:
    """Yield the commands that the documentation runs."""
    for page in PAGES:
        for step in steps(page.read_text(encoding="utf-8")):
            if isinstance(step, Command) and is_run(step) and PROGRAM in shlex.split(step.text):
                yield split(step.text)[0]


def mentions(page: Path) -> Iterator[str]:
    """Yield the command lines that a page writes as code within its text."""
    text = page.read_text(encoding="utf-8")
    prose = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    for line in re.findall(r"`(agent-memory [^`]+)`", prose):
        yield " ".join(line.split())


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_every_command_is_shown(words: tuple[str, ...]) -> None:
    """A command is run somewhere in the documentation."""
    assert words in set(shown())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_what_is_named_is_there(page: Path) -> None:
    """A command line within the text of a page has a command that exists, and options of it."""
    for line in mentions(page):
        words, rest = split(line)
        if not words or words[0].isupper():
            assert {word for word in line.split() if word.startswith("-")} <= OF_THE_PROGRAM, line
            continue
        assert words in [*COMMANDS, *((group,) for group in app.GROUPS)], line
        flags = {word.partition("=")[0] for word in rest if word.startswith("--")}
        assert flags <= options(words), line
