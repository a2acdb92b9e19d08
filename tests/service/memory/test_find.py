"""Finding without a query: by the beginning of an id, page by page, around a moment."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory_os.errors import InvalidInput, NotFound
from agent_memory_os.model.principal import Principal
from agent_memory_os.model.recall import Filter
from agent_memory_os.service.memory.add import NewMemory
from tests.laws.plan import START, build
from tests.laws.world import BEGIN, SECOND, World, new_world
from tests.store.sample import Fleet


def ann(world: World) -> Principal:
    """Return ann, as who asks."""
    return Principal.of_agent(world.agents["ann"])


def add(world: World, number: int, **fields: object) -> str:
    """Add a memory of ann's and return its id."""
    new = NewMemory(f"number {number}", **fields)  # type: ignore[arg-type]
    return world.node.memories.add(ann(world), new).memory.id


@given(st.lists(st.sampled_from([0, 0, 1, 5]), min_size=1, max_size=30), st.integers(1, 7))
def test_pages_give_everything_once_while_others_write(steps: list[int], size: int) -> None:
    """Whatever is added or forgotten between two pages, each memory that was there comes once."""
    with new_world() as world:
        build(world, START)
        ids = []
        for number, step in enumerate(steps):
            world.clock.now += step
            ids.append(add(world, number))
        found: list[str] = []
        cursor = ""
        while True:
            page = world.node.memories.list(ann(world), Filter(), size, cursor)
            found += [memory.id for memory in page.memories]
            cursor = page.following
            if not cursor:
                break
            world.clock.now += 1
            add(world, 100 + len(found))
            world.node.memories.forget(ann(world), found[-1])
        assert found == list(reversed(ids))


def test_a_cursor_whose_memory_is_gone_loses_nothing(fleet: Fleet) -> None:
    """After an erasure the page goes on, and what was made at the same instant may come again."""
    kept = fleet.fill(6)
    first = fleet.node.memories.list(fleet.ada, Filter(), 3)
    fleet.node.memories.erase(fleet.ada, [first.memories[-1].id])
    rest = fleet.node.memories.list(fleet.ada, Filter(), 100, first.following)
    seen = {memory.id for memory in (*first.memories, *rest.memories)}
    assert seen == {memory.id for memory in kept}
    assert rest.following == ""


def test_a_cursor_holds_nothing_but_the_reader_has(fleet: Fleet) -> None:
    """A cursor is made of the time and the id of its page's last memory, and of nothing else."""
    fleet.fill(3)
    page = fleet.node.memories.list(fleet.ada, Filter(), 2)
    last = page.memories[-1]
    assert page.following == f"{last.content.created_at:x}.{last.id[4:]}"
    for cursor in (
        "x",
        "5",
        "5.",
        ".",
        f"zz.{last.id[4:]}",
        f"5.{last.id}",
        f"{2**70:x}.{last.id[4:]}",
    ):
        with pytest.raises(InvalidInput, match="no cursor"):
            fleet.node.memories.list(fleet.ada, Filter(), 2, cursor)


@pytest.mark.parametrize("limit", [0, -1, 1001, True, 1.5, "5"])
def test_a_limit_is_a_number_of_a_page(fleet: Fleet, limit: int) -> None:
    """A limit of none, or of too many, is refused by lists and timelines."""
    with pytest.raises(InvalidInput, match="between 1 and 1000"):
        fleet.node.memories.list(fleet.ada, Filter(), limit)
    with pytest.raises(InvalidInput, match="between 1 and 1000"):
        fleet.node.memories.timeline(fleet.ada, 0, Filter(), limit)


