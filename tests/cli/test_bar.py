"""A progress bar is drawn on a terminal for what takes long, and taken away."""

from __future__ import annotations

import os
import pty
import sys
from collections.abc import Iterator
from io import StringIO

import pytest

from agent_memory_os.cli import render
from agent_memory_os.cli.bar import Bar


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """Make the standard error a terminal; give the end at which its screen is read."""
    ours, theirs = pty.openpty()
    with os.fdopen(theirs, "w", encoding="utf-8") as stream:
        monkeypatch.setattr(sys, "stderr", stream)
        render.is_coloured.cache_clear()
        yield ours
    os.close(ours)
    render.is_coloured.cache_clear()


def test_a_bar_on_a_terminal(terminal: int) -> None:
    """It shows the file, the share and the bytes, and is gone at the end."""
    with Bar("/some/MEMORY.md", 4_000_000, is_shown=True, patience=0) as bar:
        bar.advance(1_000_000)
        shown = os.read(terminal, 10_000).decode()
    assert "MEMORY.md ━" in shown
    assert " 25% 1.0 of 4.0 MB" in shown
    assert os.read(terminal, 10_000).decode().endswith("\r\x1b[K")


def test_no_bar_for_what_is_short(terminal: int) -> None:
    """Where all is done before its patience ends, nothing is drawn."""
    with Bar("x", 0, is_shown=True, patience=3600) as bar:
        bar.advance(10)
    os.write(sys.stderr.fileno(), b"end")
    assert os.read(terminal, 100) == b"end"


def test_no_bar_without_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nobody looks, nothing is drawn."""
    monkeypatch.setattr(sys, "stderr", StringIO())
    with Bar("x", 10, is_shown=True, patience=0) as bar:
        bar.advance(10)
    assert sys.stderr.getvalue() == ""  # type: ignore[attr-defined]
