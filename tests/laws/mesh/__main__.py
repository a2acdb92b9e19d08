"""Run the mesh with every rule on, and with each one off, and print what fails.

``python -m tests.laws.mesh --seeds 1000`` prints a table as in ``docs/federation.md``.
"""

from __future__ import annotations

import sys
from functools import partial

from tests.laws.mesh.rules import RULES
from tests.laws.mesh.run import DEFAULT, Result, Shape, run
from tests.laws.table import Wanted, parser, show


def one(seed: int, off: str, shape: Shape) -> Result:
    """Run one seed of a shape, with all rules on or with one off."""
    return run(seed, off, shape)


def main() -> int:
    """Print the table, and give 1 if anything failed with every rule on."""
    asked = parser("python -m tests.laws.mesh", __doc__)
    asked.add_argument("--accounts", type=int, default=DEFAULT.accounts, help="how many accounts")
    asked.add_argument("--nodes", type=int, default=DEFAULT.nodes, help="how many devices in all")
    asked.add_argument("--steps", type=int, default=DEFAULT.steps, help="how long each run is")
    asked.set_defaults(seeds=1000, off=100, workers=2)
    given = asked.parse_args()
    shape = Shape(given.accounts, given.nodes, given.steps)
    wanted = Wanted(given.first, given.seeds, given.off, given.rule, given.workers)
    return show(partial(one, shape=shape), RULES, wanted)


if __name__ == "__main__":
    sys.exit(main())
