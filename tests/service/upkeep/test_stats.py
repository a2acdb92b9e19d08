"""What is counted for somebody is what it may read; the whole node is the operator's."""

from __future__ import annotations

import os

from agent_memory_os.model.recall import Filter
from tests.store.sample import OPERATOR, Fleet


def test_the_operator_is_told_of_the_whole_node(fleet: Fleet) -> None:
    """Every memory counts, and registers and bytes of the file are told; the look is audited."""
    found = fleet.node.upkeep.stats(OPERATOR)
    assert (found.shown, found.expired, found.forgotten, found.pinned) == (14, 0, 1, 1)
    assert found.types == (("note", 14),)
    assert found.owners == (("ada", 14),)
    assert (found.agents, found.teams, found.projects) == (3, 1, 1)
    assert dict(found.node)["file_bytes"] == os.path.getsize(fleet.path)
    assert [dict(found.node)["registers"]] == [
        row[0] for row in fleet.ask("SELECT count(*) FROM registers")
    ]
    assert fleet.ask("SELECT action FROM audit WHERE actor = 'operator'") == [("stats",)]


def test_an_agent_counts_what_it_may_read(fleet: Fleet) -> None:
    """What is hidden from an agent changes nothing in what it is told."""
    before = fleet.node.upkeep.stats(fleet.eve)
    assert before.shown == len(fleet.node.memories.list(fleet.eve, _all(), 100).memories) > 0
    assert (before.teams, before.projects, before.node) == (0, 0, ())
    assert before.forgotten == 0
    fleet.remember("private to Ada", type="decision")
    forgotten = fleet.remember("shared and forgotten", "agent:eve")
    fleet.node.memories.forget(fleet.ada, forgotten.id)
    assert fleet.node.upkeep.stats(fleet.eve) == before
    mine = fleet.node.upkeep.stats(fleet.ada)
    assert mine.forgotten == 2
    assert mine.types == (("note", 14), ("decision", 1))
    assert (mine.teams, mine.projects) == (1, 1)


def test_what_expired_counts_apart(fleet: Fleet) -> None:
    """A memory that expired is counted as one, and not as shown."""
    fleet.remember("short", expires_at=1)
    found = fleet.node.upkeep.stats(fleet.ada)
    assert (found.shown, found.expired) == (14, 1)


def _all() -> Filter:
    """Return the filter that narrows nothing."""
    return Filter()
