"""Five machines from one seed, from their first meeting to what is found afterwards.

Network namespaces need rights that a plain container has not, so all listen on loopback ports of
one machine, and a way of :mod:`tests.acceptance.between.way` stands between each two.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.acceptance.between.five import Five, Make
from tests.acceptance.between.found import kept, leaked, misled, readable, unlike
from tests.acceptance.between.machine import Apart
from tests.laws.world import fast_folder


@contextmanager
def healed(seed: int, steps: int, make: Make) -> Iterator[Five]:
    """Give five machines to which all of a seed has happened, and which have met since."""
    folder = tempfile.mkdtemp(prefix="five-", dir=fast_folder())
    five = Five(Path(folder), seed, make)
    try:
        five.begin()
        five.happen(steps)
        yield five
    finally:
        five.close()
        shutil.rmtree(folder, ignore_errors=True)


def problems(seed: int, steps: int, make: Make = Apart) -> list[str]:
    """Return what does not hold after a seed, with machines of real processes if not told else."""
    with healed(seed, steps, make) as five:
        found = [*unlike(five), *misled(five)]
        found += [f"{word} can be read on the way" for word in sorted(readable(five))]
        for machine in five.machines.values():
            machine.end()
        return [*found, *kept(five), *leaked(five)]
