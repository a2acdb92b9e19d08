"""A node of a mesh in one process: a real home, opened with a clock that is moved by hand."""

from __future__ import annotations

import os
from contextlib import suppress
from random import Random

from agent_memory_os.errors import NotFound
from agent_memory_os.federation.exchange.respond import Answering
from agent_memory_os.model.principal import Principal
from agent_memory_os.service.context import Context
from agent_memory_os.service.memories import NewMemory
from agent_memory_os.service.node import LocalNode
from agent_memory_os.service.peers.identity import local_of
from agent_memory_os.settings import DATABASE
from agent_memory_os.store.database import Database

START_MS = 1_900_000_000_000
TEAM = "apollo"
SHARE = f"team:{TEAM}"


class Time:
    """What time it is for all nodes: their clocks are right."""

    def __init__(self) -> None:
        self.now = START_MS

    def __call__(self) -> int:
        """Return the milliseconds of UTC."""
        return self.now


class Node:
    """A home that is open: who uses it, and who answers peers, as its server does."""

    def __init__(self, home: str, time: Time, chance: Random) -> None:
        self.name = os.path.basename(home)
        self.home = home
        database = Database(os.path.join(home, DATABASE), time, lambda: 0.5)
        self.node = LocalNode(Context(database, chance.randbytes, home), "", ())
        local = local_of(self.node.context)
        self.device = local.device.id
        self.answering = Answering(local)
        self.agent = self.node.organisation.agent(self.name).id
        self._own = Principal.of_agent(self.agent)
        self._seen = 0

    def close(self) -> None:
        """Let go of the home."""
        self.node.close()

    def share(self, text: str) -> str:
        """Have the node's agent remember something for the team; return the memory's id."""
        return self.node.memories.add(self._own, NewMemory(text), SHARE).memory.id

    def revoke(self, memory: str) -> None:
        """Have the node's agent take a memory back from the team."""
        self.node.memories.revoke(self._own, memory, SHARE)

    def news(self) -> set[str]:
        """Return what has come here or was changed here since the last time: ids of objects."""
        with self.node.context.database.read() as snapshot:
            rows = snapshot.rows("SELECT object, lseq FROM registers WHERE lseq > ?", (self._seen,))
        self._seen = max((lseq for _, lseq in rows), default=self._seen)
        return {name for name, _ in rows}

    def shows(self, memory: str) -> bool:
        """Say whether the node's agent can read a memory."""
        with suppress(NotFound):
            self.node.memories.get(self._own, memory)
            return True
        return False
