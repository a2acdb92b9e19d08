"""Law 11 in miniature: what is refused leaves nothing behind, not half of a batch, not a stamp."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory_os.errors import AgentMemoryError
from agent_memory_os.model.principal import Principal
from agent_memory_os.service.memory.add import NewMemory
from tests.laws.crowd import crowd
from tests.laws.plan import START, build
from tests.laws.world import World, new_world, state_of

GOOD = NewMemory("a good one")
BAD = (
    NewMemory(""),
    NewMemory("x", type="rumour"),
    NewMemory("x", tags=("",)),
    NewMemory("x", source={"a": 2**70}),
    NewMemory("x", position=2**70),
    NewMemory("x", confidence=1001),
    NewMemory("x", valid_from=2, valid_to=1),
    NewMemory("x" * 1_048_577),
    NewMemory("x", expires_at=2**60),
    NewMemory("x", key="\ud800"),
)
AUDIENCES = ("team:nobody", "globl", "", "agent:ghost")


@given(st.integers(0, 30), st.sampled_from(BAD) | st.sampled_from(AUDIENCES))
def test_a_batch_that_fails_leaves_nothing(place: int, bad: NewMemory | str) -> None:
    """One bad memory or audience among thirty leaves the file as it was, to the byte of a row."""
    with new_world() as world:
        build(world, START)
        ann = Principal.of_agent(world.agents["ann"])
        batch = [(NewMemory(f"good {number}"), "team:tq1z") for number in range(30)]
        batch.insert(place, (bad, "private") if isinstance(bad, NewMemory) else (GOOD, bad))
        before = state_of(world)
        with pytest.raises(AgentMemoryError):
            list(world.node.memories.add_many(ann, batch))
        assert state_of(world) == before
        assert all(
            outcome.is_changed for outcome in world.node.memories.add_many(ann, [(GOOD, "private")])
        )


REFUSED: dict[str, Callable[[World, Principal, str], Any]] = {
    "an edit of an unknown field": lambda w, p, i: w.node.memories.edit(p, i, {"mood": "good"}),
    "an edit to nothing": lambda w, p, i: w.node.memories.edit(p, i, {"content": " "}),
    "an edit to another type": lambda w, p, i: w.node.memories.edit(p, i, {"content": 5}),
    "an edit of a weight": lambda w, p, i: w.node.memories.edit(p, i, {"confidence": 0.5}),
    "an edit of a surrogate": lambda w, p, i: w.node.memories.edit(p, i, {"tags": "abc"}),
    "a share with a ghost": lambda w, p, i: w.node.memories.share(p, i, "team:tq1z, team:ghost"),
    "a share with nobody": lambda w, p, i: w.node.memories.share(p, i, "private"),
    "a revocation of nothing": lambda w, p, i: w.node.memories.revoke(p, i, "team:ghost"),
    "a link with itself": lambda w, p, i: w.node.memories.link(p, i, i),
    "a link by a relation that is none": lambda w, p, i: w.node.memories.link(p, i, i, "likes"),
    "a link to nothing": lambda w, p, i: w.node.memories.link(p, i, "mem_" + "a" * 32),
    "an undo of nothing": lambda w, p, i: w.node.memories.bring_back(p, i),
    "an erasure of two, one of which is not there": lambda w, p, i: w.node.memories.erase(
        p, [i, "mem_" + "a" * 32]
    ),
    "a second agent of a name": lambda w, _, __: w.node.organisation.add_agent("ann"),
    "an agent of a bad name": lambda w, _, __: w.node.organisation.add_agent("a b"),
    "an agent of a bad kind": lambda w, _, __: w.node.organisation.add_agent("x", "robot"),
    "a second team of a name": lambda w, _, __: w.node.organisation.add_team("tq1z"),
    "a member of a project alone": lambda w, _, __: w.node.organisation.join(
        "cleo", "project:tq1z/pq2z"
    ),
    "a member of nothing": lambda w, _, __: w.node.organisation.join("cleo", "team:ghost"),
    "an import of nothing": lambda w, p, _: w.node.transfer.import_path(p, "/nowhere"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_refused_leaves_nothing(what: str) -> None:
    """A refused request says why, and leaves every row of the file as it was."""
    with new_world() as world:
        crowd(world)
        ann = Principal.of_agent(world.agents["ann"])
        mine = next(item.id for item in world.readable(ann) if item.owner == "ann")
        before = state_of(world)
        with pytest.raises(AgentMemoryError) as refusal:
            REFUSED[what](world, ann, mine)
        assert str(refusal.value).endswith((".", "NAME", "?", "FOLDER")) or ":" in str(
            refusal.value
        )
        assert state_of(world) == before


def test_reading_leaves_nothing() -> None:
    """No read of an agent writes a row; only the operator's are put into the audit."""
    from tests.laws.each import EACH
    from tests.laws.path import WHOLE
    from tests.laws.receipt import meet

    with new_world() as world:
        crowd(world)
        meet(world)
        # Who asks for receipts first has what was written before placed for peers, once.
        world.node.receipts.list(Principal.operator())
        ann = Principal.of_agent(world.agents["ann"])
        before = state_of(world)
        for path in WHOLE:
            path.ask(world, ann)
        for each in EACH:
            for item in world.readable(ann):
                each.answers(world, ann, item) and each.ask(world, ann, item.id[: each.length])
        assert state_of(world) == before
        world.node.memories.get(Principal.operator(), world.readable(ann)[0].id)
        assert state_of(world) != before
