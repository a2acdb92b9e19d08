"""Measuring on a machine that others use too: CPU time, interleaved runs, medians and minima.

Wall-clock time says how busy the machine is; CPU time says what a program costs. What is compared
runs in turns, so that a slower minute hits both sides. ``python -c pass`` of the same interpreter
is the yardstick: absolute figures are worth something only beside it.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

PYTHON = (sys.executable, "-c", "pass")

THOUSAND = 1000


class Spread(NamedTuple):
    """Several measurements of one thing: the median, the quartiles and the least."""

    median: float
    low: float
    high: float
    least: float

    def text(self, digits: int = 1) -> str:
        """Return the median with the quartiles, to so many digits."""
        return f"{self.median:.{digits}f} ({self.low:.{digits}f} to {self.high:.{digits}f})"


def spread(values: Sequence[float]) -> Spread:
    """Return the median, quartiles and minimum of some values, at least one."""
    if len(values) == 1:
        return Spread(values[0], values[0], values[0], values[0])
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive")
    return Spread(middle, low, high, min(values))


def at(values: Sequence[float], share: float) -> float:
    """Return the value below which a share of the values lies."""
    return sorted(values)[min(int(share * len(values)), len(values) - 1)]


def process(command: Sequence[str], environment: Mapping[str, str] | None = None) -> float:
    """Run a command to its end and return its CPU time, user and system, in milliseconds."""
    started = subprocess.Popen(
        command,
        env=None if environment is None else dict(environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    with started.stderr or open(os.devnull, "rb") as errors:
        said = errors.read()
    _, status, usage = os.wait4(started.pid, 0)
    started.returncode = os.waitstatus_to_exitcode(status)
    if started.returncode != 0:
        raise SystemExit(f"{' '.join(command)} failed:\n{said.decode(errors='replace')}")
    return THOUSAND * (usage.ru_utime + usage.ru_stime)


def in_turns(
    commands: Mapping[str, Sequence[str]],
    runs: int,
    environment: Mapping[str, str] | None = None,
) -> dict[str, list[float]]:
    """Run each command so many times, one after the other in turns; return their CPU times."""
    for command in commands.values():
        process(command, environment)
    taken: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(runs):
        for name, command in commands.items():
            taken[name].append(process(command, environment))
    return taken


def cost(act: Callable[[], object]) -> float:
    """Return the CPU time of an act in this process, in milliseconds."""
    start = time.process_time()
    act()
    return THOUSAND * (time.process_time() - start)


def least(acts: Sequence[Callable[[], object]], passes: int = 3) -> list[float]:
    """Return the CPU time of each act, in milliseconds: the least of several passes over all."""
    taken = [cost(act) for act in acts]
    for _ in range(passes - 1):
        taken = [min(before, cost(act)) for before, act in zip(taken, acts, strict=True)]
    return taken


def yardstick(runs: int = 9) -> float:
    """Return the median CPU time of ``python -c pass`` on this machine, in milliseconds."""
    return statistics.median(process(PYTHON) for _ in range(runs))
