"""Law 1: hidden memories leave no trace in what is written after them.

A number that the file gives out in order, such as a row or a stamp, would count by its gaps what
others have. Two worlds live through the same; in one of them somebody keeps memories of its own
meanwhile. Whatever any read or write gives, to its last field, is equal in both.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory_os.errors import AgentMemoryError
from agent_memory_os.model.memory import Memory
from agent_memory_os.model.principal import Principal
from agent_memory_os.model.recall import RecallRequest
from agent_memory_os.service.memory.add import NewMemory
from agent_memory_os.store import memories
from tests.laws.plan import START, Step, build, plans, some, take
from tests.laws.test_ranking import answers, readers
from tests.laws.world import World, new_world, open_again

KEEPER = "zoe"
"""Who keeps what nobody else may see; it takes no part in the plan."""

MADE = memories._memory  # noqa: SLF001 - where a row becomes a memory

SAID = ("gateway", "deploy", "coffee", "t0 t1")


def keep(world: World, number: int) -> None:
    """Let the keeper add some memories, and change, link, forget and erase some of them."""
    node = open_again(world.folder, world.clock, f"hidden {number}")
    agent, _ = node.organisation.ensure_agent(KEEPER)
    keeper = Principal.of_agent(agent.id)
    batch = [(NewMemory(f"{word} {number}"), "private") for word in SAID]
    kept = [outcome.memory for outcome in node.memories.add_many(keeper, batch)]
    node.memories.edit(keeper, kept[0].id, {"content": f"changed {number}"})
    node.memories.supersede(keeper, kept[0].id, kept[1].id)
    node.memories.forget(keeper, kept[2].id)
    if number % 2:
        node.memories.erase(keeper, [kept[3].id])
    node.close()


def written(world: World, reader: Principal) -> list[Any]:
    """Return what each write gives an agent that acts on memories of its own."""
    act = world.node.memories
    new = [NewMemory(f"written {word}", key=word) for word in SAID]
    first, second, *_ = done = [act.add(reader, one, "global") for one in new]
    one, other = first.memory.id, second.memory.id
    done += [act.add(reader, new[0]), act.edit(reader, one, {"content": "edited"}, "why")]
    done += [act.revoke(reader, one), act.share(reader, one, "global")]
    done += [act.supersede(reader, other, one)]
    rest: list[Any] = [
        act.link(reader, one, other),
        act.history(reader, one),
        act.links(reader, one),
    ]
    rest += [act.forget(reader, other), act.bring_back(reader, other), refusals(world, reader)]
    return [done, rest, list(act.add_many(reader, [(NewMemory("one more"), "global")]))]


def refusals(world: World, reader: Principal) -> list[str]:
    """Return the words with which a reader is refused what it gets wrong."""
    act, recall = world.node.memories, world.node.recall
    wrong: list[Callable[[], object]] = [
        lambda: act.get(reader, "mem_"),
        lambda: act.add(reader, NewMemory("another"), "team:none"),
        lambda: act.add(reader, NewMemory("another", key="gateway")),
        lambda: recall.pack(reader, RecallRequest("gateway", world.clock.now), 1),
    ]
    return [refusal(one) for one in wrong]


def refusal(act: Callable[[], object]) -> str:
    """Return the words with which something is refused."""
    with pytest.raises(AgentMemoryError) as refused:
        act()
    return f"{refused.value.code}: {refused.value}"


def told(world: World, reader: Principal) -> list[Any]:
    """Return all that a reader is ever given."""
    given: list[Any] = [answers(world, reader)]
    if world.name_of(reader):
        given += [written(world, reader), answers(world, reader)]
    return given


@some(0.5)
@given(plans(10), st.sets(st.integers(0, 20), min_size=1, max_size=6))
def test_what_is_hidden_leaves_no_trace(plan: list[Step], moments: set[int]) -> None:
    """Wherever others keep memories of their own, every value is as it is without them."""
    with new_world() as world, new_world() as crowded:
        for one in (world, crowded):
            one.node.organisation.ensure_agent(KEEPER)
        keep(crowded, 0)
        for place, step in enumerate([*START, *plan]):
            if place in moments:
                keep(crowded, place + 1)
            take(world, step)
            take(crowded, step)
        for reader, same in zip(readers(world), readers(crowded), strict=True):
            assert told(world, reader) == told(crowded, same)


def _with_its_row(row: tuple[Any, ...], *rest: Any) -> Memory:  # noqa: ANN401 - as it is called
    return MADE(row, *rest)._replace(version=row[0])


def test_the_law_notices_a_row_number(monkeypatch: pytest.MonkeyPatch) -> None:
    """A memory that has its row number in any field breaks the law."""
    monkeypatch.setattr(memories, "_memory", _with_its_row)
    with new_world() as world, new_world() as crowded:
        keep(crowded, 1)
        found = []
        for one in (world, crowded):
            one.node.organisation.ensure_agent(KEEPER)
            build(one, [*START, Step("add", 0, 1, 0)])
            found.append(answers(one, readers(one)[0]))
        assert found[0] != found[1]
