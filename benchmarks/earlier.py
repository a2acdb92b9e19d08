"""A search here against the same search in Agent Memory OS 1.10.1, in turns, on the same texts.

The earlier system is installed from the package index into a virtual environment of its own, under
``.bench/`` in this checkout, once; where the index cannot be reached this says so, and ends. Each
system gets the same memories with the same owners and audiences; both are asked as the same agent,
one question after the other, warm, and each reports the CPU time that it took. Each question is
asked once, for the earlier system keeps its last answers.
"""

from __future__ import annotations

import json
import os
import subprocess
import venv
from functools import partial
from typing import IO, Any

from agent_memory_os.client import MemoryClient
from benchmarks import figure, fleet
from benchmarks.clock import at, cost
from benchmarks.corpus import SEED, Corpus
from benchmarks.search import KINDS, questions

EARLIER = "agent-memory-os[{}]==1.10.1"
"""What is asked of the package index, with the extras between the brackets."""

FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), ".bench")

# Runs in the other environment: reads questions as lines, and writes CPU milliseconds.
WORKER = """
import json, sys, time
from agent_memory_os import MemoryClient
client = MemoryClient(sys.argv[1])
for line in sys.stdin:
    asked = json.loads(line)
    if "add" in asked:
        for item in asked["add"]:
            client.add(item["content"], owner=item["owner"], visibility=item["visibility"])
        print(0, 0, flush=True)
        continue
    start = time.process_time()
    found = client.search(asked["query"], requester_agent_id=asked["agent"], limit=10)
    print(1000 * (time.process_time() - start), len(found), flush=True)
"""


def main() -> None:
    """Measure, and print the figures."""
    with figure.options(__doc__) as options:
        figure.title(__doc__)
        python = environment()
        if python is None:
            print("  The package index cannot be reached: nothing was compared.")
            return
        size, count = (1_000, 15) if options.quick else (10_000, 60)
        home = fleet.build(options.work, size)
        old_home = os.path.join(options.work, f"earlier-{size}")
        command = [python, "-I", "-c", WORKER, old_home]
        pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        filled = old_home + ".done"
        with subprocess.Popen(command, text=True, cwd=options.work, **pipes) as worker:
            asked = partial(ask, worker.stdin, worker.stdout)
            if not os.path.exists(filled):
                fill(asked, size)
                with open(filled, "wb"):
                    pass
            with MemoryClient(home, agent=fleet.READER) as client:
                compare(asked, client, size, count)
            if worker.stdin:
                worker.stdin.close()


def environment(extras: str = "") -> str | None:
    """Return the interpreter of the environment that has the earlier system, or ``None``.

    ``extras`` are what it is installed with, a comma between; each choice is an environment.
    """
    folder = os.path.join(FOLDER, "-".join(["earlier", *filter(None, extras.split(","))]))
    python = os.path.join(folder, "bin", "python")
    done = os.path.join(folder, "installed")
    if os.path.exists(done):
        return python
    venv.create(folder, with_pip=True, clear=True)
    install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    wanted = EARLIER.format(extras)
    if subprocess.run([*install, wanted], check=False, stderr=subprocess.DEVNULL).returncode != 0:
        return None
    with open(done, "wb"):
        return python


def ask(stdin: IO[str], stdout: IO[str], question: dict[str, object]) -> tuple[float, int]:
    """Give the other process one line; return its CPU milliseconds, and how many it found."""
    stdin.write(json.dumps(question) + "\n")
    stdin.flush()
    taken, found = stdout.readline().split()
    return float(taken), int(found)


def fill(asked: Any, size: int) -> None:  # noqa: ANN401 - a partial of ask
    """Give the earlier system the same memories."""
    shares = fleet.audiences()
    batch: list[dict[str, object]] = []
    for number, note in enumerate(Corpus().notes(size)):
        agent = fleet.owner_of(number)
        kind = next(shares)
        grants = [] if kind == "private" else [fleet.audience(kind, agent)]
        batch.append({"content": note.text, "owner": f"agent{agent:02}", "visibility": grants})
        if len(batch) == fleet.BLOCK:
            asked({"add": batch})
            batch = []
    asked({"add": batch})


def compare(asked: Any, client: MemoryClient, size: int, count: int) -> None:  # noqa: ANN401
    """Print the two costs of each kind of question, and their ratio."""
    for question in Corpus(SEED + 3).notes(5):
        asked({"query": question.text, "agent": fleet.READER})
        client.search(question.text)
    for kind in KINDS:
        ours, theirs = [], []
        for question in questions(size, count)[kind]:
            line = {"query": question, "agent": fleet.READER}
            theirs.append(asked(line)[0])
            ours.append(cost(partial(client.search, question)))
        ratio = at(theirs, 0.5) / at(ours, 0.5)
        figure.figure(
            f"{size:,} memories, {kind}, CPU p50",
            f"{ratio:.1f} times faster: {at(ours, 0.5):.2f} ms against {at(theirs, 0.5):.2f} ms",
            "at least 6" if kind == "mixed" else "",
        )


if __name__ == "__main__":
    main()
