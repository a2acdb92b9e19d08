"""Homes of devices with fixed keys, made once and copied: the same in every process.

An account is made as a person makes it, on its first device; each other device of it is a copy of
that home that was made a device of its own. Only keys, chance and time are not what they are for a
person: they are fixed, so that a run is the same from the same seed.
"""

from __future__ import annotations

import atexit
import shutil
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from agent_memory_os import wiring
from agent_memory_os.settings import Settings
from agent_memory_os.value import NamedTuple
from benchmarks.mesh.fixed import fixed
from tests.laws.world import fast_folder

START_MS = 1_900_000_000_000

DEVICES = {"ann": 3, "bea": 2, "cleo": 2}
"""How many devices each account has."""

AGENTS = ("scout", "mira")
"""The agents that each account has; each account calls them after itself."""


class Place(NamedTuple):
    """A home of the template: whose device it is, and which of the account's."""

    account: str
    number: int
    path: str

    @property
    def name(self) -> str:
        """What the device is called in reports."""
        return f"{self.account}{self.number}"


def agents_of(account: str) -> list[str]:
    """Return what the agents of an account are called."""
    return [f"{name}-{account}" for name in AGENTS]


@cache
def template() -> tuple[Place, ...]:
    """Return the homes that every run copies."""
    folder = tempfile.mkdtemp(prefix="nodes-", dir=fast_folder())
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    with fixed(lambda: START_MS):
        return tuple(
            place for account in DEVICES for place in _make(Path(folder), account, DEVICES[account])
        )


def _make(folder: Path, account: str, devices: int) -> Iterator[Place]:
    first = folder / f"{account}1"
    node = wiring.open_node(Settings(str(first), None))
    for name in agents_of(account):
        node.organisation.add_agent(name)
    node.close()
    yield Place(account, 1, str(first))
    for number in range(2, devices + 1):
        home = folder / f"{account}{number}"
        shutil.copytree(first, home)
        wiring.become_new_device(Settings(str(home), None))
        yield Place(account, number, str(home))
