"""Whoever is killed amid an import loses nothing, and the next one adds what is missing."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

import pytest

from agent_memory_os.model.principal import Principal
from tests.importers.sample import as_lines, claude_row
from tests.store.sample import OPERATOR, ROOT, Fleet, moved_in

IMPORT = """
import sys
from agent_memory_os import settings, wiring
from agent_memory_os.model.principal import Principal
home, agent, path = sys.argv[1:]
node = wiring.open_node(settings.read(home, None, {}))
principal = Principal.of_agent(agent) if agent else Principal.operator()
print("ready", flush=True)
node.transfer.import_path(principal, path)
"""
LONG = "word " * 160_000
"""A text of which a few make a line of an export too long."""


def killed(home: Path, principal: Principal, path: Path, seconds: float) -> bool:
    """Import in a process that is killed after a while; say whether it was at it still."""
    words = (str(home), principal.agent or "", str(path))
    process = subprocess.Popen(
        [sys.executable, "-c", IMPORT, *words], stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    assert process.stdout
    assert process.stdout.readline() == "ready\n"
    time.sleep(seconds)
    process.kill()
    process.communicate()
    return process.returncode != 0


def contents(fleet: Fleet) -> list[str]:
    """Return what the memories of a node say, in no order."""
    return sorted(str(row[0]) for row in fleet.ask("SELECT content FROM memories"))


@pytest.mark.parametrize("rounds", [8, pytest.param(30, marks=pytest.mark.soak)])
def test_a_transcript_comes_whole_however_often_it_is_killed(
    fleet: Fleet, tmp_path: Path, rounds: int
) -> None:
    """After each kill the node is sound, and in the end each record is there once."""
    said = [f"The kiosk sells tea number {number}." for number in range(6_000)]
    rows = [
        {**claude_row(number, "user", text), "timestamp": "2026-10-05T07:30:00.000Z"}
        for number, text in enumerate(said)
    ]
    path = tmp_path / "session.jsonl"
    path.write_bytes(as_lines(*rows))
    chance, cut, there = random.Random(rounds), 0, 0
    for _ in range(rounds):
        cut += killed(fleet.home, fleet.ada, path, chance.uniform(0.02, 0.3))
        held = contents(fleet)
        assert there <= len(held) == len(set(held))
        assert set(held) <= set(said)
        there = len(held)
        assert fleet.node.upkeep.check().ok
    assert cut
    report = fleet.node.transfer.import_path(fleet.ada, str(path))
    assert (report.added, report.known) == (len(said) - there, there)
    assert contents(fleet) == sorted(said)


@pytest.mark.parametrize("rounds", [6, pytest.param(30, marks=pytest.mark.soak)])
def test_an_export_comes_back_whole_however_often_it_is_killed(
    fleet: Fleet, tmp_path: Path, rounds: int
) -> None:
    """Killed again and again, an export is put back to the byte, with all versions and links."""
    other = moved_in(fleet, tmp_path / "other")
    node, ada = fleet.node, fleet.ada
    long = [fleet.remember(f"short {number}", "team:apollo") for number in range(3)]
    for edit in range(6):
        for memory in long:
            node.memories.edit(ada, memory.id, {"content": f"{LONG} {edit}"}, "longer")
    filled = fleet.fill(2_000)
    for one, two in pairwise(filled[:200]):
        node.memories.link(ada, one.id, two.id)
    path = tmp_path / "node.jsonl"
    path.write_text("".join(node.transfer.export(OPERATOR)), encoding="utf-8")
    chance = random.Random(rounds)
    cut = sum(killed(other.home, OPERATOR, path, chance.uniform(0.02, 0.5)) for _ in range(rounds))
    assert cut
    there = len(contents(other))
    report = other.node.transfer.import_path(OPERATOR, str(path))
    assert (report.added, report.known) == (report.found - there, there)
    lines = list(other.node.transfer.export(OPERATOR))
    assert lines[1:] == path.read_text(encoding="utf-8").splitlines(keepends=True)[1:]
