"""A pair of nodes of this system: two homes of two accounts, with an agent of each in one team.

Both serve with `agent-memory serve`. They are each other's peers by their cards, and have met: each
knows the other's agent, and the team is empty. Then the sender's memories are added, so that all
that it costs to send them, their signatures too, is in the first exchange. The receiver exchanges
in a process of its own, as `agent-memory sync auto` is; but that process stays, and exchanges when
it is told to, so that its imports are behind it. What an agent writes at the receiver, its server
takes.
"""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from typing import IO, NamedTuple

from agent_memory_os.client import MemoryClient
from agent_memory_os.model.routing.sketch import Sketch
from agent_memory_os.service.context import NODE_FILE
from agent_memory_os.service.peers import Address
from agent_memory_os.service.peers.exchange.sync import DONE
from agent_memory_os.settings import DATABASE
from benchmarks.corpus import Corpus
from benchmarks.pair.base import Side
from benchmarks.pair.swell import swell
from benchmarks.relay import HOST, Relay
from benchmarks.serve import Server, serving

TEAM = "apollo"
SCOUT = "scout"
MIRA = "mira"
LARGE = 1_000_000
SENT = 50_000
"""So many memories are sent at most; where there are to be more, these are copied in both files."""

_SHARE = f"team:{TEAM}"
_BATCH = 10_000
_MODULUS = 1 << 256
_ASKED: Mapping[str, str] = {
    "first exchange": "CPU at most 1.5 times the earlier system's",
    "idle exchange": "8,000 bytes and 50 ms of CPU at most",
    "exchange after one change": "16,000 bytes at most",
    "exchange when one is missing": "8,000 bytes at most, and CPU that does not grow",
}
_SHARED = "SELECT id, content FROM memories WHERE rowid IN (SELECT memory FROM grants)"
_LOST = """
SELECT m.rowid, m.id FROM memories AS m
WHERE (SELECT signature FROM registers WHERE object = m.id LIMIT 1) IS NOT NULL
ORDER BY m.rowid LIMIT 1 OFFSET 500
"""

# What one account put into a team is counted beside the team, and has no records of its own.
_COUNTED = """
SELECT counted.id, counted.count, counted.total, counted.sketch, records.mark
FROM records JOIN routes AS placed ON placed.id = records.route
JOIN routes AS counted
  ON counted.id = placed.id OR counted.route LIKE 'of:%|' || placed.route
WHERE records.object = ?
"""

_COUNT = "UPDATE routes SET count = ?, total = ?, sketch = ? WHERE id = ?"


def side() -> Side:
    """Return this system."""
    return Side("this system", paired, LARGE, _ASKED)


class OurPair(NamedTuple):
    """Two homes, what serves them, the process that exchanges, and the relay to the sender."""

    homes: tuple[str, str]
    sender: Server
    receiver: Server
    exchanger: subprocess.Popen[str]
    relay: Relay

    @property
    def processes(self) -> Mapping[str, int]:
        """The process ids of the sender's server and of the one that exchanges."""
        return {"sender": self.sender.process.pid, "receiver": self.exchanger.pid}

    @property
    def writing(self) -> Sequence[str]:
        """How an agent writes at the receiver."""
        with MemoryClient(self.homes[1], agent=MIRA) as client:
            token = client.node.keys.create("benchmark", "agent", MIRA).token
        return (str(self.receiver.port), token, "/v1/memories")

    def exchange(self) -> None:
        """Let the receiver pull and push."""
        told = _told(self.exchanger)
        if told != DONE:
            raise SystemExit(f"the two did not exchange: {told}")

    def change(self) -> None:
        """Change one memory at the sender."""
        with MemoryClient(self.homes[0], agent=SCOUT) as client:
            [memory] = client.list(limit=1).memories
            client.update(memory.id, content=f"{memory.content} Indeed.")

    def lose(self) -> None:
        """Take one memory out of the receiver's file, and out of what its routes count."""
        with closing(_file(self.homes[1])) as file, file:
            file.execute("PRAGMA foreign_keys = ON")
            row, memory = file.execute(_LOST).fetchone()
            file.execute("DELETE FROM registers WHERE object = ?", (memory,))
            file.execute("DELETE FROM memories WHERE rowid = ?", (row,))
            for route, count, total, held, mark in file.execute(_COUNTED, (memory,)).fetchall():
                number, sketch = int.from_bytes(mark, "big"), Sketch(held)
                left = (int.from_bytes(total, "big") - number) % _MODULUS
                sketch.toggle(memory, number)
                changed = (count - 1, left.to_bytes(32, "big"), sketch.to_bytes(), route)
                file.execute(_COUNT, changed)
            file.execute("DELETE FROM records WHERE object = ?", (memory,))

    def differing(self) -> int:
        """Return how many of the team's memories the two have not alike."""
        held = []
        for home in self.homes:
            with closing(_file(home)) as file:
                held.append({*file.execute(_SHARED)})
        return len(held[0] ^ held[1])


