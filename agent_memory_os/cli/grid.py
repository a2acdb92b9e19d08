"""Tables that fit: the columns take what they need, and the last one takes what is left.

Where another program reads the output nothing is cut off.
"""

from __future__ import annotations

from collections.abc import Sequence

from agent_memory_os.cli import render

_GAP = "  "
_WIDEST = 28
_NARROWEST = 20
_LEAST = 6


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of a table; a cell is one line of text."""
    shown = [[render.one_line(cell) for cell in row] for row in rows]
    widths = [max(map(render.cells, column)) for column in zip(heads, *shown, strict=True)]
    if render.is_cut():
        widths = _fitted(widths)
        shown = [
            [render.cut(cell, most) for cell, most in zip(row, widths, strict=True)]
            for row in shown
        ]
    lines = [_line(heads, widths)]
    lines[0] = render.paint(lines[0], render.BOLD)
    return [*lines, *(_line(row, widths) for row in shown)]


def _fitted(widths: list[int]) -> list[int]:
    """Return widths that fit a line: the last column gives way first, then the widest one."""
    # The first column is what a row is called by: it is not cut.
    first, *middle = [min(width, _WIDEST) for width in widths[:-1]]
    room = render.width() - first - len(_GAP) * (len(middle) + 1)
    last = min(widths[-1], _NARROWEST)
    while middle and sum(middle) + last > room and max(middle) > _LEAST:
        middle[middle.index(max(middle))] -= 1
    return [first, *middle, max(min(widths[-1], room - sum(middle)), 1)]


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = [
        cell + " " * (width - render.cells(cell)) for cell, width in zip(cells, widths, strict=True)
    ]
    return _GAP.join(padded).rstrip()
