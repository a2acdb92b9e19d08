"""Let all happen to five machines of real processes, seed by seed, and print what does not hold.

``python -m tests.acceptance.between --seeds 20 --steps 60``
"""

from __future__ import annotations

import argparse
import sys
from random import SystemRandom

from tests.acceptance.between.machine import Apart, Here
from tests.acceptance.between.run import problems

MANY = 10**6


def main() -> int:
    """Print what fails, and give 1 if anything did."""
    asked = argparse.ArgumentParser("python -m tests.acceptance.between", description=__doc__)
    asked.add_argument("--first", type=int, help="the first seed; else it is drawn")
    asked.add_argument("--seeds", type=int, default=10)
    asked.add_argument("--steps", type=int, default=60)
    asked.add_argument("--here", action="store_true", help="serve all in this process")
    given = asked.parse_args()
    first = SystemRandom().randrange(MANY) if given.first is None else given.first
    failed = 0
    for seed in range(first, first + given.seeds):
        found = problems(seed, given.steps, Here if given.here else Apart)
        failed += bool(found)
        sys.stdout.write(f"seed {seed}: {'holds' if not found else ''}\n")
        sys.stdout.writelines(f"  {one}\n" for one in found)
        sys.stdout.flush()
    sys.stdout.write(f"{failed} of {given.seeds} failed\n")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
