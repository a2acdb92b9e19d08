"""What a process that runs has cost, as Linux tells it: CPU time, and the most memory it held.

CPU time is user and system, of all threads, those that have ended too, and of all children. Memory
is the most that lay in RAM at once, since it was last forgotten; that of children which still run
is added, and those that have ended are left out.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import suppress

from benchmarks.clock import THOUSAND

_TICKS = os.sysconf("SC_CLK_TCK")
_OF_CHILDREN = slice(13, 15)
"""User and system time of children that have ended, in ``/proc/PID/stat`` behind the name."""

_FORGET = "5"
"""What ``/proc/PID/clear_refs`` takes as: the peak is what is held now."""


def cpu(pid: int) -> float:
    """Return the CPU time that a process and its children have used, in milliseconds."""
    return THOUSAND * _sum(pid, _seconds)


def peak(pid: int) -> float:
    """Return the most memory that a process and its children have held, in megabytes."""
    return _sum(pid, _bytes) / 1e6


def forget_peak(pid: int) -> None:
    """Let :func:`peak` count from what a process and its children hold now."""
    _sum(pid, _forget)


def _sum(pid: int, told: Callable[[int], float]) -> float:
    total = told(pid)
    for child in _children(pid):
        # A child may end while it is looked at; its CPU time is its parent's then.
        with suppress(OSError):
            total += _sum(child, told)
    return total


def _children(pid: int) -> Iterator[int]:
    for task in os.listdir(f"/proc/{pid}/task"):
        with suppress(OSError), open(f"/proc/{pid}/task/{task}/children", encoding="ascii") as file:
            yield from map(int, file.read().split())


def _seconds(pid: int) -> float:
    # The clock of another process, numbered as clock_getcpuclockid(3) does: what stands in /proc
    # counts in ticks of ten milliseconds, or leaves out the threads that have ended.
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        ended = file.read().rpartition(")")[2].split()[_OF_CHILDREN]
    return time.clock_gettime(~pid << 3 | 2) + sum(map(int, ended)) / _TICKS


def _bytes(pid: int) -> float:
    with open(f"/proc/{pid}/status", encoding="utf-8") as file:
        # A process that has ended and was not waited for holds nothing.
        held = [int(line.split()[1]) for line in file if line.startswith("VmHWM:")]
    return sum(held) * 1024


def _forget(pid: int) -> float:
    with open(f"/proc/{pid}/clear_refs", "w", encoding="ascii") as file:
        file.write(_FORGET)
    return 0
