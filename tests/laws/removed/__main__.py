"""Take a member out in run after run, all parts on, then each one off, and print what fails.

``python -m tests.laws.removed --seeds 1000`` prints the table of ``docs/federation.md``.
"""

from __future__ import annotations

import sys

from tests.laws.removed.parts import PARTS
from tests.laws.removed.run import run
from tests.laws.table import Wanted, parser, show


def main() -> int:
    """Print the table, and give 1 if anything failed with every part on."""
    asked = parser("python -m tests.laws.removed", __doc__)
    asked.set_defaults(seeds=1000, off=0, workers=1)
    given = asked.parse_args()
    wanted = Wanted(given.first, given.seeds, given.off, given.rule, given.workers)
    return show(run, PARTS, wanted)


if __name__ == "__main__":
    sys.exit(main())
