"""Times at their borders: half-open spans, and dates that are the same in every time zone."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent_memory_os.model.principal import Principal
from agent_memory_os.model.recall import Filter, RecallRequest
from agent_memory_os.service.memory.add import NewMemory
from tests.cli.program import Program
from tests.laws.world import BEGIN, World, new_world

FIELDS = ("created", "updated", "event", "valid")
MANY = 100
INSTANTS = tuple(range(BEGIN, BEGIN + 4))
ZONES = ("America/New_York", "Asia/Kolkata", "Pacific/Apia", "EST5EDT,M3.2.0,M11.1.0", "XXX-13")
WRITTEN = (
    "2026-03-08T02:30",  # an hour that New York leaves out
    "2026-11-01T01:30",  # one that it has twice
    "2011-12-30",  # a day that Apia leaves out
    "2026-03-08T02:30-05:00",
    "2026-06-01T00:00+05:30",
    "0001-01-01",
    "9999-12-31T23:59:59.999Z",
    "2024-02-29",
    "2024",
)


def filled(world: World) -> Principal:
    """Fill a world with a memory of each instant, which counts for every kind of time."""
    reader = Principal.of_agent(world.node.organisation.add_agent("ann").id)
    for at in INSTANTS:
        world.clock.now = at
        new = NewMemory(f"tea at {at}", event_at=at, valid_from=at)
        world.node.memories.add(reader, new)
    return reader


def found(world: World, reader: Principal, field: str, since: int | None, until: int | None) -> str:
    """Return the instants that a span has, and that every way to narrow by it agrees on."""
    wanted = Filter(since=since, until=until, time_field=field)
    memories, recall = world.node.memories, world.node.recall
    request = RecallRequest("tea", world.clock.now, MANY, span=(since, until), time_field=field)
    recent = request._replace(query="", recent=True)
    ways = [
        memories.list(reader, wanted, MANY).memories,
        [moment.memory for moment in memories.timeline(reader, BEGIN + 2, wanted, 2 * MANY)],
        [hit.memory for hit in recall.search(reader, request).hits],
        [hit.memory for hit in recall.search(reader, recent).hits],
        [hit.memory for hit in recall.pack(reader, request, 10_000).hits],
    ]
    given = {"".join(sorted(one.text[-1] for one in way)) for way in ways}
    assert len(given) == 1, given
    return given.pop()


@pytest.mark.parametrize("field", FIELDS)
def test_a_span_has_its_start_and_not_its_end(field: str) -> None:
    """Whatever is narrowed and by which time, the start is in and the end is out."""
    with new_world() as world:
        reader = filled(world)
        last = [str(at)[-1] for at in INSTANTS]
        borders = [None, BEGIN - 1, *INSTANTS, BEGIN + 4, BEGIN + 5]
        for since in borders:
            for until in borders:
                expected = [
                    digit
                    for at, digit in zip(INSTANTS, last, strict=True)
                    if (since is None or since <= at) and (until is None or at < until)
                ]
                assert found(world, reader, field, since, until) == "".join(expected)


def test_a_border_parts_all_there_is(tmp_path: Path) -> None:
    """On the command line what is until a time and what is since it are all, and nothing twice."""
    program = Program(tmp_path)
    for second in range(3):
        program.add(f"tea {second}", "--event", f"2026-11-01T01:30:0{second}")
    by_event = ("--time-field", "event", "--json")
    for border in ("2026-11-01T01:30:01", "2026-10-31T21:30:01-04:00", "1793496601000"):
        parts = [
            {one["content"] for one in program.json("list", option, border, *by_event)["memories"]}
            for option in ("--until", "--since")
        ]
        assert parts == [{"tea 0"}, {"tea 1", "tea 2"}]
    told = program.fails(2, "list", "--since", "2026-11-01", "--until", "2026-11-01T00:00Z")
    assert "does not come after" in told


def test_a_date_is_the_same_in_every_time_zone(tmp_path: Path) -> None:
    """No time zone of the machine changes what a date names, what is shown, or what is found."""

    def told(program: Program, zone: str) -> list[str]:
        by_event = ("--time-field", "event", "--json")
        said = [program.do("list", "--since", at, *by_event, TZ=zone) for at in WRITTEN[:3]]
        said += [program.do("timeline", WRITTEN[0], *by_event, TZ=zone)]
        return said

    program = Program(tmp_path)
    kept = [program.json("add", f"tea {at}", "--event", at)["memory"] for at in WRITTEN]
    expected = told(program, "UTC")
    for zone in ZONES:
        assert told(program, zone) == expected, zone
        for one, at in list(zip(kept, WRITTEN, strict=True))[:4]:
            # The same again, with the same date, is the memory that is there.
            again = program.json("add", f"tea {at}", "--event", at, TZ=zone)
            assert (again["added"], again["memory"]["id"]) == (False, one["id"])
