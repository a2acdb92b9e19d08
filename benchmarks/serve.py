"""What serving costs: a request, a search, many clients at once, memory, and the start.

The server is the real command in a process of its own. Beside it stand a bare ASGI application and
a bare FastAPI one, served by the same uvicorn in the same run: what the node adds is above them.
CPU time and memory are those of the server's process, as Linux tells them.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from random import Random
from typing import NamedTuple

from agent_memory_os.client import MemoryClient
from benchmarks import figure, fleet, meter
from benchmarks.clock import THOUSAND, at
from benchmarks.search import questions

BARE = "benchmarks.bare"
CLIENTS = 64
REQUESTS = 3_000
QUESTIONS = 100
STARTS = 5
READ_SHARE = 0.8
_PAGE = os.sysconf("SC_PAGE_SIZE")


class Server(NamedTuple):
    """A server that runs: its process, its port, and how long it took until it answered."""

    process: subprocess.Popen[str]
    port: int
    seconds: float

    def cpu(self) -> float:
        """Return the CPU time that it has used, in milliseconds."""
        return meter.cpu(self.process.pid)

    def megabytes(self) -> float:
        """Return the memory that its process holds."""
        with open(f"/proc/{self.process.pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * _PAGE / 1e6


class Caller:
    """A client with one connection, as an agent with a key."""

    def __init__(self, port: int, token: str) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self._headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    def ask(self, path: str, body: dict[str, object] | None = None) -> bytes:
        """Ask, and return the answer; raise where it is none of success."""
        data = None if body is None else json.dumps(body).encode()
        method = "GET" if body is None else "POST"
        self._connection.request(method, path, body=data, headers=self._headers)
        answer = self._connection.getresponse()
        text = answer.read()
        if answer.status >= 400:  # noqa: PLR2004 - the first status of an error
            raise RuntimeError(f"{method} {path}: {answer.status} {text.decode()}")
        return text


def main() -> None:
    """Measure, and print the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer runs on smaller stores")
    parser.add_argument("--work", help="a folder that keeps the stores")
    parser.add_argument("--minutes", type=float, default=1.0, help="how long many clients ask")
    options = parser.parse_args()
    figure.title(__doc__)
    with tempfile.TemporaryDirectory(prefix="agent-memory-bench-") as folder:
        work = options.work or folder
        os.makedirs(work, exist_ok=True)
        small, large = (1_000, 2_000) if options.quick else (10_000, 100_000)
        home = fleet.build(work, small)
        starts(os.path.join(folder, "empty"), 1 if options.quick else STARTS)
        with serving(home) as server, bare("asgi") as other:
            requests(home, server, other, 200 if options.quick else REQUESTS)
            searches(home, server, small, 20 if options.quick else QUESTIONS)
            crowd(home, server, 0.05 if options.quick else options.minutes)
        memory(os.path.join(folder, "idle"), "idle", "at most 90 MB")
        memory(fleet.build(work, large), f"{large:,} memories, searched", "at most 200 MB")


def starts(home: str, count: int) -> None:
    """Print how long the server takes until it answers, against a bare FastAPI application."""
    with serving(home):
        pass
    ours, theirs = [], []
    for _ in range(count):
        with serving(home) as server, bare("fastapi") as other:
            ours.append(server.seconds)
            theirs.append(other.seconds)
    mine, bare_one = statistics.median(ours), statistics.median(theirs)
    figure.figure(
        "from the start to ready",
        f"{mine:.2f} s, {mine / bare_one:.2f} times a bare FastAPI application",
        "at most 2 s and 1.5 times",
    )