@contextmanager
def paired(work: str, size: int) -> Iterator[OurPair]:
    """Serve a node that has so many memories, and one that is its peer and has none yet."""
    with tempfile.TemporaryDirectory(dir=work) as folder:
        homes = (os.path.join(folder, "sender"), os.path.join(folder, "receiver"))
        for home, agent in zip(homes, (SCOUT, MIRA), strict=True):
            make(home, agent)
        with (
            serving(homes[0]) as sender,
            serving(homes[1]) as receiver,
            Relay(sender.port) as relay,
        ):
            meet(homes, f"http://{HOST}:{relay.port}")
            with exchanging(homes[1]) as exchanger:
                pair = OurPair(homes, sender, receiver, exchanger, relay)
                pair.exchange()
                with MemoryClient(homes[0]) as client:
                    client.node.organisation.join(f"{MIRA}@receiver", _SHARE)
                pair.exchange()
                fill(homes[0], min(size, SENT))
                if size > SENT:
                    pair.exchange()
                    swell(homes, size)
                    pair.exchange()
                yield pair


def make(home: str, agent: str) -> None:
    """Make a home whose server does not exchange by itself."""
    os.makedirs(home)
    with open(os.path.join(home, NODE_FILE), "w", encoding="utf-8") as file:
        file.write(f'default_agent = "{agent}"\nsync = "off"\n')
    with MemoryClient(home):
        pass


def meet(homes: tuple[str, str], url: str) -> None:
    """Make two nodes each other's peers, and a team at the first with its own agent."""
    with MemoryClient(homes[0]) as first, MemoryClient(homes[1]) as second:
        card = first.node.peers.card().card
        first.node.peers.add(second.node.peers.card().card, "receiver", introduce=[SCOUT])
        second.node.peers.add(card, "sender", Address(url=url), introduce=[MIRA])
        first.node.organisation.add_team(TEAM)
        first.node.organisation.join(SCOUT, _SHARE)


def fill(home: str, size: int) -> None:
    """Add so many memories for the team."""
    with MemoryClient(home, agent=SCOUT) as client:
        batch: list[dict[str, object]] = []
        for note in Corpus().notes(size):
            batch.append({"content": note.text})
            if len(batch) == _BATCH:
                client.add_many(batch, share=_SHARE)
                batch.clear()
        client.add_many(batch, share=_SHARE)


@contextmanager
def exchanging(home: str) -> Iterator[subprocess.Popen[str]]:
    """Start the process that holds a home open and exchanges when it is told to."""
    command = [sys.executable, "-m", "benchmarks.pair.ours", home]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, text=True, stdin=pipe, stdout=pipe) as process:
        try:
            yield process
        finally:
            process.terminate()


def main() -> None:
    """Exchange with every peer whenever a line comes in, and say in a line what came of it."""
    with MemoryClient(sys.argv[1]) as client:
        for _ in sys.stdin:
            print(*(one.fault or one.state for one in client.sync()), sep="; ", flush=True)


def _told(process: subprocess.Popen[str]) -> str:
    sent, told = _piped(process.stdin), _piped(process.stdout)
    sent.write("exchange\n")
    sent.flush()
    return told.readline().strip()


def _piped(end: IO[str] | None) -> IO[str]:
    assert end is not None  # noqa: S101 - it is piped
    return end


def _file(home: str) -> sqlite3.Connection:
    return sqlite3.connect(os.path.join(home, DATABASE), timeout=60)


if __name__ == "__main__":
    main()
