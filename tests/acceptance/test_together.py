"""Processes that use one node at once all succeed, or say that they did not."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

from tests.store.sample import OPERATOR, ROOT, Fleet, open_home

ADD = """
import sys
from agent_memory_os import settings, wiring
from agent_memory_os.errors import AgentMemoryError
from agent_memory_os.model.principal import Principal
from agent_memory_os.service.memory.add import NewMemory
home, agent, name, count = sys.argv[1:]
node = wiring.open_node(settings.read(home, None, {}))
print("ready", flush=True)
sys.stdin.read(1)
for number in range(int(count)):
    try:
        new = NewMemory(content=f"process {name} says {number}")
        print(node.memories.add(Principal.of_agent(agent), new).memory.id)
    except AgentMemoryError as error:
        print("failed:", error)
node.close()
"""
START = """
import sys
from agent_memory_os import settings, wiring
sys.stdin.read(1)
where = settings.read(sys.argv[1], None, {})
node = wiring.open_node(where)
principal, notes = wiring.acting(node, where)
with node.context.database.read() as snapshot:
    print(*snapshot.row("SELECT account, device, incarnation FROM node"), principal.agent)
node.close()
"""


def started(program: str, *words: str) -> subprocess.Popen[str]:
    """Start a program in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-c", program, *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )


def test_eight_writers_wait_for_one_that_holds_the_lock(fleet: Fleet) -> None:
    """Eight processes add fifty memories each while another holds the lock for six seconds."""
    agent = fleet.ada.agent or ""
    writers = [started(ADD, str(fleet.home), agent, str(number), "50") for number in range(8)]
    for writer in writers:
        assert writer.stdout
        assert writer.stdout.readline() == "ready\n"
    with closing(sqlite3.connect(fleet.path, isolation_level=None)) as holder:
        holder.execute("BEGIN IMMEDIATE")
        for writer in writers:
            assert writer.stdin
            writer.stdin.write("x")
            writer.stdin.flush()
        time.sleep(6)
        holder.execute("ROLLBACK")
    said = [line for writer in writers for line in writer.communicate()[0].splitlines()]
    assert [writer.returncode for writer in writers] == [0] * 8
    assert len(said) == 400
    assert [line for line in said if line.startswith("failed")] == []
    assert {row[0] for row in fleet.ask("SELECT id FROM memories")} == set(said)
    assert fleet.node.upkeep.check().ok


def test_four_processes_start_on_a_new_home_with_one_identity(tmp_path: Path) -> None:
    """Four processes that start at once on nothing are one account, one device and one agent."""
    for round_number in range(3):
        home = tmp_path / f"home-{round_number}"
        starters = [started(START, str(home)) for _ in range(4)]
        said = {starter.communicate("x")[0] for starter in starters}
        assert [starter.returncode for starter in starters] == [0] * 4
        assert len(said) == 1
        node = open_home(home)
        assert node.warnings == ()
        found = node.upkeep.doctor(OPERATOR)
        assert [finding for finding in found if finding.state != "ok"] == []
        with node.context.database.read() as snapshot:
            assert snapshot.value("SELECT count(*) FROM devices") == 1
        node.close()


def test_a_node_can_be_made_again_where_a_start_was_cut_short(tmp_path: Path) -> None:
    """A process that is killed within its first start leaves a home that the next one completes."""
    for round_number in range(8):
        home = tmp_path / f"home-{round_number}"
        starter = started(START, str(home))
        assert starter.stdin
        starter.stdin.write("x")
        starter.stdin.flush()
        time.sleep(0.04 + 0.03 * round_number)
        starter.kill()
        starter.communicate()
        node = open_home(home)
        found = node.upkeep.doctor(OPERATOR)
        assert [finding for finding in found if finding.state == "fault"] == []
        node.close()
