"""Every order of time is that of a pure sort, whichever way it is read, whoever reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from agent_memory_os.model.principal import Principal
from agent_memory_os.model.recall import Filter
from agent_memory_os.service.memory.add import NewMemory
from agent_memory_os.store.memory import page as pages
from tests.laws.plan import START, as_owner, audiences, build, pick, some
from tests.laws.world import BEGIN, Item, Version, World, new_world

FIELDS = ("created", "updated", "event", "valid")
WAYS: tuple[Mapping[str, object], ...] = (
    {},
    {"_FEW": 0},
    {"_FEW": 10**6, "sqrt": lambda _: -1},
    {"_FEW": 0, "sqrt": lambda _: -1},
    {"_FEW": 0, "sqrt": lambda _: -1, "_SURE": 1},
    {"_FEW": 0, "sqrt": lambda _: -1, "_SURE": 1, "_MOST_FILED": 0},
    {"_FEW": 0, "sqrt": lambda _: -1, "_SURE": 2, "_MOST_FILED": 0, "_SCAN": 0},
    {"_FEW": 1, "sqrt": lambda _: -1, "_SURE": 2, "_SCAN": 1_000},
    {"_FEW": 0, "sqrt": lambda _: -1, "_SURE": 1, "_near": lambda *_: None, "_SCAN": 1_000},
)
"""What makes a small store be read as a large one would be, in each way that there is."""

SMALL = st.integers(0, 4)
TIMES = st.integers(-4, 6).map(lambda number: BEGIN + number)
PERHAPS = st.none() | TIMES


class Fate(NamedTuple):
    """A memory to be: who adds it, for whom, how much later than the last, and its fields."""

    owner: int
    shared: int
    pause: int
    fields: Mapping[str, Any]
    end: str


class Wish(NamedTuple):
    """What a reader asks for, and how much of it at once."""

    reader: str
    wanted: Filter
    at: int
    limit: int


fates = st.builds(
    Fate,
    SMALL,
    SMALL,
    st.integers(0, 2),
    st.fixed_dictionaries(
        {
            "type": st.sampled_from(["note", "note", "fact"]),
            "tags": st.sampled_from([(), ("x",), ("x", "y")]),
            "author": st.sampled_from(["", "Ada"]),
            "session": st.sampled_from(["", "s"]),
            "pinned": st.booleans(),
            "event_at": PERHAPS,
            "valid_from": PERHAPS,
            "expires_at": st.sampled_from([None, None, None, BEGIN - 1]),
        }
    ),
    st.sampled_from(["", "", "edit", "forget"]),
)
NARROW: tuple[Mapping[str, Any], ...] = (
    *({"types": types} for types in (("fact",), ("note", "fact"), ("warning",))),
    *({"tags": tags} for tags in (("y",), ("x", "y"), ("none",))),
    *({"owner": owner} for owner in ("ann", "bob", "nobody")),
    *({"author": author} for author in ("Ada", "Zoe")),
    *({"session": session} for session in ("s", "none")),
    *({"pinned": pinned} for pinned in (True, False)),
)
filters = st.builds(
    lambda times, narrow: Filter(**times, **{k: v for one in narrow for k, v in one.items()}),
    st.fixed_dictionaries(
        {
            "time_field": st.sampled_from(FIELDS),
            "since": st.none() | st.none() | TIMES,
            "until": st.none() | st.none() | TIMES,
        }
    ),
    st.sampled_from([(), *((one,) for one in NARROW)])
    | st.lists(st.sampled_from(NARROW), min_size=2, max_size=2),
)
wishes = st.builds(
    Wish,
    st.sampled_from([*(f"agent {name}" for name in ("ann", "bob", "cleo")), "operator", "nobody"]),
    filters,
    st.integers(-5, 25).map(lambda number: BEGIN + number),
    st.integers(1, 7),
)
stories = st.lists(fates, max_size=40) | st.lists(fates, min_size=15, max_size=40)


@contextmanager
def read_in(way: Mapping[str, object]) -> Iterator[None]:
    """Have orders be read in one way, whatever would be the cheapest."""
    before = {name: getattr(pages, name) for name in way}
    try:
        for name, value in way.items():
            setattr(pages, name, value)
        yield
    finally:
        for name, value in before.items():
            setattr(pages, name, value)


def remember(world: World, fate: Fate) -> None:
    """Have a memory come to its fate in a world, and let the oracle know."""
    world.clock.now += fate.pause
    owner = str(pick(sorted(world.active), fate.owner))
    choices = audiences(world, owner)
    scopes = [str(pick(list(choices), fate.shared))] if fate.shared else []
    audience = ", ".join(choices[scope] for scope in scopes) or "private"
    number = next(world.numbers)
    new = NewMemory(f"number {number}", **fate.fields)
    memory = world.node.memories.add(Principal.of_agent(world.agents[owner]), new, audience).memory
    at = memory.content.created_at
    fields = {**fate.fields, "updated_at": at}
    held = Item(memory.id, owner, number, at, "", [Version("", at)], set(scopes), fields=fields)
    world.items[held.id] = held
    if fate.end == "edit":
        changed = world.node.memories.edit(as_owner(world, held), held.id, {"summary": "changed"})
        fields["updated_at"] = changed.memory.content.updated_at
    elif fate.end == "forget":
        world.node.memories.forget(as_owner(world, held), held.id)
        held.state = "forgotten"


def place(item: Item, field: str) -> tuple[int, int]:
    """Return where a memory stands in an order: its instant, and when it was made."""
    fields: Mapping[str, Any] = item.fields
    happened = item.created_at if fields["event_at"] is None else fields["event_at"]
    instants = {
        "created": item.created_at,
        "updated": fields["updated_at"],
        "event": happened,
        "valid": happened if fields["valid_from"] is None else fields["valid_from"],
    }
    return instants[field], item.order


def ordered(world: World, principal: Principal, wanted: Filter, field: str) -> list[Item]:
    """Return what a reader is shown of what it wants, in an order, the oldest first."""

    def keeps(item: Item) -> bool:
        fields: Mapping[str, Any] = item.fields
        at = place(item, wanted.time_field)[0]
        return (
            (not wanted.types or fields["type"] in wanted.types)
            and set(wanted.tags) <= set(fields["tags"])
            and wanted.owner in (None, item.owner)
            and all(
                getattr(wanted, name) in (None, fields[name])
                for name in ("author", "session", "pinned")
            )
            and (wanted.since is None or at >= wanted.since)
            and (wanted.until is None or at < wanted.until)
        )

    kept = [item for item in world.shown(principal) if keeps(item)]
    return sorted(kept, key=lambda item: place(item, field))


def ids(items: list[Item]) -> list[str]:
    """Return the ids of memories."""
    return [item.id for item in items]


def pages_of(world: World, principal: Principal, wish: Wish) -> list[str]:
    """Return what a list gives, page by page."""
    found: list[str] = []
    cursor = ""
    while True:
        page = world.node.memories.list(principal, wish.wanted, wish.limit, cursor)
        found += [memory.id for memory in page.memories]
        cursor = page.following
        if not cursor:
            return found


@some(2)
@given(stories, st.lists(wishes, min_size=1, max_size=6))
def test_an_order_is_that_of_a_pure_sort(made: list[Fate], asked: list[Wish]) -> None:
    """Lists and timelines hold what a reader may see, sorted by an instant, whatever the way."""
    with new_world() as world:
        build(world, START)
        world.clock.now = BEGIN
        for fate in made:
            remember(world, fate)
        for wish in asked:
            principal = world.principals()[wish.reader]
            field = wish.wanted.time_field
            listed = ordered(world, principal, wish.wanted, "created")
            line = ordered(world, principal, wish.wanted, field)
            before = [item for item in line if place(item, field)[0] <= wish.at]
            after = [item for item in line if place(item, field)[0] > wish.at]
            nearest = before[::-1][: wish.limit - wish.limit // 2][::-1]
            nearest += after[: wish.limit // 2]
            for way in WAYS:
                with read_in(way):
                    assert pages_of(world, principal, wish) == ids(listed)[::-1]
                    moments = world.node.memories.timeline(
                        principal, wish.at, wish.wanted, wish.limit
                    )
                assert [moment.memory.id for moment in moments] == ids(nearest)
                assert [moment.at for moment in moments] == [
                    place(item, field)[0] for item in nearest
                ]


@given(stories, SMALL, wishes)
def test_a_memory_stands_among_its_neighbours(made: list[Fate], number: int, wish: Wish) -> None:
    """A timeline around a memory is the stretch of the pure sort that it stands in."""
    with new_world() as world:
        build(world, START)
        world.clock.now = BEGIN
        for fate in made:
            remember(world, fate)
        principal = world.principals()[wish.reader]
        field = wish.wanted.time_field
        line = ordered(world, principal, Filter(), field)
        middle = pick(line, number)
        if middle is None:
            return
        at = line.index(middle)
        before, after = wish.limit - wish.limit // 2, wish.limit // 2
        for way in WAYS:
            with read_in(way):
                moments = world.node.memories.timeline(
                    principal, middle.id, Filter(time_field=field), wish.limit
                )
            expected = line[max(0, at + 1 - before) : at + 1 + after]
            assert [moment.memory.id for moment in moments] == ids(expected)
