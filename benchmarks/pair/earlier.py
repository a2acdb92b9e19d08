"""A pair of nodes of Agent Memory OS 1.10.1, installed from the package index.

Both serve with `agent-memory-web`, and share a sync key, so that what they exchange is encrypted.
The receiver has the sender as its peer, with the policy of the team; it is told over HTTP to
exchange, so that its imports are behind it. Its first exchange fetches all, and every exchange
pushes too.
"""

from __future__ import annotations

import http.client
import json
import os
import shutil
import socket
import sqlite3
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from functools import partial
from typing import NamedTuple

from benchmarks.corpus import Corpus
from benchmarks.earlier import environment
from benchmarks.pair.base import Side
from benchmarks.relay import HOST, Relay

EXTRAS = "api,secure-sync"
TEAM = "apollo"
_ADMIN = "amos_for-the-benchmark"
_SYNC = "amos_sync_for-the-benchmark"
_SECRETS = {
    "AGENT_MEMORY_WEB_TOKEN": _ADMIN,
    "AGENT_MEMORY_WEB_SYNC_TOKEN": _SYNC,
    "AGENT_MEMORY_SYNC_KEY": "amos_sk_for-the-benchmark",
}
_TIMEOUT = 600.0
_POLL = 0.05

# Runs in the other environment: reads contents as lines, and adds them for the team.
WORKER = """
import json, sys
from agent_memory_os import MemoryClient
client = MemoryClient(sys.argv[1])
client.create_team(sys.argv[2])
client.register_agent("scout", teams=[sys.argv[2]])
for line in sys.stdin:
    client.add(json.loads(line), owner="scout", visibility=["team:" + sys.argv[2]])
"""


def side() -> Side | None:
    """Return the earlier system, or ``None`` where the package index cannot be reached."""
    python = environment(EXTRAS)
    if python is None:
        return None
    return Side("agent-memory-os 1.10.1", partial(paired, python), 20_000, {})


class Node(NamedTuple):
    """A node that serves: its process, its port, and its home."""

    process: subprocess.Popen[bytes]
    port: int
    home: str

    def ask(self, method: str, path: str, body: object = None) -> object:
        """Ask as the operator, and return the answer."""
        headers = {"Authorization": f"Bearer {_ADMIN}", "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body)
        with closing(http.client.HTTPConnection(HOST, self.port, timeout=_TIMEOUT)) as connection:
            connection.request(method, path, body=data, headers=headers)
            answer = connection.getresponse()
            text = answer.read()
        if answer.status != http.HTTPStatus.OK:
            raise SystemExit(f"the earlier system: {method} {path}: {answer.status} {text!r}")
        told: object = json.loads(text)
        return told

    def rows(self, statement: str) -> list[tuple[str, ...]]:
        """Run a statement on its file, and return what it gives."""
        with closing(sqlite3.connect(os.path.join(self.home, "memories.db"))) as connection:
            found = connection.execute(statement).fetchall()
            connection.commit()
            return found


class EarlierPair(NamedTuple):
    """Two nodes, and the relay to the sender."""

    sender: Node
    receiver: Node
    relay: Relay

    @property
    def processes(self) -> Mapping[str, int]:
        """The process ids of both."""
        return {"sender": self.sender.process.pid, "receiver": self.receiver.process.pid}

    @property
    def writing(self) -> Sequence[str]:
        """How an agent writes at the receiver."""
        return (str(self.receiver.port), _ADMIN, "/api/memories")

    def exchange(self) -> None:
        """Let the receiver pull and push."""
        told = self.receiver.ask("POST", "/api/sync/run")
        match told:
            case {"results": [{"ok": True}]}:
                return
        raise SystemExit(f"the earlier system did not exchange: {told}")

    def change(self) -> None:
        """Change one memory at the sender."""
        [(memory, content)] = self.sender.rows("SELECT id, content FROM memories LIMIT 1")
        self.sender.ask("PATCH", f"/api/memories/{memory}", {"content": f"{content} Indeed."})

    def lose(self) -> None:
        """Take one memory out of the receiver's file."""
        self.receiver.rows("DELETE FROM memories WHERE id = (SELECT max(id) FROM memories)")

    def differing(self) -> int:
        """Return how many of the team's memories the two have not alike."""
        statement = "SELECT id, content FROM memories WHERE visibility <> '[]'"
        return len({*self.sender.rows(statement)} ^ {*self.receiver.rows(statement)})


@contextmanager
def paired(python: str, work: str, size: int) -> Iterator[EarlierPair]:
    """Serve a node that has so many memories, and one that has it as its peer."""
    filled = fill(python, work, size)
    with tempfile.TemporaryDirectory(dir=work) as folder:
        homes = [os.path.join(folder, name) for name in ("sender", "receiver")]
        shutil.copytree(filled, homes[0])
        with (
            served(python, homes[0]) as sender,
            served(python, homes[1]) as receiver,
            Relay(sender.port) as relay,
        ):
            url = f"http://{HOST}:{relay.port}"
            peer = ["peers", "add", url, "--name", "sender", "--policy", f"team:{TEAM}"]
            command = [python, "-I", "-m", "agent_memory_os.cli", "--home", homes[1]]
            subprocess.run(
                [*command, *peer, "--peer-token", _SYNC],
                check=True,
                stdout=subprocess.DEVNULL,
            )
            yield EarlierPair(sender, receiver, relay)


def fill(python: str, work: str, size: int) -> str:
    """Return the home of a node with so many memories for the team, made if there is none yet."""
    home = os.path.join(work, f"earlier-team-{size}")
    done = home + ".done"
    if os.path.exists(done):
        return home
    command = [python, "-I", "-c", WORKER, home, TEAM]
    with subprocess.Popen(command, stdin=subprocess.PIPE, text=True) as worker:
        lines = "".join(f"{json.dumps(note.text)}\n" for note in Corpus().notes(size))
        worker.communicate(lines)
    if worker.returncode != 0:
        raise SystemExit("the earlier system could not be filled")
    with open(done, "wb"):
        return home


@contextmanager
def served(python: str, home: str) -> Iterator[Node]:
    """Serve a home of the earlier system."""
    with socket.create_server((HOST, 0)) as free:
        port = int(free.getsockname()[1])
    command = [python, "-I", "-m", "agent_memory_os.web_app", "--home", home]
    process = subprocess.Popen(
        [*command, "--host", HOST, "--port", str(port), "--strict-port"],
        env={**os.environ, **_SECRETS},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    node = Node(process, port, home)
    try:
        wait_for(node)
        yield node
    finally:
        process.terminate()
        process.wait(timeout=60)


def wait_for(node: Node) -> None:
    """Wait until a node answers."""
    until = time.monotonic() + 60
    while True:
        try:
            node.ask("GET", "/health")
        except ConnectionError:
            if time.monotonic() > until or node.process.poll() is not None:
                raise
            time.sleep(_POLL)
        else:
            return
