"""Following: an iterator over what happens, until it is closed."""

from __future__ import annotations

import threading

import pytest

from agent_memory_os.errors import InvalidInput
from agent_memory_os.service.events import GONE, MEMORY, Event, Following, News
from tests.store.sample import Fleet


def given(*portions: News) -> Following:
    """Return an iterator over some portions of news."""
    waiting = list(portions)
    return Following(lambda: waiting.pop(0) if waiting else None, lambda: None, "c0")


def test_what_came_together_has_one_cursor() -> None:
    """Only the last event of a portion carries the cursor behind it, the others the one before."""
    one, two, three = (Event(MEMORY, name, 1) for name in "abc")
    events = given(News((one, two), "c1"), News((), "c2"), News((three,), "c3"), News((), "c4"))
    assert (events.cursor, events.is_ready) == ("c0", False)
    assert next(events) == one._replace(cursor="c0")
    assert (events.cursor, events.is_ready) == ("c0", True)
    assert next(events) == two._replace(cursor="c1")
    assert next(events) == three._replace(cursor="c3")
    assert list(events) == []
    assert events.cursor == "c4"


def test_closed_it_ends() -> None:
    """After it is closed there is no event, also none of those that had come."""
    events = given(News((Event(MEMORY, "a", 1), Event(MEMORY, "b", 1)), "c1"))
    with events:
        next(events)
    assert list(events) == []
    assert events.cursor == "c0"


def test_it_waits_for_what_happens(fleet: Fleet) -> None:
    """Whoever follows is told of what happens later, and is woken where it is closed."""
    events = fleet.node.events.follow(fleet.bob)
    found: list[Event] = []
    thread = threading.Thread(target=lambda: found.extend(events))
    thread.start()
    kept = fleet.remember("shared", "global")
    fleet.node.memories.forget(fleet.ada, kept.id)
    again = fleet.remember("again", "global")
    while not any(event.memory == again.id for event in found):
        assert thread.is_alive()
    events.close()
    thread.join(60)
    assert not thread.is_alive()
    kinds = [(event.kind, event.memory) for event in found]
    assert kinds[-1] == (MEMORY, again.id)
    assert (GONE, kept.id) in kinds


def test_without_waiting_it_ends(fleet: Fleet) -> None:
    """Without waiting it tells all that has happened, and then ends for good."""
    begun = fleet.node.events.follow(fleet.bob, wait=False)
    assert list(begun) == []
    kept = [fleet.remember(f"number {n}", "global").id for n in range(3)]
    events = fleet.node.events.follow(fleet.bob, begun.cursor, wait=False)
    assert [event.memory for event in events] == kept
    fleet.remember("later", "global")
    assert list(events) == []
    assert list(fleet.node.events.follow(fleet.bob, events.cursor, wait=False)) != []


def test_another_s_cursor_is_refused_at_once(fleet: Fleet) -> None:
    """What is no cursor of the reader's is refused before anybody waits."""
    other = fleet.node.events.begin(fleet.ada)
    for cursor in ("x", other):
        with pytest.raises(InvalidInput, match="no cursor of yours"):
            fleet.node.events.follow(fleet.bob, cursor)
