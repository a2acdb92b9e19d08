"""How long others wait while a node is kept in order: reindex, doctor, erase, import, backup.

Each act runs in a process of its own on a copy of one store, while one process asks for the write
lock again and again, and another searches and lists. What counts is the longest wait for the lock
and the longest read; the first line tells both with nothing else going on.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from itertools import islice

from agent_memory_os import wiring
from agent_memory_os.client import MemoryClient
from agent_memory_os.model.principal import Principal
from agent_memory_os.store.database import Database
from benchmarks import figure, fleet
from benchmarks.corpus import SEED, Corpus

THOUSAND = 1000
ROUNDS = 3
EXPORTED = "BENCHMARK_EXPORTED"
_PAUSE = 0.002
_SETTLING = 0.5
_PREPARE: Mapping[str, str] = {
    "reindex of a broken index": "DELETE FROM terms_idx",
    "doctor --rebuild of a broken index": "DELETE FROM terms_idx",
    "doctor --rebuild of a broken view": "UPDATE memories SET state = 'forgotten' WHERE rowid = 7",
}
"""What is done to the file before an act, behind the node's back."""


def main() -> None:
    """Measure, and print the figures; with ``--act``, ``--write`` or ``--read`` be a process."""
    if sys.argv[1:2] in (["--act"], ["--write"], ["--read"]):
        {"--act": act, "--write": write, "--read": read}[sys.argv[1]](*sys.argv[2:])
        return
    with figure.options(__doc__) as options:
        figure.title(__doc__)
        size = 2_000 if options.quick else 100_000
        home = fleet.build(options.work, size)
        os.environ[EXPORTED] = exported(options.work, size // 10)
        for name in ACTS:
            rounds = [measure(home, options.work, name) for _ in range(ROUNDS)]
            taken, *waits = (THOUSAND * min(column) for column in zip(*rounds, strict=True))
            figure.figure(
                f"{size:,} memories, {name}",
                f"{taken:,.0f} ms; worst wait to write {waits[0]:.0f} ms, worst read "
                f"{waits[1]:.0f} ms",
                "waits of at most 100 ms",
            )


def exported(work: str, size: int) -> str:
    """Return the path of an export of another store."""
    path = os.path.join(work, f"exported-{size}.jsonl")
    with MemoryClient(fleet.build(work, size)) as client, open(path, "w", encoding="utf-8") as file:
        file.writelines(client.node.transfer.export(Principal.operator()))
    return path


def measure(home: str, work: str, name: str) -> tuple[float, float, float]:
    """Do an act on a copy of a store; return how long it took, and both waits, in seconds."""
    copy = os.path.join(work, f"upkeep-{os.getpid()}")
    shutil.copytree(home, copy)
    database = Database(os.path.join(copy, "node.db"), wiring.clock, wiring.chance)
    if name in _PREPARE:
        with database.write() as transaction:
            transaction.execute(_PREPARE[name])
    database.close()
    others = [started(way, copy) for way in ("--write", "--read")]
    time.sleep(_SETTLING)
    began = time.perf_counter()
    done = started("--act", copy, name).wait()
    taken = time.perf_counter() - began
    for other in others:
        other.terminate()
    waits = [max(map(float, other.communicate()[0].split()), default=0.0) for other in others]
    shutil.rmtree(copy)
    if done != 0:
        raise SystemExit(f"{name} failed")
    return taken, waits[0], waits[1]


def started(*words: str) -> subprocess.Popen[str]:
    """Start this program as one of the processes."""
    command = [sys.executable, "-m", "benchmarks.upkeep", *words]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def act(home: str, name: str) -> None:
    """Do an act."""
    with MemoryClient(home, agent=fleet.READER) as client:
        ACTS[name](client)


def write(home: str) -> None:
    """Take the write lock again and again, and print how long that took each time."""
    database = Database(os.path.join(home, "node.db"), wiring.clock, wiring.chance)

    def once() -> float:
        asked = time.perf_counter()
        with database.write() as transaction:
            waited = time.perf_counter() - asked
            transaction.execute("UPDATE node SET unswept = unswept")
        return waited

    again_and_again(once)


def read(home: str) -> None:
    """Search and list again and again, and print how long that took each time."""
    questions = [note.text.split(".")[0] for note in Corpus(SEED + 3).notes(20)]
    with MemoryClient(home, agent=fleet.READER) as client:

        def once() -> float:
            asked = time.perf_counter()
            client.search(questions[int(asked * THOUSAND) % len(questions)])
            client.list(limit=50)
            return time.perf_counter() - asked

        again_and_again(once)


def again_and_again(once: Callable[[], float]) -> None:
    """Do something until this process is told to end, and print what it gave."""
    import signal

    found = []
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with suppress(SystemExit):
        once()
        while True:
            time.sleep(_PAUSE)
            found.append(once())
    print(*found, sep="\n")


def erase_one(client: MemoryClient) -> None:
    """Erase the newest memory of the reader's own."""
    mine = client.list(limit=1, owner=fleet.READER).memories[0]
    client.node.memories.erase(client.principal, [mine.id])


def restore(client: MemoryClient) -> None:
    """Put a backup of the node in its place."""
    from agent_memory_os.service.upkeep import restore

    path = os.path.join(client.node.context.home, "backup")
    client.node.upkeep.backup(path)
    restore(client.node.context, path, force=True)


def import_exported(client: MemoryClient) -> None:
    """Import what another node exported."""
    client.node.transfer.import_path(client.principal, os.environ[EXPORTED])


def import_long(client: MemoryClient) -> None:
    """Import long notes: two hundred of forty thousand characters."""
    folder = os.path.join(client.node.context.home, "notes")
    os.mkdir(folder)
    notes = Corpus(SEED + 4).notes(40_000_000 // 5 // 150)
    for number in range(200):
        with open(os.path.join(folder, f"note{number}.md"), "w", encoding="utf-8") as file:
            file.write("\n".join(note.text for note in islice(notes, 260)))
    client.node.transfer.import_path(client.principal, folder)


def erase_many(client: MemoryClient) -> None:
    """Erase a hundred of the reader's own, after which the file is written anew."""
    mine = client.list(limit=100, owner=fleet.READER).memories
    client.node.memories.erase(client.principal, [memory.id for memory in mine])


ACTS: Mapping[str, Callable[[MemoryClient], object]] = {
    "nothing for a second": lambda _: time.sleep(1),
    "reindex": lambda client: client.node.upkeep.reindex(),
    "reindex of a broken index": lambda client: client.node.upkeep.reindex(),
    "doctor": lambda client: client.node.upkeep.doctor(Principal.operator()),
    "doctor --rebuild of a broken index": lambda client: client.node.upkeep.mend(),
    "doctor --rebuild of a broken view": lambda client: client.node.upkeep.mend(),
    "backup": lambda client: client.node.upkeep.backup(client.node.context.home + "-backup"),
    "backup and restore": restore,
    "import of a tenth as many": import_exported,
    "import of 200 long notes": import_long,
    "erasing one": erase_one,
    "erasing a hundred": erase_many,
}


if __name__ == "__main__":
    main()
