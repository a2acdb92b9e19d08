"""The table that a simulator prints: all rules on, then each one off, and what fails of how many.

What a run is, is its simulator's: here stands only how seeds are gone through, so that a long
search can be taken up where it was left, and how what came of them is told.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import Protocol

from agent_memory_os.value import NamedTuple


class Outcome(Protocol):
    """What came of a run."""

    @property
    def problems(self) -> list[str]:
        """What did not hold: a word, a colon, and what it was about."""

    @property
    def figures(self) -> dict[str, int]:
        """How often there was what has to be there for a run to tell something."""


Run = Callable[..., Outcome]
"""Runs a seed; ``off`` names the rule without which, and is empty where all are on."""


class Wanted(NamedTuple):
    """Which seeds to run: so many with all rules on, and so many with each one off."""

    first: int
    seeds: int
    off: int
    rule: list[str]
    workers: int


def parser(program: str, about: str | None) -> argparse.ArgumentParser:
    """Return a parser of what every simulator is asked."""
    found = argparse.ArgumentParser(prog=program, description=about)
    found.add_argument("--first", type=int, default=0, help="the first seed")
    found.add_argument("--seeds", type=int, help="seeds with every rule on")
    found.add_argument("--off", type=int, help="seeds with each rule off")
    found.add_argument("--rule", action="append", default=[], help="only this rule off")
    found.add_argument("--workers", type=int, help="processes")
    return found


def row(what: str, results: Iterable[Outcome]) -> str:
    """Return one row of the table: how many seeds failed, and in what ways."""
    every = list(results)
    failed = [result for result in every if result.problems]
    kinds = Counter(
        kind
        for result in failed
        for kind in {problem.partition(":")[0] for problem in result.problems}
    )
    ways = ", ".join(f"{kind} {count}" for kind, count in sorted(kinds.items()))
    return f"| {what} | {len(failed)} of {len(every)} | {ways} |"


def table(run: Run, rules: Mapping[str, str], wanted: Wanted) -> Iterator[str]:
    """Yield the rows, then the figures, and the seeds that failed with every rule on."""
    seeds = range(wanted.first, wanted.first + wanted.seeds)
    others = range(wanted.first, wanted.first + wanted.off)
    with ProcessPoolExecutor(wanted.workers) as pool:
        yield "| off | failed | how, and in how many seeds |"
        yield "|---|---|---|"
        every = list(pool.map(partial(run, off=""), seeds))
        yield row("none", every)
        for rule, meaning in rules.items() if others else ():
            if not wanted.rule or rule in wanted.rule:
                results = pool.map(partial(run, off=rule), others)
                yield row(f"{rule}: {meaning}", results)
    total: Counter[str] = Counter()
    for result in every:
        total.update(result.figures)
    yield from (f"{name}: {count}" for name, count in total.items())
    for seed, result in zip(seeds, every, strict=True):
        yield from (f"seed {seed}: {problem}" for problem in result.problems)


def show(run: Run, rules: Mapping[str, str], wanted: Wanted) -> int:
    """Print the table as it comes, and give 1 if anything failed with every rule on."""
    is_sound = True
    for line in table(run, rules, wanted):
        sys.stdout.write(line + "\n")
        sys.stdout.flush()
        if line.startswith("| none |"):
            is_sound = line.startswith(f"| none | 0 of {wanted.seeds} |")
    return 0 if is_sound else 1
