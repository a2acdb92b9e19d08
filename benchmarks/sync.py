"""What it costs two nodes to exchange a team's memories: first, idle, after a change or a loss.

Two real nodes serve, and one of them exchanges with the other through a relay that counts the bytes
of both ways. The CPU time is that of both processes with their children, from before the exchange
until it is over, so without the start and its imports; the memory is the most that each held
meanwhile. After each exchange both must have the same memories. At last an agent writes at the
receiver, again and again, while everything arrives for the first time.

Each side of ``benchmarks.pair`` is measured in turns with the others, on the same texts.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from benchmarks import figure, meter
from benchmarks.clock import THOUSAND, at
from benchmarks.pair import earlier, ours
from benchmarks.pair.base import Pair, Side
from benchmarks.relay import Traffic
from benchmarks.serve import Caller
from benchmarks.upkeep import again_and_again

SIDES: Sequence[Callable[[], Side | None]] = (earlier.side, ours.side)
"""What gives each side, or nothing where it cannot be measured; the first is the baseline."""

FIRST = "first exchange"
IDLE = "idle exchange"
CHANGE = "exchange after one change"
MISSING = "exchange when one is missing"
WAIT = "an agent's writes during the first exchange"
_SETTLING = 2.0


class Cost(NamedTuple):
    """What one exchange cost: bytes, and for each process CPU milliseconds and megabytes."""

    traffic: Traffic
    cpu: Mapping[str, float]
    peak: Mapping[str, float]
    seconds: float

    @property
    def total(self) -> float:
        """The CPU time of both, in milliseconds."""
        return sum(self.cpu.values())

    def text(self, baseline: Cost | None = None) -> str:
        """Say it in a line, beside what the same cost the baseline where that is another."""
        cpu = ", ".join(f"{name} {taken:,.0f}" for name, taken in self.cpu.items())
        peak = ", ".join(f"{name} {held:,.0f}" for name, held in self.peak.items())
        beside = f", {self.total / baseline.total:.2f} times the baseline" if baseline else ""
        return (
            f"{sum(self.traffic):,} bytes ({self.traffic.up:,} to the sender); "
            f"CPU {self.total:,.0f} ms ({cpu}){beside}; memory {peak} MB; {self.seconds:.2f} s"
        )


class Sizes(NamedTuple):
    """How many memories there are: usually, at most for a loss, and while an agent writes."""

    usual: int
    large: int
    wait: int
    rounds: int


def main() -> None:
    """Measure, and print the figures; with ``--write`` be the agent that writes."""
    if sys.argv[1:2] == ["--write"]:
        write(*sys.argv[2:])
        return
    with figure.options(__doc__) as options:
        figure.title(__doc__)
        sizes = Sizes(1_000, 2_000, 2_000, 1) if options.quick else Sizes(20_000, 10**6, 50_000, 3)
        sides = [side for given in SIDES if (side := given()) is not None]
        if len(sides) < len(SIDES):
            print("  The package index cannot be reached: a side is missing.")
        exchanges(sides, options.work, sizes)
        for side in sides:
            missing(side, options.work, min(sizes.large, side.large))
            waits(side, options.work, sizes.wait)


def exchanges(sides: Sequence[Side], work: str, sizes: Sizes) -> None:
    """Print what the first exchange costs, an idle one, and one after a change."""
    acts: Mapping[str, Callable[[Pair], object]] = {
        FIRST: lambda _: None,
        IDLE: lambda _: None,
        CHANGE: lambda pair: pair.change(),
    }
    costs: dict[tuple[str, str], list[Cost]] = {}
    for _ in range(sizes.rounds):
        for side in sides:
            with side.paired(work, sizes.usual) as pair:
                for name, act in acts.items():
                    act(pair)
                    costs.setdefault((name, side.name), []).append(measured(pair))
    for name in acts:
        baseline = None
        for side in sides:
            cost = middle(costs[name, side.name])
            tell(side, name, sizes.usual, cost.text(baseline))
            baseline = baseline or cost


def missing(side: Side, work: str, size: int) -> None:
    """Print what it costs to find and repair one memory that is missing among many."""
    with side.paired(work, size) as pair:
        measured(pair)
        pair.lose()
        tell(side, MISSING, size, measured(pair).text())


def waits(side: Side, work: str, size: int) -> None:
    """Print how long an agent waits to write while many memories arrive."""
    with side.paired(work, size) as pair:
        command = [sys.executable, "-m", "benchmarks.sync", "--write", *pair.writing]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
            time.sleep(_SETTLING)
            cost = measured(pair)
            # What was waited for last is told too.
            time.sleep(_SETTLING)
            writer.terminate()
            found = [THOUSAND * float(line) for line in writer.communicate()[0].split()]
        text = f"{max(found):,.0f} ms at worst, {at(found, 0.5):.1f} ms at the median"
        tell(side, WAIT, size, f"{text} of {len(found):,}; it took {cost.seconds:.1f} s")


def measured(pair: Pair) -> Cost:
    """Let a pair exchange once, and return what it cost; both must then have the same."""
    processes = pair.processes
    for pid in processes.values():
        meter.forget_peak(pid)
    before = {name: meter.cpu(pid) for name, pid in processes.items()}
    traffic, began = pair.relay.traffic(), time.perf_counter()
    pair.exchange()
    seconds = time.perf_counter() - began
    cost = Cost(
        pair.relay.traffic().since(traffic),
        {name: meter.cpu(pid) - before[name] for name, pid in processes.items()},
        {name: meter.peak(pid) for name, pid in processes.items()},
        seconds,
    )
    if differing := pair.differing():
        raise SystemExit(f"after an exchange {differing} memories are not alike")
    return cost


def middle(costs: Sequence[Cost]) -> Cost:
    """Return the one of several that took the median of CPU time."""
    return sorted(costs, key=lambda cost: cost.total)[len(costs) // 2]


def tell(side: Side, name: str, size: int, text: str) -> None:
    """Print a figure of one side."""
    figure.figure(f"{side.name}, {size:,} memories, {name}", text, side.asked.get(name, ""))


def write(port: str, token: str, path: str) -> None:
    """Add memories until told to end, and print how long each took."""
    caller = Caller(int(port), token)

    def once() -> float:
        began = time.perf_counter()
        caller.ask(path, {"content": f"written at {began}"})
        return time.perf_counter() - began

    again_and_again(once)


if __name__ == "__main__":
    main()
