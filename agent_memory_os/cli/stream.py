"""The standard streams: closed ones, full ones, and ones that are not in UTF-8.

A command whose standard output is closed does nothing, for nobody would learn what became of it. A
closed standard input or error gives its number to no file: what is written to it by mistake must
not land in a database. What the standard error does not take is lost, and changes no exit status.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import partial

from agent_memory_os.value import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import TextIO

_UTF_8 = "utf-8"
_STANDARD = 3


class Untaken(OSError):
    """What was printed was not taken: the disk is full, or what reads it is broken."""


def give(text: str) -> None:
    """Print a text; raise :class:`Untaken` where it is not taken."""
    _taken(partial(sys.stdout.write, text))


def hand_over() -> None:
    """Hand over what was printed; raise :class:`Untaken` where it is not taken."""
    _taken(sys.stdout.flush)


def _taken(act: Callable[[], object]) -> None:
    try:
        act()
    except BrokenPipeError:
        raise
    except OSError as error:
        discard(sys.stdout)
        raise Untaken(error.errno, error.strerror) from error


def open_streams() -> None:
    """Make the standard streams fit to be written to, as far as they are there."""
    if None in (sys.stdin, sys.stdout, sys.stderr):
        _hold_numbers()
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            # Nothing that a terminal cannot show may end a command.
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]


def speak_utf8() -> None:
    """Start the program again where Python takes words and names of files for another encoding.

    Else one text had several forms, by the locale in which it was said. What is printed stays in
    the encoding of the locale.
    """
    if sys.getfilesystemencoding() != _UTF_8 and sys.executable:
        _start_again()


def _start_again() -> None:  # pragma: no cover - a process that is replaced takes no measure
    if sys.stdout is not None:
        os.environ.setdefault("PYTHONIOENCODING", sys.stdout.encoding)
    words = [sys.executable, "-X", "utf8", *sys.orig_argv[1:]]
    os.execv(sys.executable, words)  # noqa: S606 - it is this very program


def settle() -> bool:
    """Hand over what was printed; return whether it was taken. What is not is let go."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:
        discard(sys.stdout)
        return False
    return True


def tell(text: str) -> None:
    """Write a text to the standard error; where it is not taken there is nobody to tell."""
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except OSError:
        discard(sys.stderr)


def discard(stream: TextIO) -> None:
    """Keep the interpreter from writing what is left, at its end, to what takes nothing."""
    try:
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, stream.fileno())
        os.close(nothing)
    except OSError:
        return  # it is no file of the system's, such as one in memory: nobody writes there later


def _hold_numbers() -> None:
    """Open the null device in the place of each standard stream that is closed."""
    for number in range(_STANDARD):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    if sys.stderr is None:
        sys.stderr = open(2, "w", encoding=_UTF_8, closefd=False)  # noqa: SIM115 - while it runs
