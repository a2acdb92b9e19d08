"""Law 6: no edit loses the earlier version, and nobody looks back further than it could see then.

The clock of these worlds stands still, jumps ahead and goes back between any two acts.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory_os.errors import NotFound
from agent_memory_os.model.principal import Principal
from agent_memory_os.service.memory.add import NewMemory
from tests.laws.plan import START, build
from tests.laws.world import BEGIN, World, new_world

pytestmark = pytest.mark.measured

JUMPS = st.sampled_from([0, 0, 1, 2, 1000, -1, -1000, -3_600_000, 3_600_000])
ACTS = ("edit", "edit", "share", "revoke", "look")
STEPS = st.lists(st.tuples(st.sampled_from(ACTS), JUMPS), min_size=1, max_size=14)


@dataclass
class Told:
    """What a memory said, in order, and which versions somebody else was granted."""

    texts: list[str]
    since: list[int]
    granted: list[bool]
    is_shared: bool = False
    seen: set[int] = field(default_factory=set)


def play(world: World, memory_id: str, steps: list[tuple[str, int]], told: Told) -> None:
    """Edit, share and take back a memory of ann's, and note what bob could read."""
    ann = Principal.of_agent(world.agents["ann"])
    memories = world.node.memories
    for number, (act, jump) in enumerate(steps):
        world.clock.now = max(BEGIN, world.clock.now + jump)
        if act == "edit":
            text = f"version {number}"
            changed = memories.edit(ann, memory_id, {"content": text}, f"reason {number}").memory
            told.texts.append(text)
            told.since.append(changed.content.updated_at)
            told.granted.append(told.is_shared)
        elif act == "share":
            memories.share(ann, memory_id, "agent:bob")
            told.is_shared = told.granted[-1] = True
        elif act == "revoke":
            memories.revoke(ann, memory_id)
            told.is_shared = False


def start(world: World) -> tuple[str, Told]:
    """Build a world, add a memory of ann's and return what it has said."""
    build(world, START)
    ann = Principal.of_agent(world.agents["ann"])
    memory = world.node.memories.add(ann, NewMemory("version of the beginning")).memory
    return memory.id, Told([memory.text], [memory.content.updated_at], [False])


@given(STEPS)
def test_every_version_is_kept(steps: list[tuple[str, int]]) -> None:
    """The owner and the operator see each version that there was, in order, without a gap."""
    with new_world() as world:
        memory_id, told = start(world)
        play(world, memory_id, steps, told)
        for principal in (Principal.of_agent(world.agents["ann"]), Principal.operator()):
            found = world.node.memories.history(principal, memory_id)
            assert [version.content.content for version in found] == told.texts
            assert [version.number for version in found] == [*range(1, len(told.texts) + 1)]
            assert [version.since for version in found] == told.since
            assert [version.until for version in found] == [*told.since[1:], None]
        assert told.since == sorted(set(told.since))


@given(STEPS)
def test_a_reader_looks_back_at_what_it_could_read(steps: list[tuple[str, int]]) -> None:
    """Bob sees exactly the versions that were current while he was granted them, or nothing."""
    with new_world() as world:
        memory_id, told = start(world)
        play(world, memory_id, [*steps, ("share", 0)], told)
        bob = Principal.of_agent(world.agents["bob"])
        found = world.node.memories.history(bob, memory_id)
        expected = [text for text, ok in zip(told.texts, told.granted, strict=True) if ok]
        assert [version.content.content for version in found] == expected
        assert all(version.audience == () for version in found)
        assert all(version.editor == "ann" for version in found)
        world.node.memories.revoke(Principal.of_agent(world.agents["ann"]), memory_id)
        with pytest.raises(NotFound):
            world.node.memories.history(bob, memory_id)


def test_a_clock_that_goes_back_shows_nothing_more() -> None:
    """A version that was written after the grant was taken back stays hidden, whatever its date."""
    steps = [("edit", 0), ("share", 9), ("revoke", 9), ("edit", -5), ("edit", 2), ("share", 9)]
    with new_world() as world:
        memory_id, told = start(world)
        play(world, memory_id, steps, told)
        bob = Principal.of_agent(world.agents["bob"])
        found = world.node.memories.history(bob, memory_id)
        assert [version.content.content for version in found] == [told.texts[1], told.texts[3]]


@given(STEPS)
def test_as_of_gives_what_was_true_then(steps: list[tuple[str, int]]) -> None:
    """At each instant the owner is given the version that had begun and had not ended."""
    with new_world() as world:
        memory_id, told = start(world)
        play(world, memory_id, steps, told)
        ann = Principal.of_agent(world.agents["ann"])
        for place, since in enumerate(told.since):
            found = world.node.memories.as_of(ann, memory_id, since)
            assert found.content.content == told.texts[place]
            if place + 1 < len(told.since):
                last = world.node.memories.as_of(ann, memory_id, told.since[place + 1] - 1)
                assert last.content.content == told.texts[place]
        with pytest.raises(NotFound):
            world.node.memories.as_of(ann, memory_id, told.since[0] - 1)


@given(STEPS)
def test_as_of_tells_a_reader_nothing_of_other_times(steps: list[tuple[str, int]]) -> None:
    """Bob is given the version of an instant only where his grant held at that instant."""
    with new_world() as world:
        memory_id, told = start(world)
        play(world, memory_id, [*steps, ("share", 0)], told)
        bob = Principal.of_agent(world.agents["bob"])
        visible = {
            version.content.content for version in world.node.memories.history(bob, memory_id)
        }
        shared_at = world.node.memories.get(bob, memory_id).content.updated_at
        for since in (*told.since, *(at - 1 for at in told.since), shared_at, world.clock.now):
            try:
                found = world.node.memories.as_of(bob, memory_id, since)
            except NotFound:
                continue
            assert found.content.content in visible
        with pytest.raises(NotFound):
            world.node.memories.as_of(bob, memory_id, told.since[0] - 1)


def test_history_survives_forgetting_and_bringing_back() -> None:
    """A memory that was brought back has its versions and audience still."""
    with new_world() as world:
        memory_id, told = start(world)
        play(world, memory_id, [("edit", 1), ("share", 1), ("edit", 1)], told)
        ann = Principal.of_agent(world.agents["ann"])
        before = world.node.memories.history(ann, memory_id)
        world.node.memories.forget(ann, memory_id)
        with pytest.raises(NotFound):
            world.node.memories.history(ann, memory_id)
        world.node.memories.bring_back(ann, memory_id)
        after = world.node.memories.history(ann, memory_id)
        assert [v.content.content for v in after] == [v.content.content for v in before]
        bob = Principal.of_agent(world.agents["bob"])
        assert world.node.memories.get(bob, memory_id).text == told.texts[-1]