def requests(home: str, server: Server, other: Server, count: int) -> None:
    """Print what the read of one memory costs, against a bare application's answer."""
    caller, plain = Caller(server.port, key(home)), Caller(other.port, "")
    with MemoryClient(home, agent=fleet.READER) as client:
        memory_id = client.list(limit=1).memories[0].id
    path = f"/v1/memories/{memory_id}"
    ours, theirs = [], []
    for _ in range(5):
        ours.append(cost(server, lambda: caller.ask(path), count // 5))
        theirs.append(cost(other, lambda: plain.ask("/"), count // 5))
    mine, bare_one = min(ours), min(theirs)
    figure.figure(
        "CPU of a read of one memory",
        f"{THOUSAND * mine:.0f} µs, {mine / bare_one:.1f} times a bare ASGI application",
        "at most 5 times",
    )


def searches(home: str, server: Server, size: int, count: int) -> None:
    """Print what a search costs over HTTP, against the same in the process."""
    asked = questions(size, count)["mixed"]
    caller = Caller(server.port, key(home))
    paths = [f"/v1/search?query={http_words(question)}" for question in asked]
    with MemoryClient(home, agent=fleet.READER) as client:
        for question, path in zip(asked[:10], paths[:10], strict=True):
            client.search(question)
            caller.ask(path)
        inside = at([least(lambda q=q: client.search(q)) for q in asked], 0.5)
    outside = at([least(lambda p=p: caller.ask(p)) for p in paths], 0.5)
    figure.figure(
        f"a search over HTTP, {size:,} memories, p50 of the least of three",
        f"{outside:.2f} ms against {inside:.2f} ms in the process: "
        f"{outside / inside:.2f} times, {outside - 1.3 * inside:.2f} ms above 1.3 times",
        "at most 1.3 times and 0.5 ms",
    )


def crowd(home: str, server: Server, minutes: float) -> None:
    """Print how many clients at once fare, who read and write: errors, losses, and waits."""
    token, until = key(home), time.monotonic() + 60 * minutes
    waits: list[float] = []
    written: list[str] = []
    faults: list[str] = []
    asked = questions(1_000, 50)["mixed"]

    def work(number: int) -> None:
        draw, caller = Random(number), Caller(server.port, token)
        while time.monotonic() < until:
            started = time.perf_counter()
            try:
                if draw.random() < READ_SHARE:
                    caller.ask(f"/v1/search?query={http_words(draw.choice(asked))}")
                else:
                    body = {"content": f"client {number} wrote {draw.random()}"}
                    answer = json.loads(caller.ask("/v1/memories", body))
                    written.append(answer["memory"]["id"])
            except (OSError, RuntimeError, http.client.HTTPException) as error:
                faults.append(str(error))
                return
            waits.append(THOUSAND * (time.perf_counter() - started))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with MemoryClient(home, agent=fleet.READER) as client:
        lost = sum(not is_there(client, memory_id) for memory_id in written)
    p50, p99 = at(waits, 0.5), at(waits, 0.99)
    figure.figure(
        f"{CLIENTS} clients for {60 * minutes:.0f} s, four of five requests searches",
        f"{len(waits):,} requests, {len(faults)} errors, {lost} of {len(written):,} writes lost, "
        f"p50 {p50:.0f} ms, p99 {p99:.0f} ms: {p99 / p50:.1f} times",
        "no error, nothing lost, p99 at most 10 times p50",
    )
    for fault in faults[:3]:
        print(f"    {fault}")


def memory(home: str, what: str, asked: str) -> None:
    """Print the memory that a server holds, after some searches."""
    with serving(home) as server:
        caller = Caller(server.port, key(home))
        for question in questions(1_000, 20)["mixed"]:
            caller.ask(f"/v1/search?query={http_words(question)}")
        figure.figure(f"memory, {what}", f"{server.megabytes():.0f} MB", asked)


def is_there(client: MemoryClient, memory_id: str) -> bool:
    """Say whether a memory can be read."""
    return client.get(memory_id).id == memory_id


def cost(server: Server, act: Callable[[], object], count: int) -> float:
    """Return the server's CPU time for one of many acts, in milliseconds."""
    before = server.cpu()
    for _ in range(count):
        act()
    return (server.cpu() - before) / count


def least(act: Callable[[], object], passes: int = 3) -> float:
    """Return how long an act takes at least, in milliseconds of the clock."""
    taken = []
    for _ in range(passes):
        started = time.perf_counter()
        act()
        taken.append(THOUSAND * (time.perf_counter() - started))
    return min(taken)


def http_words(question: str) -> str:
    """Return a question as it stands in a URL."""
    from urllib.parse import quote

    return quote(question)


def key(home: str) -> str:
    """Return a new key for the reader of a store."""
    with MemoryClient(home, agent=fleet.READER) as client:
        name = f"bench-{time.time_ns()}"
        return client.node.keys.create(name, "agent", fleet.READER).token


@contextmanager
def serving(home: str) -> Iterator[Server]:
    """Serve a home by the real command."""
    command = [
        sys.executable,
        "-c",
        "import sys; from agent_memory_os.cli.main import main; sys.exit(main())",
        "--home",
        home,
        "serve",
        "--port",
        "0",
    ]
    with started(command) as server:
        yield server


@contextmanager
def bare(kind: str) -> Iterator[Server]:
    """Serve an application that does nothing."""
    with started([sys.executable, "-m", BARE, kind]) as server:
        yield server


@contextmanager
def started(command: Sequence[str]) -> Iterator[Server]:
    """Start a server that prints its URL when it is ready, and end it afterwards."""
    began = time.perf_counter()
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert process.stdout is not None  # noqa: S101 - it is piped
    line = process.stdout.readline()
    seconds = time.perf_counter() - began
    try:
        yield Server(process, int(line.strip().rpartition(":")[2]), seconds)
    finally:
        process.terminate()
        process.wait(timeout=60)
        process.stdout.close()


if __name__ == "__main__":
    main()
