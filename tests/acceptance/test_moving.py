"""Whoever is killed while memories are moved leaves each moved or not, and the next run ends it."""

from __future__ import annotations

import signal
import subprocess
import sys

from tests.service.moves.sample import every, moved
from tests.store.sample import OPERATOR, ROOT, Fleet, plain

MANY = 120
PROGRAM = """
import sys
from agent_memory_os import settings, wiring
from agent_memory_os.model.principal import Principal
node = wiring.open_node(settings.read(sys.argv[1], None, {}))
for step in node.moves.run(Principal.operator(), "ada", "bob"):
    print(step.moved, flush=True)
"""


def owners(fleet: Fleet) -> dict[str, list[str]]:
    """Return who owns what is shown of each memory, by its words."""
    found: dict[str, list[str]] = {}
    for one in every(fleet.node, OPERATOR):
        found.setdefault(one.text, []).append(one.owner_name)
    return found


def test_a_move_that_was_killed_is_ended_by_the_next(fleet: Fleet) -> None:
    """After kill -9 each memory is shown once, of its old owner or the new one; then all of bob."""
    fleet.fill(MANY)
    texts = {one.text for one in every(fleet.node, fleet.ada)}
    for _ in range(3):
        words = [sys.executable, "-c", PROGRAM, str(fleet.home)]
        with subprocess.Popen(words, cwd=ROOT, env=plain(), stdout=subprocess.PIPE) as running:
            assert running.stdout is not None
            assert running.stdout.readline()
            running.send_signal(signal.SIGKILL)
        found = owners(fleet)
        assert found.keys() == texts
        assert {len(names) for names in found.values()} == {1}
    assert any(names == ["ada"] for names in owners(fleet).values())
    moved(fleet.node, "ada", "bob")
    assert owners(fleet) == {text: ["bob"] for text in texts}
    assert fleet.node.upkeep.check().ok
