"""What agents wait for a served node while it does long work: an import, a backup, an erasing.

The work comes over HTTP, and so do an agent that reads, one that searches, one that writes, and
somebody who asks for the node's health, each in a process of its own, again and again. What counts
is the longest wait of each; the first line tells it with nothing else going on.
"""

from __future__ import annotations

import http.client
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from typing import NamedTuple

from agent_memory_os.client import MemoryClient
from benchmarks import figure, fleet
from benchmarks.clock import THOUSAND, at
from benchmarks.search import questions
from benchmarks.serve import Caller, Server, http_words, serving
from benchmarks.upkeep import again_and_again, exported

WAYS = ("read", "search", "health", "write")
ERASED = 50
_SETTLING = 3.0


class Doing(NamedTuple):
    """What a work is done with: the server, the operator's key, what to import and to erase."""

    server: Server
    operator: str
    lines: str
    mine: list[str]

    def ask(self, method: str, path: str, body: object, kind: str) -> bytes:
        """Ask as the operator, and return the answer; raise where it is none of success."""
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=600)
        headers = {"Authorization": f"Bearer {self.operator}", "Content-Type": kind}
        connection.request(method, path, body=body, headers=headers)  # type: ignore[arg-type]
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        if answer.status >= 400:  # noqa: PLR2004 - the first status of an error
            raise RuntimeError(f"{method} {path}: {answer.status} {text.decode()}")
        return text


def main() -> None:
    """Measure, and print the figures; with ``--ask`` be one of those who ask."""
    if sys.argv[1:2] == ["--ask"]:
        ask(*sys.argv[2:])
        return
    with figure.options(__doc__) as options:
        figure.title(__doc__)
        size = 2_000 if options.quick else 100_000
        home = fleet.build(options.work, size)
        lines = exported(options.work, size)
        for name, work in WORKS.items():
            measure(home, lines, f"{size:,} memories, {name}", work)


def measure(home: str, lines: str, name: str, work: Callable[[Doing], object]) -> None:
    """Serve a copy of a store, do a work, and print how long each had to wait meanwhile."""
    copy = f"{home}-busy-{os.getpid()}"
    shutil.copytree(home, copy)
    with MemoryClient(copy, agent=fleet.READER) as client:
        mine = [one.id for one in client.list(limit=ERASED + 1, owner=fleet.READER).memories]
        agent = client.node.keys.create("agent", "agent", fleet.READER).token
        operator = client.node.keys.create("operator", "operator").token
    with serving(copy) as server:
        asking = [started(way, server, agent, mine[-1]) for way in WAYS]
        time.sleep(_SETTLING)
        began = time.perf_counter()
        work(Doing(server, operator, lines, mine[:-1]))
        taken = time.perf_counter() - began
        for one in asking:
            one.terminate()
        told = [told_of(way, one.communicate()[0]) for way, one in zip(WAYS, asking, strict=True)]
        size = server.megabytes()
    shutil.rmtree(copy)
    figure.figure(
        name,
        f"{taken:.1f} s; worst wait (median) of a {', '.join(told)} ms; {size:.0f} MB",
        "a read at most 100 ms",
    )


def told_of(way: str, printed: str) -> str:
    """Return the longest and the median of the waits that one of those who ask has printed."""
    waits = [THOUSAND * float(line) for line in printed.split()]
    return f"{way} {max(waits):.0f} ({at(waits, 0.5):.1f})"


def started(way: str, server: Server, token: str, memory: str) -> subprocess.Popen[str]:
    """Start a process that asks in one way."""
    words = ["--ask", way, str(server.port), token, memory]
    command = [sys.executable, "-m", "benchmarks.busy", *words]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def ask(way: str, port: str, token: str, memory: str) -> None:
    """Ask in one way until told to end, and print how long that took each time."""
    caller = Caller(int(port), token)
    asked = questions(1_000, 50)["mixed"]

    def once() -> float:
        began = time.perf_counter()
        if way == "write":
            caller.ask("/v1/memories", {"content": f"written at {began}"})
        elif way == "search":
            question = asked[int(began * THOUSAND) % len(asked)]
            caller.ask(f"/v1/search?query={http_words(question)}")
        else:
            caller.ask("/healthz" if way == "health" else f"/v1/memories/{memory}")
        return time.perf_counter() - began

    again_and_again(once)


def take_lines(doing: Doing) -> None:
    """Import as many memories as there are."""
    with open(doing.lines, "rb") as file:
        path = f"/v1/import?name=other.jsonl&owner={fleet.READER}"
        doing.ask("POST", path, file, "application/x-ndjson")


def erase(doing: Doing) -> None:
    """Erase many memories for good."""
    body = json.dumps({"memories": doing.mine})
    doing.ask("POST", "/v1/memories/erase", body, "application/json")


WORKS: Mapping[str, Callable[[Doing], object]] = {
    "nothing for five seconds": lambda _: time.sleep(5),
    "an import of as many": take_lines,
    "a backup": lambda doing: doing.ask("GET", "/v1/backup", None, ""),
    "an export": lambda doing: doing.ask("GET", "/v1/export", None, ""),
    f"erasing {ERASED}": erase,
}


if __name__ == "__main__":
    main()
