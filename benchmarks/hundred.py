"""How long a change takes to reach all of a hundred nodes of one team, and what that weighs.

The nodes are real homes of as many accounts in one process, and exchange by the product's own code
under a virtual clock; ``benchmarks.mesh`` says how. Of each topology several runs are made, each
from a seed, and what all tell is taken together. ``--fail`` is which share of contacts fails: such
a one is tried again when the node exchanges next.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
import tempfile
from collections.abc import Iterable, Sequence

from benchmarks import figure
from benchmarks.clock import at
from benchmarks.mesh.homes import prepared
from benchmarks.mesh.run import BEAT, CRON, SERVE, Load, Outcome, Plan, run
from benchmarks.mesh.topology import LINKS

ASKED = {"hub": 120, "three": 135, "mesh": 135}
"""Within how many seconds a change has to have reached all, but for one in a hundred."""

QUICK = 12
USUAL = ("hub", "hub+2", "three", "ring")
_HEADS = (
    "topology",
    "shared: p50, p99, most",
    "revoked: p50, p99, most",
    "changes",
    "p99 of all × asked",
    "contacts, failed",
    "idle minute, kB: member, first",
    "minute with a change, kB: member, first",
)


def main() -> None:
    """Run what is asked for, and print a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--work", help="a folder that keeps the homes, so that others use them")
    parser.add_argument("--quick", action="store_true", help="a dozen nodes, and one run of each")
    parser.add_argument("--nodes", type=int, default=100)
    parser.add_argument("--topology", choices=LINKS, action="append", help="else the usual four")
    parser.add_argument("--seeds", type=int, default=3, help="how many runs of each topology")
    parser.add_argument("--fail", type=float, default=0.3, help="which share of contacts fails")
    parser.add_argument("--by", choices=(CRON, SERVE, BEAT), default=CRON, help="who begins")
    parser.add_argument("--drawn", action="store_true", help="a node's jitter is drawn each minute")
    parser.add_argument("--minutes", type=int, default=6, help="for how long much is written")
    parser.add_argument("--rate", type=int, default=40, help="so many changes a minute by then")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="agent-memory-bench-") as folder:
        work = given.work or folder
        os.makedirs(work, exist_ok=True)
        plans = [
            Plan(
                topology,
                seed,
                QUICK if given.quick else given.nodes,
                given.fail,
                given.by,
                is_drawn=given.drawn,
                busy=given.minutes,
                rate=given.rate,
            )
            for topology in given.topology or USUAL
            for seed in range(1 if given.quick else given.seeds)
        ]
        figure.title(__doc__)
        show(work, plans, given.workers)


def show(work: str, plans: Sequence[Plan], workers: int) -> None:
    """Print a line for each topology, as soon as its runs are done."""
    topologies = dict.fromkeys(plan.topology for plan in plans)
    line(_HEADS)
    line(["---"] * len(_HEADS))
    # Each worker begins anew: what one run leaves in a process is not the next one's.
    context = multiprocessing.get_context("spawn")
    for topology in topologies:
        prepared(work, plans[0].size, topology)
        with context.Pool(workers) as pool:
            wanted = [(work, plan) for plan in plans if plan.topology == topology]
            line(row(topology, pool.starmap(run, wanted, chunksize=1)))


def row(topology: str, outcomes: Sequence[Outcome]) -> list[str]:
    """Return a row of the table: what several runs of a topology tell together."""
    shared = [one for outcome in outcomes for one in outcome.shared]
    revoked = [one for outcome in outcomes for one in outcome.revoked]
    reach = at([*shared, *revoked], 0.99)
    contacts = sum(outcome.contacts for outcome in outcomes)
    failed = sum(outcome.failed for outcome in outcomes)
    return [
        topology,
        times(shared),
        times(revoked),
        f"{len(shared)} + {len(revoked)}",
        f"{reach / ASKED[topology]:.2f} × {ASKED[topology]} s" if topology in ASKED else "",
        f"{contacts:,}, {failed / max(1, contacts):.0%}",
        load([outcome.idle for outcome in outcomes]),
        load([outcome.active for outcome in outcomes]),
    ]


def times(seconds: Sequence[float]) -> str:
    """Return the median, the 99th percentile and the most."""
    if not seconds:
        return "-"
    return f"{at(seconds, 0.5):.0f}, {at(seconds, 0.99):.0f}, {max(seconds):.0f} s"


def load(loads: Sequence[Load]) -> str:
    """Return what a minute weighs for a member, at the mean, and for the first node."""
    member = sum(one.member for one in loads) / len(loads)
    first = sum(one.first for one in loads) / len(loads)
    return f"{member / 1000:.1f}, {first / 1000:.1f}"


def line(cells: Iterable[str]) -> None:
    """Print a line of the table."""
    print(f"| {' | '.join(cells)} |")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
