"""What a memory is linked to: how far it reaches, in which order, and where it is cut."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import pytest

from agent_memory_os.errors import InvalidInput
from agent_memory_os.model.principal import Principal
from agent_memory_os.service.memory import graph as graphs
from agent_memory_os.service.memory.add import NewMemory
from tests.laws.plan import START, build
from tests.laws.world import World, new_world


@pytest.fixture
def world() -> Iterator[World]:
    """Give a world with some agents."""
    with new_world() as made:
        yield build(made, START)


@pytest.fixture
def chain(world: World) -> list[str]:
    """Give the ids of five memories of ann's, each linked to the next."""
    ann, node = Principal.of_agent(world.agents["ann"]), world.node.memories
    made = [node.add(ann, NewMemory(f"step {n}"), "private").memory.id for n in range(5)]
    for one, other in pairwise(made):
        node.link(ann, one, other)
    return made


def reached(world: World, memory: str, hops: int) -> list[str]:
    """Return what ann is shown around a memory."""
    ann = Principal.of_agent(world.agents["ann"])
    return [one.id for one in world.node.memories.graph(ann, memory, hops).memories]


def test_the_nearer_stands_before_the_farther(world: World, chain: list[str]) -> None:
    """A graph begins with its memory and goes as far as it is told, in both directions."""
    assert reached(world, chain[0], 1) == chain[:2]
    assert reached(world, chain[0], 4) == chain
    assert reached(world, chain[2], 1)[0] == chain[2]
    assert sorted(reached(world, chain[2], 1)) == sorted(chain[1:4])


def test_links_between_the_farthest_are_shown(world: World, chain: list[str]) -> None:
    """Links between what is shown are all there, also those that nothing was reached by."""
    ann, node = Principal.of_agent(world.agents["ann"]), world.node.memories
    ring = node.link(ann, chain[1], chain[3])
    found = node.graph(ann, chain[2])
    assert ring in found.links
    assert len(found.links) == 3
    assert not found.is_cut


def test_a_large_graph_is_cut(
    world: World, chain: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is beyond the most that is shown is left out, and that is said."""
    monkeypatch.setattr(graphs, "MAX_MEMORIES", 3)
    ann = Principal.of_agent(world.agents["ann"])
    found = world.node.memories.graph(ann, chain[0], 4)
    assert [one.id for one in found.memories] == chain[:3]
    assert found.is_cut
    assert len(found.links) == 2


@pytest.mark.parametrize("hops", [0, -1, 5, True, "1", 1.0])
def test_a_graph_reaches_so_far_at_most(world: World, chain: list[str], hops: int) -> None:
    """How far is a whole number from 1 to 4."""
    with pytest.raises(InvalidInput, match="1 to 4 hops"):
        reached(world, chain[0], hops)
