"""Tables fit the line, keep their columns under their heads, and cut what matters least."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory_os.cli import grid, render

HEADS = ("ID", "SINCE (UTC)", "OWNER", "AUDIENCE", "MEMORY")
LONG = "Releases go out on Tuesdays, never before a holiday, and never on the day of a sale"
ROW = (
    "mem_4zkzulhm5k",
    "2026-11-29 20:50",
    "claude",
    "agent:iris-the-assistant, team:apollo",
    LONG,
)


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    """Forget how wide the line was, before and after."""
    render.width.cache_clear()
    yield
    render.width.cache_clear()


def table(columns: int, *rows: tuple[str, ...], heads: tuple[str, ...] = HEADS) -> list[str]:
    """Return a table for a line of so many columns."""
    render.width.cache_clear()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", str(columns))
        return grid.table(heads, rows)


CELLS = st.text("ab 龙é", max_size=40)
ROWS = st.lists(st.tuples(CELLS, CELLS, CELLS, CELLS, CELLS), min_size=1, max_size=4)


@given(ROWS, st.integers(60, 200))
def test_no_line_is_too_long(rows: list[tuple[str, ...]], columns: int) -> None:
    """Whatever stands in it, a line takes no more columns than there are."""
    cut = [(row[0][:6], *row[1:]) for row in rows]
    assert all(render.cells(line) <= columns for line in table(columns, *cut))


@pytest.mark.parametrize("columns", [40, 60, 80, 120, 200])
def test_columns_stand_under_their_heads(columns: int) -> None:
    """Each column begins at one place, in the head as in the rows."""
    heads, row = table(columns, ROW)
    starts = [place for place in range(2, len(heads)) if heads[place - 2 : place] == "  "]
    begins = [place for place in starts if heads[place] != " "]
    assert len(begins) == len(HEADS) - 1
    assert all(row[place - 2 : place] == "  " and row[place] != " " for place in begins)


def test_what_fits_is_whole() -> None:
    """Where there is room nothing is cut, however wide a column is."""
    _, row = table(200, ROW)
    assert row == "  ".join(ROW)


def test_the_wide_gives_way_before_the_narrow() -> None:
    """A time and a name are whole on a line of 80 columns; an audience and the words are cut."""
    _, row = table(80, ROW)
    assert row.startswith("mem_4zkzulhm5k  2026-11-29 20:50  claude  agent:iris")
    assert row.count("…") == 2


def test_a_pipe_gets_all() -> None:
    """Where another program reads the table nothing is cut off."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("COLUMNS", raising=False)
        assert LONG in grid.table(HEADS, [ROW])[1]
