"""Tables that fit: the columns take what they need, and the last one takes what is left.

Where another program reads the output nothing is cut off.
"""

from __future__ import annotations

from collections.abc import Sequence

from agent_memory_os.cli import render

_GAP = "  "
_WIDEST = 28
_NARROWEST = 12


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
    fixed = [min(width, _WIDEST) for width in widths[:-1]]
    left = render.width() - sum(fixed) - len(_GAP) * len(fixed)
    return [*fixed, max(min(widths[-1], left), _NARROWEST)]


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = [
        cell + " " * (width - render.cells(cell)) for cell, width in zip(cells, widths, strict=True)
    ]
    return _GAP.join(padded).rstrip()
