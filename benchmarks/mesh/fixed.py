"""Making homes that are the same in every process: keys, chance and time are fixed.

All else is what it is for a person, so that a run on such homes is the same from the same seed.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from itertools import count
from pathlib import Path

from agent_memory_os import wiring
from agent_memory_os.federation import identity


@contextmanager
def fixed(clock: Callable[[], int]) -> Iterator[None]:
    """Have homes made with keys that follow from their folders' names, and by another clock."""
    numbers = count(1)

    def drawn(size: int) -> bytes:
        return sha256(f"template {next(numbers)}".encode()).digest()[:size]

    with (
        replaced(identity, "_fresh", fresh),
        replaced(wiring, "clock", clock),
        replaced(os, "urandom", drawn),
    ):
        yield


@contextmanager
def replaced(owner: object, name: str, value: object) -> Iterator[None]:
    """Have something else stand under a name of a module for a while."""
    before = getattr(owner, name)
    setattr(owner, name, value)
    try:
        yield
    finally:
        setattr(owner, name, before)


def fresh(folder: str, name: str) -> bytes:
    """Keep a key that follows from the name of the home that a folder of keys is in; return it."""
    home = Path(folder).parent.name
    private = sha256(f"{home} {name}".encode()).digest()
    (Path(folder) / f"{name}.key").write_text(private.hex() + "\n")
    return private
