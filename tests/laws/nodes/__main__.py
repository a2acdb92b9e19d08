"""Run nodes on real stores with every rule on, and with each one off, and print what fails.

``python -m tests.laws.nodes --seeds 20`` prints a table as in ``docs/federation.md``; with
``--drills``, of the drills in their order, as if each were a seed.
"""

from __future__ import annotations

import sys
from functools import partial

from tests.laws.nodes.drill.every import DRILLS, play
from tests.laws.nodes.rules import RULES
from tests.laws.nodes.run import STEPS, Result, run, sizes_of
from tests.laws.table import Wanted, parser, show


def one(seed: int, off: str, steps: int, sizes: dict[str, int] | None) -> Result:
    """Run one seed, with all rules on or with one off."""
    return run(seed, steps, sizes, off)


def drilled(number: int, off: str) -> Result:
    """Play a drill by its place, with all rules on or with one off."""
    return play([*DRILLS][number], off)


def main() -> int:
    """Print the table, and give 1 if anything failed with every rule on."""
    asked = parser("python -m tests.laws.nodes", __doc__)
    asked.add_argument("--nodes", type=int, default=0, help="how many devices; else it is drawn")
    asked.add_argument("--accounts", type=int, default=3, help="of how many accounts those are")
    asked.add_argument("--steps", type=int, default=STEPS, help="how long each run is")
    asked.add_argument("--drills", action="store_true", help="play every drill, and no seed")
    asked.set_defaults(seeds=20, off=0, workers=1)
    given = asked.parse_args()
    sizes = sizes_of(given.accounts, given.nodes) if given.nodes else None
    if given.drills:
        every = Wanted(0, len(DRILLS), len(DRILLS), given.rule, given.workers)
        return show(drilled, RULES, every)
    wanted = Wanted(given.first, given.seeds, given.off, given.rule, given.workers)
    return show(partial(one, steps=given.steps, sizes=sizes), RULES, wanted)


if __name__ == "__main__":
    sys.exit(main())
