"""A progress bar, on a terminal and for what takes long."""

from __future__ import annotations

import os
import sys
from time import monotonic
from types import TracebackType
from typing import Self

from agent_memory_os.cli import render

_PATIENCE = 0.5
_EVERY = 0.1
_CELLS = 30
_MEGABYTE = 1_000_000


class Bar:
    """Shows on the standard error how much of something is done, after some patience.

    What is done is counted in bytes of a file, of which there are ``total``; without a total, in
    shares of a whole.
    """

    def __init__(
        self, path: str, total: int | None = None, *, is_shown: bool, patience: float = _PATIENCE
    ) -> None:
        self._name = os.path.basename(os.path.abspath(path))
        self._total = total
        self._done = 0.0
        self._is_shown = is_shown and sys.stderr.isatty()
        self._next = monotonic() + patience
        self._is_drawn = False

    def __enter__(self) -> Self:
        """Begin; nothing is drawn yet."""
        return self

    def advance(self, count: float) -> None:
        """Say that so many more bytes were read, or such a share of the whole is done."""
        self._done += count
        if self._is_shown and monotonic() >= self._next:
            self._next = monotonic() + _EVERY
            self._draw()

    def _draw(self) -> None:
        total = 1 if self._total is None else self._total
        share = min(self._done / total, 1.0) if total else 1.0
        full = round(share * _CELLS)
        name = render.cut(render.one_line(self._name), _CELLS)
        size = ""
        if self._total is not None:
            size = f" {self._done / _MEGABYTE:,.1f} of {self._total / _MEGABYTE:,.1f} MB"
        sys.stderr.write(f"\r{name} {'━' * full}{'─' * (_CELLS - full)} {share:4.0%}{size}\x1b[K")
        sys.stderr.flush()
        self._is_drawn = True

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Take the bar away."""
        if self._is_drawn:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
