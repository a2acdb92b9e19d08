"""What is shown fits, is coloured only where that shows, and cannot harm a terminal."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory_os.cli import card, grid, render
from tests.cli.screen import COLUMNS, forget, terminal


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let neither the person's wishes nor an earlier test decide how things look."""
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    forget()
    yield
    forget()


def test_colour_on_a_terminal() -> None:
    """A terminal gets colour."""
    with terminal():
        assert render.paint("x", render.BOLD) == "\x1b[1mx\x1b[0m"
        assert render.paint("", render.BOLD) == ""


@pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_colour_that_is_not_wanted(name: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal that takes no colour gets none, nor does a person who wants none."""
    monkeypatch.setenv(name, value)
    with terminal():
        assert render.paint("x", render.BOLD) == "x"


def test_no_colour_elsewhere() -> None:
    """A pipe gets no colour."""
    with open(os.devnull, "w", encoding="utf-8") as stream:
        assert render.label("error", stream) == "error:"


@pytest.mark.parametrize(("said", "width"), [("", COLUMNS), ("80", 80), ("7", 40), ("x", COLUMNS)])
def test_the_width(said: str, width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The width is the terminal's, or what COLUMNS says, never absurdly narrow."""
    monkeypatch.setenv("COLUMNS", said)
    with terminal():
        assert render.width() == width
        assert render.is_cut()


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
        forget()
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
