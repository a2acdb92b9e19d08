"""What adding costs: one by one and in bulk, registers, grants, index and all, CPU a memory.

In bulk the least of many batches of 500 counts beside the median, and the plain insertion of the
same rows into a table with an FTS5 index of its own stands by as the baseline: what SQLite alone
takes, with the same durability.
"""

from __future__ import annotations

import os
import sqlite3
from functools import partial
from itertools import islice

from agent_memory_os.client import MemoryClient
from benchmarks import figure, fleet
from benchmarks.clock import at, cost
from benchmarks.corpus import SEED, Corpus

BATCH = 500


def main() -> None:
    """Measure, and print the figures."""
    with figure.options(__doc__) as options:
        figure.title(__doc__)
        count = 1_000 if options.quick else 10_000
        home = os.path.join(options.work, f"added-{os.getpid()}")
        fleet.found(home)
        with MemoryClient(home, agent=fleet.READER) as client:
            items = list(fleet.items(list(Corpus().notes(count)), 0, fleet.audiences()))
            plain = Plain(os.path.join(options.work, f"plain-{os.getpid()}.db"))
            ours, theirs = [], []
            for start in range(0, count, BATCH):
                batch = items[start : start + BATCH]
                ours.append(cost(partial(add_all, client, batch)) / BATCH)
                theirs.append(cost(partial(plain.add, batch)) / BATCH)
            report(f"bulk, {count:,} memories", ours, theirs, 8_000)
            singles = list(islice(Corpus(SEED + 2).notes(count // 10), count // 10))
            ours = [cost(partial(client.add, note.text, author=note.author)) for note in singles]
            theirs = [cost(partial(plain.add, [{"content": note.text}])) for note in singles]
            report("one by one", ours, theirs, None)


def add_all(client: MemoryClient, items: list[dict[str, object]]) -> None:
    """Add memories in one batch."""
    for _ in client.add_many(items):
        pass


def report(name: str, ours: list[float], theirs: list[float], asked: int | None) -> None:
    """Print the cost of a memory against the plain insertion's."""
    typical, best, plain = at(ours, 0.5), min(ours), at(theirs, 0.5)
    figure.figure(
        f"{name}, CPU a memory",
        f"median {1000 * typical:.0f} µs ({1000 / typical:,.0f} a CPU-second), "
        f"least {1000 * best:.0f} µs ({1000 / best:,.0f}); "
        f"{typical / plain:.1f} times plain SQLite",
        f"{asked:,} a CPU-second" if asked else "at most 1 ms",
    )


class Plain:
    """A table with a full-text index, as SQLite offers them: no gate, no history, no registers."""

    def __init__(self, path: str) -> None:
        self._connection = sqlite3.connect(path, isolation_level=None)
        run = self._connection.execute
        run("PRAGMA journal_mode = WAL")
        run("PRAGMA synchronous = FULL")
        run("CREATE TABLE notes (id INTEGER PRIMARY KEY, content TEXT, author TEXT)")
        run("CREATE VIRTUAL TABLE words USING fts5 (content, tokenize = 'porter')")

    def add(self, items: list[dict[str, object]]) -> None:
        """Insert rows in one transaction."""
        run = self._connection.execute
        run("BEGIN IMMEDIATE")
        for item in items:
            row = (item["content"], item.get("author", ""))
            number = run("INSERT INTO notes (content, author) VALUES (?, ?)", row).lastrowid
            run("INSERT INTO words (rowid, content) VALUES (?, ?)", (number, item["content"]))
        run("COMMIT")


if __name__ == "__main__":
    main()
