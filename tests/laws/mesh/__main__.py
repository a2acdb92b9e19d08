"""Run the mesh with every rule on, and with each one off, and print what fails.

``python -m tests.laws.mesh --seeds 1000`` prints the table of ``docs/federation.md``.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial

from tests.laws.mesh.rules import RULES
from tests.laws.mesh.run import Result, run


def row(what: str, results: list[Result]) -> str:
    """Return one row of the table: how many seeds failed, and in what ways."""
    failed = [result for result in results if result.problems]
    kinds = Counter(
        kind
        for result in failed
        for kind in {problem.partition(":")[0] for problem in result.problems}
    )
    ways = ", ".join(f"{kind} {count}" for kind, count in sorted(kinds.items()))
    return f"| {what} | {len(failed)} of {len(results)} | {ways} |"


def table(seeds: int, off: int, workers: int) -> Iterator[str]:
    """Yield the rows: all rules on over ``seeds`` seeds, then each one off over ``off``."""
    with ProcessPoolExecutor(workers) as pool:
        yield "| off | failed | how, and in how many seeds |"
        yield "|---|---|---|"
        every = list(pool.map(run, range(seeds)))
        yield row("none", every)
        for rule, meaning in RULES.items() if off else ():
            results = list(pool.map(partial(run, off=rule), range(off)))
            yield row(f"{rule}: {meaning}", results)
        total: Counter[str] = Counter()
        for result in every:
            total.update(result.figures)
        for name, count in total.items():
            yield f"{name}: {count}"


def main() -> int:
    """Print the table, and give 1 if anything failed with every rule on."""
    parser = argparse.ArgumentParser(prog="python -m tests.laws.mesh", description=__doc__)
    parser.add_argument("--seeds", type=int, default=1000, help="seeds with every rule on")
    parser.add_argument("--off", type=int, default=100, help="seeds with each rule off")
    parser.add_argument("--workers", type=int, default=2, help="processes")
    given = parser.parse_args()
    lines = table(given.seeds, given.off, given.workers)
    is_sound = True
    for line in lines:
        sys.stdout.write(line + "\n")
        sys.stdout.flush()
        if line.startswith("| none |"):
            is_sound = line.startswith(f"| none | 0 of {given.seeds} |")
    return 0 if is_sound else 1


if __name__ == "__main__":
    sys.exit(main())