def test_the_beginning_of_an_id_is_enough_where_it_is_one(fleet: Fleet) -> None:
    """Eight characters find a memory, less are refused, and what begins two is refused as well."""
    memory = fleet.remember("words")
    assert fleet.node.memories.get(fleet.ada, memory.id[:12]) == memory
    with pytest.raises(InvalidInput, match="too little of an id"):
        fleet.node.memories.get(fleet.ada, memory.id[:11])
    other = fleet.remember("others")
    fleet.say("UPDATE memories SET id = ? WHERE id = ?", (memory.id[:20] + other.id[20:], other.id))
    with pytest.raises(InvalidInput, match="more than one"):
        fleet.node.memories.get(fleet.ada, memory.id[:20])
    assert fleet.node.memories.get(fleet.ada, memory.id) == memory


def test_ids_that_others_hide_are_not_met(fleet: Fleet) -> None:
    """A beginning that is one memory's among those that a reader sees is enough for it."""
    mine = fleet.node.memories.add(fleet.bob, NewMemory("bob's")).memory
    hidden = fleet.remember("ada's")
    fleet.say("UPDATE memories SET id = ? WHERE id = ?", (mine.id[:20] + hidden.id[20:], hidden.id))
    assert fleet.node.memories.get(fleet.bob, mine.id[:20]).id == mine.id


@pytest.mark.parametrize("limit", [1, 2, 3, 4, 9])
def test_a_timeline_stands_around_its_memory(limit: int) -> None:
    """Half of a timeline comes before, the memory itself among it, and half after, oldest first."""
    with new_world() as world:
        build(world, START)
        ids = []
        for number in range(7):
            world.clock.now += SECOND
            ids.append(add(world, number))
        found = world.node.memories.timeline(ann(world), ids[3], Filter(), limit)
        before, after = limit - limit // 2, limit // 2
        assert [moment.memory.id for moment in found] == ids[max(0, 4 - before) : 4 + after]
        assert [moment.at for moment in found] == sorted(moment.at for moment in found)
        instant = world.node.memories.timeline(
            ann(world), world.clock.now - 3 * SECOND, Filter(), limit
        )
        assert instant == found


@pytest.mark.parametrize("field", ["created", "updated", "event", "valid"])
def test_a_timeline_goes_by_the_time_that_is_named(field: str) -> None:
    """A memory stands at its creation, change, event or validity, and around one at its own."""
    with new_world() as world:
        build(world, START)
        for number in range(5):
            world.clock.now += SECOND
            add(
                world,
                number,
                event_at=(0, 7, None, 3, -2)[number],
                valid_from=(None, 1)[number % 2],
            )
        memories = world.node.memories.list(ann(world), Filter()).memories
        world.node.memories.edit(ann(world), memories[-1].id, {"summary": "changed"})
        everything = world.node.memories.timeline(
            ann(world), world.clock.now, Filter(time_field=field), 99
        )
        assert len(everything) == 5
        assert [one.at for one in everything] == sorted(one.at for one in everything)
        for moment in everything:
            wanted = Filter(time_field=field)
            alone = world.node.memories.timeline(ann(world), moment.memory.id, wanted, 1)
            assert [one.memory.id for one in alone] == [moment.memory.id]
        first = next(one for one in everything if one.memory.text == "number 0")
        assert first.at == {"created": BEGIN + 12 * SECOND, "event": 0, "valid": 0}.get(
            field, first.at
        )


def test_times_are_half_open() -> None:
    """``since`` is within, and ``until`` is not."""
    with new_world() as world:
        build(world, START)
        world.clock.now = BEGIN + 100 * SECOND
        memory = add(world, 1)
        at = world.clock.now
        for since, until, found in (
            (at, at + 1, 1),
            (at + 1, None, 0),
            (None, at, 0),
            (at, None, 1),
        ):
            wanted = Filter(since=since, until=until)
            listed = world.node.memories.list(ann(world), wanted).memories
            assert [one.id for one in listed] == [memory] * found


def test_around_what_is_not_there_is_nothing(fleet: Fleet) -> None:
    """A timeline around a memory that is hidden says that there is none."""
    hidden = fleet.remember("words")
    with pytest.raises(NotFound):
        fleet.node.memories.timeline(fleet.eve, hidden.id, Filter())
