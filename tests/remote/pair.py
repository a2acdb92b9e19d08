"""Two nodes that are alike to the byte, one used in this process and one over the wire.

Both begin as copies of one home, with a clock and a source of chance of the test's own: so the same
acts give the same ids, times and scores, and what differs comes from the way between.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from agent_memory_os import settings
from agent_memory_os.errors import AgentMemoryError
from agent_memory_os.model.principal import Principal
from agent_memory_os.remote.node import RemoteNode
from agent_memory_os.server.serve import Serving, door_for
from agent_memory_os.service.context import Context
from agent_memory_os.service.node import LocalNode
from agent_memory_os.service.nouns import Node
from agent_memory_os.store.database import Database
from tests.api.served import fleet, listening, settle
from tests.laws.world import Clock, fast_folder

WAYS = ("port", "socket")


class Raised(NamedTuple):
    """An error as a caller meets it: its class, its words, and what it says helps."""

    kind: str
    words: str
    remedy: str
    about: dict[str, str]


class Chance:
    """Bytes that follow from the time, and from how many were drawn at that time.

    What one side refuses before it draws, and the other after, leaves no trace a second later.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._drawn = (0, 0)

    def __call__(self, size: int) -> bytes:
        """Return so many bytes."""
        at, count = self._drawn
        self._drawn = (self._clock.now, count + 1 if at == self._clock.now else 0)
        return sha256(repr(self._drawn).encode()).digest()[:size]


class Side:
    """One of the two nodes: ``node`` is what the script speaks to, ``local`` the node itself."""

    def __init__(self, node: Node, local: LocalNode, clock: Clock, folder: Path) -> None:
        self.node = node
        self.local = local
        self.clock = clock
        self.folder = folder
        self.held: dict[str, Any] = {}

    def agent(self, name: str) -> Principal:
        """Return an agent of the fleet as it acts."""
        return Principal.of_agent(self.local.organisation.agent(name).id)

    def do(self, act: Callable[[Side], Any]) -> Any:  # noqa: ANN401 - whatever it returns
        """Return what an act returns, or the error that it raises, a second later."""
        self.clock.now += 1000
        try:
            return act(self)
        except AgentMemoryError as error:
            return Raised(type(error).__name__, str(error), error.remedy, dict(error.about))


class Pair(NamedTuple):
    """A local node and a served one."""

    local: Side
    remote: Side


@contextmanager
def opened() -> Iterator[Side]:
    """Open a node on a copy of the fleet's home, in a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="pair-", dir=fast_folder()) as folder:
        home = Path(folder) / "home"
        shutil.copytree(fleet().home, home)
        clock = Clock()
        chance = Chance(clock)
        database = Database(str(home / settings.DATABASE), clock, lambda: 0.5)
        settle(database)
        node = LocalNode(Context(database, chance, str(home)), "", ())
        try:
            yield Side(node, node, clock, Path(folder))
        finally:
            node.close()


@contextmanager
def served(way: str) -> Iterator[Side]:
    """Serve such a node, and reach it by a way: its port with the operator's key, or its socket."""
    with opened() as side:
        local = side.local
        door = door_for(local, local.context.home, Serving("127.0.0.1", 0))
        with listening(door) as url:
            keys = fleet().keys
            reached = (
                (url, keys["operator"]) if way == "port" else (f"unix:{door.node.context.home}", "")
            )
            side.node = RemoteNode(*reached)
            try:
                yield side
            finally:
                side.node.close()


@contextmanager
def pair(way: str) -> Iterator[Pair]:
    """Open both."""
    with opened() as local, served(way) as remote:
        yield Pair(local, remote)
