"""What is shown fits, is coloured only where that shows, and cannot harm a terminal."""

from __future__ import annotations

import os
import pty
import sys
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory_os.cli import card, grid, render


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    """Let nothing that was found out about the terminal last."""
    for found in (render.is_coloured, render.width):
        found.cache_clear()
    yield
    for found in (render.is_coloured, render.width):
        found.cache_clear()


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Make the standard output a terminal of 60 columns."""
    ours, theirs = pty.openpty()
    os.set_blocking(theirs, False)
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    import fcntl
    import struct
    import termios

    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 60, 0, 0))
    with os.fdopen(theirs, "w", encoding="utf-8") as stream:
        monkeypatch.setattr(sys, "stdout", stream)
        yield
    os.close(ours)


def test_colour_on_a_terminal(terminal: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal gets colour, unless it takes none or the person wants none."""
    assert render.paint("x", render.BOLD) == "\x1b[1mx\x1b[0m"
    assert render.paint("", render.BOLD) == ""
    for name, value in (("NO_COLOR", "1"), ("TERM", "dumb")):
        render.is_coloured.cache_clear()
        monkeypatch.setenv(name, value)
        assert render.paint("x", render.BOLD) == "x"
        monkeypatch.undo()


def test_no_colour_elsewhere() -> None:
    """A pipe gets no colour."""
    with open(os.devnull, "w", encoding="utf-8") as stream:
        assert render.label("error", stream) == "error:"


def test_the_width_is_the_terminals(terminal: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """The width is the terminal's, or what COLUMNS says, never absurdly narrow."""
    assert render.width() == 60
    assert render.is_cut()
    for said, width in (("80", 80), ("7", 40), ("x", 60)):
        render.width.cache_clear()
        monkeypatch.setenv("COLUMNS", said)
        assert render.width() == width


@given(st.text(max_size=60), st.integers(2, 30))
def test_what_is_cut_fits(text: str, most: int) -> None:
    """A text that is cut to some columns takes no more, and one that fits stays."""
    line = render.one_line(text)
    shown = render.cut(line, most)
    assert render.cells(shown) <= most
    assert shown == line or shown.endswith("…")


@given(st.text(max_size=80))
def test_shown_text_is_harmless(text: str) -> None:
    """No control character but the line's end and the tab leaves a text that is shown."""
    shown = render.plain(text)
    assert not any(ord(char) < 32 and char not in "\n\t" for char in shown)
    assert not any(0x7F <= ord(char) < 0xA0 for char in shown)
    assert not set("\u061c\u200e\u200f\u202a\u202e\u2066\u2069\u2028") & set(shown)
    assert render.plain("plain 龙井\n\tcafé") == "plain 龙井\n\tcafé"


def test_counting() -> None:
    """A number is said with the form of its noun."""
    assert render.counted(1, "memory", "memories") == "1 memory"
    assert render.counted(1200, "memory", "memories") == "1,200 memories"
    assert render.counted(2, "line") == "2 lines"


@given(
    st.lists(st.tuples(st.text(max_size=14), st.text(max_size=50), st.text(max_size=90))),
    st.sampled_from(["60", "80", "120"]),
)
def test_a_table_fits(rows: list[tuple[str, str, str]], columns: str) -> None:
    """No line of a table is wider than the terminal, and every row is there."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", columns)
        render.width.cache_clear()
        lines = grid.table(("A", "B", "C"), rows)
    assert len(lines) == len(rows) + 1
    assert all(render.cells(line) <= int(columns) for line in lines)


@given(st.text(alphabet="ab 龙井é", max_size=80), st.integers(4, 20))
def test_wrapping_loses_nothing(text: str, columns: int) -> None:
    """Lines that a text is broken into fit, and hold all of its characters in order."""
    line = render.one_line(text)
    lines = card.wrapped(line, columns)
    assert "".join(lines).replace(" ", "") == line.replace(" ", "")
    assert all(render.cells(one) <= columns for one in lines)
