"""The real API on a port of this machine, in a thread: a node, its fleet, and a key for each.

Agents ann and bob are in team apollo, ann alone in its project site, eve in none. Each has a key by
its name; ``reader`` may read as ann, and ``operator`` and ``metrics`` are what they say.
"""

from __future__ import annotations

import asyncio
import atexit
import os
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from hashlib import sha512
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import httpx

from agent_memory_os import settings, wiring
from agent_memory_os.api.app import build
from agent_memory_os.api.door import Door
from agent_memory_os.model.key import Limits
from agent_memory_os.server import sockets
from agent_memory_os.server.serve import Serving, door_for, server_of
from agent_memory_os.service.context import Context
from agent_memory_os.service.node import LocalNode
from agent_memory_os.store import node as held
from agent_memory_os.store.database import Database
from agent_memory_os.store.file.disk import home_mark
from tests.laws.world import fast_folder

AGENTS = ("ann", "bob", "eve")
KEYS = (*AGENTS, "reader", "operator", "metrics")


class Clock:
    """The real clock, which a test may set ahead by some milliseconds, or stop."""

    def __init__(self) -> None:
        self.ahead = 0
        self._stopped: int | None = None

    def __call__(self) -> int:
        """Return the milliseconds of UTC."""
        return (wiring.clock() if self._stopped is None else self._stopped) + self.ahead

    def stop_at(self, now: int) -> None:
        """Stand still at an instant, but for what it is set ahead."""
        self._stopped = now


class Fleet(NamedTuple):
    """A home that was made once, and the keys that open it, by name."""

    home: str
    keys: dict[str, str]


class Served:
    """A node that is served: its parts, where it listens, and a client for each key."""

    def __init__(self, node: LocalNode, door: Door, clock: Clock, keys: dict[str, str]) -> None:
        self.node = node
        self.door = door
        self.clock = clock
        self.keys = keys
        self.url = ""
        self._clients: dict[str, httpx.Client] = {}

    @property
    def home(self) -> str:
        """The node's home."""
        return self.node.context.home

    def __getitem__(self, who: str) -> httpx.Client:
        """Give the client that shows a key, by the key's name; ``""`` shows none."""
        if who not in self._clients:
            headers = {"authorization": f"Bearer {self.keys[who]}"} if who else {}
            self._clients[who] = httpx.Client(base_url=self.url, headers=headers, timeout=60)
        return self._clients[who]

    def limited(self, name: str, agent: str, **limits: int) -> httpx.Client:
        """Make a key with limits for an agent, and give the client that shows it."""
        made = self.node.keys.create(name, "agent", agent, limits=Limits(**limits))
        self.keys[name] = made.token
        return self[name]

    def add(self, who: str, content: str, **fields: Any) -> str:  # noqa: ANN401 - any field
        """Add a memory, which may be there already, and return its id."""
        done = self[who].post("/v1/memories", json={"content": content, **fields})
        assert done.status_code in (200, 201), done.text
        return str(done.json()["memory"]["id"])

    def keep_use(self, count: int) -> None:
        """Write down what so many requests used, which is noted once they are answered."""
        until = time.monotonic() + 30
        while count > 0 and time.monotonic() < until:
            used, last = self.door.meter.drain()
            self.node.keys.note(used, last)
            count -= sum(use.requests for use in used)
            time.sleep(0.001)
        assert count == 0

    def close(self) -> None:
        """Close the clients."""
        for client in self._clients.values():
            client.close()


@cache
def fleet() -> Fleet:
    """Return a home with the fleet and its keys, to copy: making keys costs more than all else."""
    folder = tempfile.mkdtemp(prefix="served-", dir=fast_folder())
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    home = str(Path(folder) / "home")
    node = wiring.open_node(settings.Settings(home, None))
    for name in AGENTS:
        node.organisation.add_agent(name)
    node.organisation.add_team("apollo")
    node.organisation.add_project("apollo", "site")
    for name, scope in (("ann", "team:apollo"), ("bob", "team:apollo"), ("ann", "project:site")):
        node.organisation.join(name, scope)
    keys = {name: node.keys.create(name, "agent", name).token for name in AGENTS}
    keys["reader"] = node.keys.create("reader", "reader", "ann").token
    keys |= {kind: node.keys.create(kind, kind).token for kind in ("operator", "metrics")}
    node.close()
    return Fleet(home, keys)


def settle(database: Database) -> None:
    """Let a home that was copied be at home where it is now, so that it may exchange with peers."""
    with database.write() as transaction:
        held.set_home_mark(transaction, home_mark(database.path))


def chance_of(seed: str) -> Callable[[int], bytes]:
    """Return a source of random bytes, which gives the same for the same seed."""
    numbers = count(1)

    def drawn(size: int) -> bytes:
        return sha512(f"{seed} {next(numbers)}".encode()).digest()[:size]

    return drawn if seed else os.urandom


@contextmanager
def opened(seed: str = "", **serving: Any) -> Iterator[Served]:  # noqa: ANN401 - of Serving
    """Open a home with the fleet, ready to be served, in a folder of its own.

    With a ``seed`` it makes the same ids each time.
    """
    with tempfile.TemporaryDirectory(prefix="served-", dir=fast_folder()) as folder:
        home = str(Path(folder) / "home")
        shutil.copytree(fleet().home, home)
        clock = Clock()
        database = Database(str(Path(home) / settings.DATABASE), clock, lambda: 0.5)
        settle(database)
        node = LocalNode(Context(database, chance_of(seed), home), "", ())
        door = door_for(node, home, Serving("127.0.0.1", 0, **serving))
        served = Served(node, door, clock, dict(fleet().keys))
        try:
            yield served
        finally:
            served.close()
            node.close()


@contextmanager
def serving(**how: Any) -> Iterator[Served]:  # noqa: ANN401 - any of what Serving holds
    """Serve a home with the fleet, on a port of this machine and on the home's socket."""
    with opened(**how) as served, listening(served.door) as url:
        served.url = url
        try:
            yield served
        finally:
            served.close()


@contextmanager
def listening(door: Door) -> Iterator[str]:
    """Serve a node on a port of this machine, whose URL is given, and on its home's socket."""
    found = [sockets.at_port("127.0.0.1", 0), sockets.in_home(door.node.context.home)]
    held = [one for one in found if one is not None]
    ready = threading.Event()
    server = server_of(build(door), door, ready.set)
    thread = threading.Thread(target=lambda: asyncio.run(server.serve(sockets=held)))
    thread.start()
    assert ready.wait(60)
    try:
        yield f"http://127.0.0.1:{held[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()
        for one in held:
            one.close()
