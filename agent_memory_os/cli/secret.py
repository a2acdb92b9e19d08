"""Keys that are typed: from a file, the standard input, or a prompt that shows nothing.

A key is never a word of the command line, which others on the machine may read and a shell keeps.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Annotated, TypeVar

import typer

from agent_memory_os.cli.desk import Desk
from agent_memory_os.errors import InvalidInput, Refused
from agent_memory_os.federation.recovery import MOST_CHARACTERS

Done = TypeVar("Done")

RecoveryKey = Annotated[
    str | None,
    typer.Option(
        "--recovery-key",
        help="The file that has the account's recovery key; - asks for it, or reads the input.",
        metavar="FILE",
        show_default=False,
    ),
]
STDIN = "-"
_NEEDED = "give_recovery_key"
_LINES = ("Recovery key, its first line: ", "Its second line: ")
_LINE_CHARACTERS = 34
_CANNOT = (
    "The file that --recovery-key names cannot be read ({}); it is named, and not the key itself."
)


def with_key(desk: Desk, given: str | None, act: Callable[[str], Done]) -> Done:
    """Do what may need the recovery key: with the one that is given, else one that is asked for."""
    if given is not None:
        return act(_read(given))
    try:
        return act("")
    except Refused as error:
        if error.remedy != _NEEDED or desk.as_json or not _is_watched():
            raise
    return act(_asked())


def _read(given: str) -> str:
    if given == STDIN:
        return _asked() if _is_watched() else _checked(sys.stdin.read(MOST_CHARACTERS + 1))
    try:
        with open(os.path.expanduser(given), encoding="ascii") as file:
            return _checked(file.read(MOST_CHARACTERS + 1))
    except (OSError, ValueError) as error:
        # What was named is not said again: it may be the key.
        why = getattr(error, "strerror", None) or "it is no text"
        raise InvalidInput(_CANNOT.format(why.lower())) from error


def _asked() -> str:
    from getpass import getpass

    first = getpass(_LINES[0], sys.stderr)
    # Whoever types both lines at once is asked for nothing more.
    return _checked(first if len(first) > _LINE_CHARACTERS + 1 else f"{first} {getpass(_LINES[1])}")


def _checked(text: str) -> str:
    if not text.strip():
        raise InvalidInput("No recovery key was given.")
    return text


def _is_watched() -> bool:
    return bool(sys.stdin and sys.stdin.isatty())
