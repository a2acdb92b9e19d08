"""What a store keeps, and how far a peer was served."""

from __future__ import annotations

from agent_memory_os.model import register as group
from agent_memory_os.model.authority.held import Held
from agent_memory_os.model.routing.cursor import Cursor, chunk, queued, start
from agent_memory_os.model.routing.slot import displaced, pinned, slot_of
from tests.model.judging import TEAM_SCOPE, Small


def test_a_version_for_each_device_and_add() -> None:
    """Versions of one device under one add share a slot; an entry of a log has none."""
    small = Small()
    names = [
        small.say("bob", "a", TEAM_SCOPE, "ab" * 32),
        small.say("bob", "b", TEAM_SCOPE, "ab" * 32),
        small.say("bob", "c"),
        small.say("bob", "d", device=1),
    ]
    slots = [slot_of(small.registers[name]) for name in names]
    assert slots[0] == slots[1]
    assert len(set(slots)) == 3
    assert slot_of(small.registers[small.team()]) is None
    unknown = small.registers[names[0]]._replace(group="mood")
    assert slot_of(unknown) is None


def test_the_newest_and_what_is_listed_are_kept() -> None:
    """Older versions of a slot are not kept, but where a list names them."""
    small = Small()
    names = [small.say("bob", text) for text in "abc"]
    versions = [(name, small.registers[name]) for name in reversed(names)]
    assert displaced(versions, frozenset()) == names[:2]
    pins = pinned({"x": small.keep("global", names[0])})
    assert displaced(versions, pins) == names[1:2]
    assert displaced([], pins) == []


def test_a_cursor_counts_for_its_index_and_frame() -> None:
    """A restored index, another frame, and no cursor start anew."""
    cursor = Cursor("index", "token", 7)
    assert start(cursor, "index", "token") == 7
    assert start(cursor, "other", "token") == start(cursor, "index", "other") == 0
    assert start(None, "index", "token") == 0


def test_a_chunk_is_the_oldest_after_a_number() -> None:
    """Chunks follow each other without a gap, whatever order the records are in."""
    numbered = [(3, "c"), (1, "a"), (2, "b")]
    assert chunk(numbered, 0, 2) == [(1, "a"), (2, "b")]
    assert chunk(numbered, 2, 2) == [(3, "c")]
    assert chunk(numbered, 3, 2) == []


def test_a_grant_takes_its_record_along() -> None:
    """All of a record is queued again with a grant, what takes away first; else nothing is."""
    small = Small()
    said, grant = small.say("bob", "a", "global"), small.grant("bob", "global")
    revoked = small.grant("bob", "global", length=2)
    held = Held(small.registers)
    found = queued(held, small.registers[grant])
    assert found[0] == revoked
    assert set(found) == {said, grant, revoked}
    assert queued(held, small.registers[said]) == []
    assert held.groups(small.memory("bob")[0], group.GRANT) == [group.GRANT + "global"]
