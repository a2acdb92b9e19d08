"""A progress bar is drawn on a terminal for what takes long, and taken away."""

from __future__ import annotations

import sys
from contextlib import redirect_stderr
from io import StringIO

from agent_memory_os.cli.bar import Bar
from tests.cli.screen import terminal


def test_a_bar_on_a_terminal() -> None:
    """It shows the file, the share and the bytes, and is gone at the end."""
    with terminal() as screen:
        with Bar("/some/MEMORY.md", 4_000_000, is_shown=True, patience=0) as bar:
            bar.advance(1_000_000)
            shown = screen.shown()
        assert screen.shown() == "\r\x1b[K"
    assert "MEMORY.md ━" in shown
    assert " 25% 1.0 of 4.0 MB" in shown


def test_a_bar_of_what_is_no_file() -> None:
    """What has no bytes shows the share that is done, and never more than all of it."""
    with terminal() as screen:
        with Bar("examining", is_shown=True, patience=0) as bar:
            for share in (0.3, 0.2, 0.6):
                bar.advance(share)
            shown = screen.shown()
        assert screen.shown() == "\r\x1b[K"
    assert shown.startswith("\rexamining ━")
    assert shown.endswith(" 30%\x1b[K")
    assert "MB" not in shown


def test_no_bar_for_what_is_short() -> None:
    """Where all is done before its patience ends, nothing is drawn."""
    with terminal() as screen:
        with Bar("x", 0, is_shown=True, patience=3600) as bar:
            bar.advance(10)
        sys.stderr.flush()
        assert screen.shown() == ""


def test_no_bar_without_a_terminal() -> None:
    """Where nobody looks, nothing is drawn."""
    with (
        redirect_stderr(StringIO()) as out,
        Bar("x", 10, is_shown=True, patience=0) as bar,
    ):
        bar.advance(10)
    assert out.getvalue() == ""
