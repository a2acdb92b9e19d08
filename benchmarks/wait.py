"""How long a writer waits at worst among eight writing processes, against plain busy_timeout.

Both sides write the same rows to files with the same settings (WAL, synchronous FULL), each process
as fast as it can for some seconds. On one side :meth:`Database.write` waits in its own way; on the
other ``sqlite3`` waits by itself, with ``timeout=30``. What counts is the time from asking for the
write lock to holding it, the longest of all; rounds alternate.
"""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from statistics import median

from agent_memory_os import wiring
from agent_memory_os.store.database import Database
from benchmarks import figure
from benchmarks.clock import at

PROCESSES = 8
SECONDS = 8.0
SIDES = ("ours", "plain")
_TABLE = "CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT, at INTEGER)"
_SETTINGS = ("synchronous = FULL", "secure_delete = ON", "foreign_keys = ON")
_INSERT = "INSERT INTO notes (text, at) VALUES (?, ?)"
_TEXT = "x" * 150


def main() -> None:
    """Measure, and print the figures; with ``--worker`` be one of the processes."""
    if sys.argv[1:2] == ["--worker"]:
        work(*sys.argv[2:])
        return
    with figure.options(__doc__) as options:
        figure.title(__doc__)
        worst: dict[str, list[float]] = {side: [] for side in SIDES}
        usual: dict[str, list[float]] = {side: [] for side in SIDES}
        written = dict.fromkeys(SIDES, 0)
        for number in range(1 if options.quick else 3):
            for side in SIDES:
                path = os.path.join(options.work, f"{side}-{os.getpid()}-{number}.db")
                waits = round_of(side, path, 1.0 if options.quick else SECONDS)
                worst[side].append(waits[-1])
                usual[side].append(at(waits, 0.5))
                written[side] += len(waits)
        ratio = median(worst["ours"]) / median(worst["plain"])
        figure.figure(
            "worst wait, median of the rounds, against plain", f"{ratio:.2f}", "at most 0.3"
        )
        for side in SIDES:
            waits = ", ".join(f"{1000 * wait:.0f}" for wait in worst[side])
            figure.figure(
                side,
                f"worst waits {waits} ms; median wait {1000 * median(usual[side]):.2f} ms; "
                f"{written[side]:,} transactions",
            )


def round_of(side: str, path: str, seconds: float) -> list[float]:
    """Let eight processes write at once; return every wait in seconds, sorted."""
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute(_TABLE)
    connection.close()
    start = time.time() + 1.5
    command = [sys.executable, "-m", "benchmarks.wait", "--worker", side, path]
    workers = [
        subprocess.Popen([*command, str(start), str(seconds)], stdout=subprocess.PIPE, text=True)
        for _ in range(PROCESSES)
    ]
    waits = []
    for worker in workers:
        said, _ = worker.communicate()
        if worker.returncode != 0:
            raise SystemExit("a writing process failed")
        waits += [float(line) for line in said.split()]
    return sorted(waits)


def work(side: str, path: str, start: str, seconds: str) -> None:
    """Write until the time is over, and print each wait."""
    write = {"ours": _our_writer, "plain": _plain_writer}[side](path)
    time.sleep(max(0.0, float(start) - time.time()))
    end = time.monotonic() + float(seconds)
    waits = []
    while time.monotonic() < end:
        waits.append(write())
    print(*waits, sep="\n")


def _our_writer(path: str) -> Callable[[], float]:
    database = Database(path, wiring.clock, wiring.chance)

    def write() -> float:
        asked = time.perf_counter()
        with database.write() as transaction:
            waited = time.perf_counter() - asked
            transaction.execute(_INSERT, (_TEXT, transaction.now))
        return waited

    return write


def _plain_writer(path: str) -> Callable[[], float]:
    connection = sqlite3.connect(path, timeout=30, isolation_level=None)
    for setting in _SETTINGS:
        connection.execute(f"PRAGMA {setting}")

    def write() -> float:
        asked = time.perf_counter()
        connection.execute("BEGIN IMMEDIATE")
        waited = time.perf_counter() - asked
        connection.execute(_INSERT, (_TEXT, wiring.clock()))
        connection.execute("COMMIT")
        return waited

    return write


if __name__ == "__main__":
    main()
