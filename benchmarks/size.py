"""How large the file is: bytes a memory of 150 characters, with its registers, grants and index."""

from __future__ import annotations

import os
import sqlite3

from benchmarks import figure, fleet

KILO = 1024


def main() -> None:
    """Measure, and print the figures."""
    with figure.options(__doc__) as options:
        figure.title(__doc__)
        for size in (2_000,) if options.quick else (10_000, 100_000):
            home = fleet.build(options.work, size)
            path = os.path.join(home, "node.db")
            connection = sqlite3.connect(path)
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            count, mean = connection.execute(
                "SELECT count(*), avg(length(content)) FROM memories"
            ).fetchone()
            connection.close()
            each = os.path.getsize(path) / count
            figure.figure(
                f"{size:,} memories of {mean:.0f} characters on average",
                f"{each / KILO:.2f} KB each",
                "at most 2.5 KB",
            )


if __name__ == "__main__":
    main()
