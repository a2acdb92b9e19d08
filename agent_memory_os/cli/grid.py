"""Tables that fit: the columns take what they need, and the last one takes what is left.

Where another program reads the output nothing is cut off.
"""

from __future__ import annotations

from collections.abc import Sequence

from agent_memory_os.cli import render

_GAP = "  "
_WIDEST = 28
_SHARE = 5
_RIGID = 16
"""A column of this width, such as a time, says little when it is cut: wider ones give way first."""

_LAST = (20, 8)
"""What the last column is left while others can give way, and in any case."""

_LEAST = 6


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of a table; a cell is one line of text."""
    shown = [[render.one_line(cell) for cell in row] for row in rows]
    widths = [max(map(render.cells, column)) for column in zip(heads, *shown, strict=True)]
    if render.is_cut():
        widths = _fitted(widths)
        heads, *shown = [
            [render.cut(cell, most) for cell, most in zip(row, widths, strict=True)]
            for row in (heads, *shown)
        ]
    lines = [_line(heads, widths)]
    lines[0] = render.paint(lines[0], render.BOLD)
    return [*lines, *(_line(row, widths) for row in shown)]


def _fitted(widths: list[int]) -> list[int]:
    """Return widths that fit a line: the last column gives way first, then the widest one."""
    if sum(widths) + len(_GAP) * (len(widths) - 1) <= render.width():
        return widths
    # The first column is what a row is called by: it is not cut.
    widest = max(_WIDEST, render.width() // _SHARE)
    first, *middle = [min(width, widest) for width in widths[:-1]]
    room = render.width() - first - len(_GAP) * (len(middle) + 1)
    wide = [place for place, width in enumerate(middle) if width > _RIGID]
    for last, places in ((_LAST[0], wide), (_LAST[1], wide), (_LAST[1], [*range(len(middle))])):
        _give_way(middle, places, room - min(widths[-1], last))
    return [first, *middle, max(min(widths[-1], room - sum(middle)), 1)]


def _give_way(widths: list[int], places: Sequence[int], room: int) -> None:
    """Make the columns at some places narrower, the widest first, until all fit or none can."""
    while sum(widths) > room and any(widths[place] > _LEAST for place in places):
        widths[max(places, key=widths.__getitem__)] -= 1


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = [
        cell + " " * (width - render.cells(cell)) for cell, width in zip(cells, widths, strict=True)
    ]
    return _GAP.join(padded).rstrip()
