"""What the programs have in common: their options, and how they print a figure."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from benchmarks.clock import yardstick


class Options(NamedTuple):
    """How a benchmark was called: quickly or in full, and the folder for its stores."""

    quick: bool
    work: str


@contextmanager
def options(docstring: str | None) -> Iterator[Options]:
    """Read the command line; the folder for stores is a temporary one if none is named."""
    parser = argparse.ArgumentParser(description=(docstring or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer runs on smaller stores")
    parser.add_argument("--work", help="a folder that keeps the stores, so that others use them")
    read = parser.parse_args()
    folder = read.work or tempfile.mkdtemp(prefix="agent-memory-bench-")
    os.makedirs(folder, exist_ok=True)
    try:
        yield Options(read.quick, folder)
    finally:
        if not read.work:
            shutil.rmtree(folder, ignore_errors=True)


def title(docstring: str | None) -> None:
    """Print what is measured, and how fast this machine starts Python."""
    print(f"\n{(docstring or '').partition(chr(10))[0]}")
    print(f"  python -c pass on this machine: {yardstick():.1f} ms of CPU")
    sys.stdout.flush()


def figure(what: str, measured: str, asked: str = "") -> None:
    """Print one figure, and what it should be if anything is asked of it."""
    wanted = f"  [asked: {asked}]" if asked else ""
    print(f"  {what}: {measured}{wanted}")
    sys.stdout.flush()
