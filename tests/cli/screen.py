"""A terminal for the standard output or the standard error of a test, and what is on its screen."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import termios
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout

from agent_memory_os.cli import render

COLUMNS = 60


class Screen:
    """The end of a terminal at which it is looked at."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        os.set_blocking(descriptor, False)

    def shown(self) -> str:
        """Give what came since the last look; it may be nothing."""
        try:
            return os.read(self._descriptor, 100_000).decode()
        except BlockingIOError:
            return ""


def forget() -> None:
    """Let nothing last that was found out about a terminal."""
    render.is_coloured.cache_clear()
    render.width.cache_clear()


@contextmanager
def terminal() -> Iterator[Screen]:
    """Make standard output and standard error one terminal of 60 columns."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, COLUMNS, 0, 0))
    forget()
    with (
        os.fdopen(theirs, "w", encoding="utf-8") as stream,
        redirect_stdout(stream),
        redirect_stderr(stream),
    ):
        yield Screen(ours)
    os.close(ours)
    forget()
