"""A small fleet that remembers, for tests of what lies beneath it.

Ada and Bob are in the team apollo and its project site; Eve is in neither. What is remembered is
owned by Ada, unless a test says otherwise.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from agent_memory_os import settings, wiring
from agent_memory_os.model.memory import Memory
from agent_memory_os.model.principal import Principal
from agent_memory_os.service.memory.add import NewMemory
from agent_memory_os.service.node import LocalNode
from agent_memory_os.store.database import Database
from agent_memory_os.store.file.disk import home_mark
from agent_memory_os.store.node import set_home_mark

ROOT = Path(__file__).parents[2]
OPERATOR = Principal.operator()


class Fleet(NamedTuple):
    """An open node, its home, and its three agents."""

    node: LocalNode
    home: Path
    ada: Principal
    bob: Principal
    eve: Principal

    @property
    def path(self) -> str:
        """The path of the node's file."""
        return self.node.context.database.path

    @property
    def database(self) -> Database:
        """The node's file."""
        return self.node.context.database

    def remember(self, text: str, audience: str = "private", **fields: object) -> Memory:
        """Have Ada remember something."""
        new = NewMemory(content=text, **fields)  # type: ignore[arg-type]
        return self.node.memories.add(self.ada, new, audience).memory

    def fill(self, count: int) -> list[Memory]:
        """Have Ada remember many things, each with words of its own."""
        batch = [
            (NewMemory(content=" ".join(f"word{number:05}x{at}" for at in range(12))), "global")
            for number in range(count)
        ]
        return [outcome.memory for outcome in self.node.memories.add_many(self.ada, batch)]

    def say(self, query: str, parameters: Sequence[object] = ()) -> int:
        """Write to the file behind the node's back; return how many rows that changed."""
        with self.database.write() as transaction:
            return transaction.change(query, parameters)

    def ask(self, query: str, parameters: Sequence[object] = ()) -> list[tuple[object, ...]]:
        """Read from the file behind the node's back."""
        with self.database.read() as snapshot:
            return snapshot.rows(query, parameters)


def found(folder: Path) -> Fleet:
    """Make a new home with a fleet in it."""
    home = folder / "home"
    node = open_home(home)
    organisation = node.organisation
    agents = [organisation.add_agent(name) for name in ("ada", "bob", "eve")]
    organisation.add_team("apollo")
    organisation.add_project("apollo", "site")
    for agent in agents[:2]:
        organisation.join(agent.name, "team:apollo")
        organisation.join(agent.name, "project:apollo/site")
    return Fleet(node, home, *(Principal.of_agent(agent.id) for agent in agents))


def moved_in(fleet: Fleet, folder: Path) -> Fleet:
    """Return a fleet like another one, which is closed, in a folder of its own."""
    home = folder / "home"
    shutil.copytree(fleet.home, home)
    node = open_home(home)
    with node.context.database.write() as transaction:
        set_home_mark(transaction, home_mark(node.context.database.path))
    return fleet._replace(node=node, home=home)


def open_home(home: Path) -> LocalNode:
    """Open the node of a home."""
    return wiring.open_node(settings.read(str(home), None, {}))


def furnish(fleet: Fleet) -> list[Memory]:
    """Give a fleet memories of every state: shared, edited, revoked, linked, forgotten, pinned."""
    node, ada = fleet.node, fleet.ada
    memories = [
        fleet.remember(f"memory number {number} about copper kettles", audience)
        for number, audience in enumerate(
            ["private", "global", "team:apollo", "project:apollo/site", "agent:eve"] * 3
        )
    ]
    node.memories.edit(ada, memories[0].id, {"content": "a kettle of steel"}, "it was not copper")
    node.memories.edit(ada, memories[1].id, {"pinned": True})
    node.memories.share(ada, memories[0].id, "agent:bob")
    node.memories.revoke(ada, memories[2].id)
    node.memories.revoke(ada, memories[6].id)
    node.memories.share(ada, memories[6].id, "global")
    node.memories.forget(ada, memories[3].id)
    node.memories.forget(ada, memories[4].id)
    node.memories.bring_back(ada, memories[4].id)
    node.memories.link(ada, memories[5].id, memories[6].id)
    node.memories.link(ada, memories[7].id, memories[8].id, "caused_by", 300)
    node.memories.unlink(ada, memories[7].id, memories[8].id, "caused_by")
    node.memories.supersede(ada, memories[9].id, memories[10].id)
    return memories


def bytes_of(path: str) -> bytes:
    """Read a file in a process of its own, so that this one keeps its locks."""
    program = "import sys; sys.stdout.buffer.write(open(sys.argv[1], 'rb').read())"
    done = subprocess.run(
        [sys.executable, "-c", program, path], check=True, capture_output=True, env=plain()
    )
    return done.stdout


def run(program: str, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a program in a process of its own, from the project's folder."""
    return subprocess.run(
        [sys.executable, "-c", program, *words],
        check=False,
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=120,
    )


def plain() -> dict[str, str]:
    """Return an environment in which a process does not measure coverage."""
    return {name: value for name, value in os.environ.items() if not name.startswith("COV")}
