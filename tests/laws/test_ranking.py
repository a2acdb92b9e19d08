"""Law 2: what a principal may not see never changes what it gets, nor in which order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory_os.errors import AgentMemoryError
from agent_memory_os.model.principal import Principal
from agent_memory_os.recall.providers import lexical
from tests.laws.each import EACH
from tests.laws.hide import VERBS, happen
from tests.laws.mutation import RANKING
from tests.laws.path import WHOLE
from tests.laws.plan import START, Step, build, plans, steps
from tests.laws.world import World, new_world

pytestmark = pytest.mark.measured


def answers(world: World, reader: Principal) -> dict[str, Any]:
    """Return what every read path gives a reader, in words: membership, order and reasons."""
    given = {
        f"{path.name} {path.label}": repr(path.ask(world, reader))
        for path in WHOLE
        if path.name != "memories.add"
    }
    for each in EACH:
        for item in world.readable(reader):
            try:
                found = repr(each.ask(world, reader, item.id[: each.length]))
            except AgentMemoryError as error:
                found = str(error)
            given[f"{each.name} {item.id}"] = given.get(f"{each.name} {item.id}", "") + found
    return given


def readers(world: World) -> list[Principal]:
    """Return the agents that may act, and a stranger."""
    agents = [Principal.of_agent(world.agents[name]) for name in sorted(world.active)]
    return [*agents, Principal.of_agent("agt_" + "a" * 32)]


@contextmanager
def small_limits() -> Iterator[None]:
    """Let recall cut its lists short, so that a small world is as a large one is."""
    with pytest.MonkeyPatch.context() as patch:
        for name, most in (("POSTINGS", 4), ("POOL", 5), ("ENOUGH", 3), ("NEIGHBOURS", 2)):
            patch.setattr(lexical, name, most)
        yield


@pytest.mark.parametrize("limits", [nullcontext, small_limits])
@given(plans(), st.integers(0, 3), st.lists(steps(VERBS), min_size=1, max_size=8))
def test_hidden_memories_change_nothing(
    limits: Callable[[], AbstractContextManager[None]],
    plan: list[Step],
    number: int,
    hidden: list[Step],
) -> None:
    """Whatever others do out of a reader's sight, it is given the same, in the same order."""
    with limits(), new_world() as world:
        build(world, [*START, *plan])
        reader = readers(world)[number % len(readers(world))]
        before = answers(world, reader)
        for step in hidden:
            happen(world, reader, step)
        assert answers(world, reader) == before


def test_many_hidden_memories_change_nothing() -> None:
    """A crowd of hidden memories with the same words, session and text changes no score."""
    with small_limits(), new_world() as world:
        build(world, [*START, *(Step("add", 0, 4, kind) for kind in range(6))])
        reader = Principal.of_agent(world.agents["ann"])
        before = answers(world, reader)
        for number in range(40):
            happen(world, reader, Step("twin", number, number, number))
            happen(world, reader, Step("add", number, 0, number))
        assert answers(world, reader) == before


@pytest.mark.parametrize(("what", "place", "name", "instead"), RANKING, ids=[c[0] for c in RANKING])
def test_the_law_notices_statistics_of_all(
    monkeypatch: pytest.MonkeyPatch, what: str, place: object, name: str, instead: object
) -> None:
    """Statistics that are taken outside the reader's scopes break the law."""
    monkeypatch.setattr(place, name, instead)
    with pytest.raises(AssertionError):
        test_many_hidden_memories_change_nothing()
    assert what
