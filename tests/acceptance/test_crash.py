"""Whoever is killed while writing loses nothing that was acknowledged, and leaves a sound node."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
from typing import NamedTuple

import pytest

from agent_memory_os.store.upkeep import index
from tests.store.sample import OPERATOR, ROOT, Fleet, bytes_of

SHOWN = """
SELECT m.id, m.content, m.state, EXISTS (
  SELECT 1 FROM grants AS g WHERE g.memory = m.rowid AND g.until IS NULL
) FROM memories AS m
"""


class Known(NamedTuple):
    """What is known of a memory: its text, whether it is shown, whether it is shared."""

    text: str
    state: str = "active"
    is_shared: bool = False


def after(known: Known | None, act: str, text: str) -> Known | None:
    """Return what is known of a memory after an act; ``None`` of one that is not there."""
    if act == "add":
        return Known(text)
    if known is None or act == "erase":
        return None
    changes: dict[str, dict[str, object]] = {
        "edit": {"text": text},
        "share": {"is_shared": True},
        "revoke": {"is_shared": False},
        "forget": {"state": "forgotten"},
        "bring_back": {"state": "active"},
    }
    return known._replace(**changes.get(act, {}))  # type: ignore[arg-type]


class Ledger:
    """What the workers said, and what may therefore be in the node."""

    def __init__(self) -> None:
        self.known: dict[str, Known] = {}
        self.erased: set[str] = set()
        self.words: dict[str, set[str]] = {}
        self.acknowledged = 0

    def note(self, memory_id: str, text: str) -> None:
        """Remember the word that only this text of this memory has."""
        self.words.setdefault(memory_id, set()).add(text.split(maxsplit=1)[0])

    def enter(self, lines: list[str], held: dict[str, Known]) -> None:
        """Take up what one worker said until it was killed, and compare with what is held."""
        begun: dict[str, str] | None = None
        for line in lines:
            said = json.loads(line)
            if "begin" in said:
                begun = said
            elif "done" in said:
                self.acknowledged += 1
                self.done(said)
                begun = None
            elif "failed" in said:
                raise AssertionError(said)
        self.compare(begun, held)

    def done(self, said: dict[str, str]) -> None:
        """Take up an act that was acknowledged."""
        known = after(self.known.get(said["id"]), said["done"], said["text"])
        if known is None:
            self.known.pop(said["id"], None)
            self.erased.add(said["id"])
        else:
            self.known[said["id"]] = known
            self.note(said["id"], known.text)

    def compare(self, begun: dict[str, str] | None, held: dict[str, Known]) -> None:
        """Settle an act that was begun and not acknowledged: it was done whole, or not at all."""
        if begun is None:
            return
        memory_id = begun["id"]
        if begun["begin"] == "add":
            whole = [
                key
                for key, known in held.items()
                if known == Known(begun["text"]) and key not in self.known
            ]
            self.known |= {key: held[key] for key in whole[:1]}
            return
        before = self.known.get(memory_id)
        allowed = [before, after(before, begun["begin"], begun["text"])]
        assert held.get(memory_id) in allowed, begun
        if memory_id in held:
            self.known[memory_id] = held[memory_id]
            self.note(memory_id, held[memory_id].text)
        else:
            self.known.pop(memory_id, None)
            self.erased.add(memory_id)


def held(fleet: Fleet) -> dict[str, Known]:
    """Return what is in the node."""
    rows = fleet.ask(SHOWN)
    return {str(row[0]): Known(str(row[1]), str(row[2]), bool(row[3])) for row in rows}


def play(
    fleet: Fleet, ledger: Ledger, chance: random.Random, round_number: int, program: str = ""
) -> None:
    """Have four processes write, kill them in the midst of it, and compare.

    A program may run beside them, and is killed with them.
    """
    agents = [fleet.ada.agent, fleet.bob.agent, fleet.eve.agent, fleet.ada.agent]
    workers = [
        subprocess.Popen(
            [
                *(sys.executable, "-m", "tests.acceptance.worker"),
                *(str(fleet.home), str(agent), f"r{round_number}w{number}"),
            ],
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
        )
        for number, agent in enumerate(agents)
    ]
    for worker in workers:
        assert worker.stdout
        assert "ready" in worker.stdout.readline()
    beside = [started(program, fleet)] if program else []
    time.sleep(chance.uniform(0.05, 0.5))
    for process in (*workers, *beside):
        process.send_signal(signal.SIGKILL)
    said = [worker.communicate()[0].splitlines() for worker in workers]
    for process in beside:
        process.communicate()
    there = held(fleet)
    for lines in said:
        # The last line may have been cut by the kill.
        ledger.enter([line for line in lines if line.endswith("}")], there)
    assert there == ledger.known
    assert not ledger.erased & set(there)
    report = fleet.node.upkeep.check()
    assert report.ok, report.lines


def started(program: str, fleet: Fleet, *words: str) -> subprocess.Popen[str]:
    """Start a program on a fleet's home, and wait until it says that it has begun."""
    process = subprocess.Popen(
        [sys.executable, "-c", program, str(fleet.home), *words],
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    assert process.stdout
    assert process.stdout.readline() == "ready\n"
    return process


def play_rounds(fleet: Fleet, rounds: int) -> None:
    """Play some rounds on one node, and examine it thoroughly in the end."""
    ledger, chance = Ledger(), random.Random(rounds)
    for round_number in range(rounds):
        play(fleet, ledger, chance, round_number)
    assert ledger.acknowledged > 2 * rounds
    fleet.node.upkeep.mend()
    found = fleet.node.upkeep.doctor(OPERATOR)
    assert [finding for finding in found if finding.state != "ok"] == []
    content = bytes_of(fleet.path) + bytes_of(fleet.path + "-wal")
    gone = {word for memory_id in ledger.erased for word in ledger.words.get(memory_id, ())}
    assert [word for word in gone if word.encode() in content] == []


def test_nothing_acknowledged_is_lost_in_fifteen_rounds(fleet: Fleet) -> None:
    """Four processes are killed fifteen times amid every kind of write, and nothing is lost."""
    play_rounds(fleet, 15)


@pytest.mark.soak
def test_nothing_acknowledged_is_lost_in_a_hundred_rounds(fleet: Fleet) -> None:
    """Four processes are killed a hundred times amid every kind of write, and nothing is lost."""
    play_rounds(fleet, 100)


def test_an_erasure_that_is_killed_is_finished_by_mending(fleet: Fleet) -> None:
    """Killed amid an erasure, a node leaves the memory whole, or erased and then swept."""
    program = """
import sys
from agent_memory_os import settings, wiring
from agent_memory_os.model.principal import Principal
node = wiring.open_node(settings.read(sys.argv[1], None, {}))
print("ready", flush=True)
node.memories.erase(Principal.operator(), [sys.argv[2]])
print("erased", flush=True)
"""
    fleet.fill(400)
    for round_number in range(6):
        word = f"canary{round_number}"
        memory = fleet.remember(f"the {word} warbles")
        fleet.node.close()
        process = started(program, fleet, memory.id)
        time.sleep(0.01 * round_number)
        process.kill()
        said = process.communicate()[0]
        is_there = memory.id in held(fleet)
        fleet.node.upkeep.mend()
        content = bytes_of(fleet.path) + bytes_of(fleet.path + "-wal")
        assert (word.encode() in content) == is_there
        assert not (is_there and "erased" in said)
        assert fleet.node.upkeep.check().ok


def test_an_index_that_is_made_anew_amid_writes_and_kills_is_sound(fleet: Fleet) -> None:
    """Killed at any moment beside four that write, making the index anew leaves a sound one."""
    program = """
import sys
from agent_memory_os import settings, wiring
upkeep = wiring.open_upkeep(settings.read(sys.argv[1], None, {}))
print("ready", flush=True)
while True:
    upkeep.reindex()
"""
    fleet.fill(400)
    ledger, chance = Ledger(), random.Random(8)
    ledger.known = held(fleet)
    for round_number in range(8):
        play(fleet, ledger, chance, round_number, program)
        fleet.node.close()
        assert index.faults(fleet.database, thorough=True) == []
    assert ledger.acknowledged > 8
