"""What peers send is read in bounded memory, whatever it is."""

from __future__ import annotations

import random
import subprocess
import sys

import pytest

from tests.federation.flood import LARGEST, MEGA

MOST = 8 * LARGEST // MEGA
"""What was sent is held some times over, as bytes, text and what was read; no more than that."""


def grown(seed: int, rounds: int) -> int:
    """Return by how many megabytes a process grew that was fed with all of it."""
    command = [sys.executable, "-m", "tests.federation.flood", str(seed), str(rounds)]
    return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def test_every_reader_is_fed_with_too_much() -> None:
    """Long, deep, wide, packed and mangled: each reader refuses it, and holds little of it."""
    assert grown(1, 60) < MOST


@pytest.mark.soak
def test_every_reader_is_fed_for_long() -> None:
    """The same, with a seed of the day and many changes of what is valid."""
    assert grown(random.SystemRandom().randrange(2**32), 5_000) < MOST
