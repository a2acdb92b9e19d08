"""What a store keeps of the versions of a register."""

from __future__ import annotations

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
