"""Events: each reader learns what changed for it, with cursors that tell nothing else."""

from __future__ import annotations

import base64
import re
from pathlib import Path

import pytest

from agent_memory_os import settings, wiring
from agent_memory_os.errors import InvalidInput
from agent_memory_os.model.memory import Memory
from agent_memory_os.model.principal import Principal
from agent_memory_os.model.recall import Filter
from agent_memory_os.service.events import AUDIENCE, GONE, MAX_EVENTS, MEMORY, Event
from agent_memory_os.service.upkeep import AuditFilter
from tests.store.sample import OPERATOR, Fleet


class Following:
    """A reader that asks again and again with the cursor of the last answer."""

    def __init__(self, fleet: Fleet, reader: Principal) -> None:
        self._events = fleet.node.events
        self._reader = reader
        self.cursor = self._events.begin(reader)

    def news(self) -> list[Event]:
        """Return what happened since the last time."""
        found, self.cursor = self._events.since(self._reader, self.cursor)
        return list(found)


def here(memory: Memory, version: int = 1) -> Event:
    """Return the event of a memory that is there."""
    return Event(MEMORY, memory.id, version)


def gone(memory: Memory) -> Event:
    """Return the event of a memory that is gone."""
    return Event(GONE, memory.id)


@pytest.fixture
def bob(fleet: Fleet) -> Following:
    """Give Bob, who is in the team apollo and its project with Ada."""
    return Following(fleet, fleet.bob)


def test_what_is_added_edited_and_forgotten_is_told(fleet: Fleet, bob: Following) -> None:
    """A reader learns of a memory that reaches it, of each version, and that it is gone."""
    kept = fleet.remember("Deploys are on Tuesdays.", "team:apollo")
    assert bob.news() == [here(kept)]
    fleet.node.memories.edit(fleet.ada, kept.id, {"content": "Deploys are on Fridays."})
    assert bob.news() == [here(kept, 2)]
    assert bob.news() == []
    fleet.node.memories.forget(fleet.ada, kept.id)
    assert bob.news() == [gone(kept)]
    fleet.node.memories.bring_back(fleet.ada, kept.id)
    assert bob.news() == [here(kept, 2)]
    fleet.node.memories.erase(fleet.ada, [kept.id])
    assert bob.news() == [gone(kept)]


def test_much_that_happened_to_one_memory_is_one_event(fleet: Fleet, bob: Following) -> None:
    """Whoever asks late learns how a memory is now, once, and of one that came and went nothing."""
    kept = fleet.remember("one", "team:apollo")
    for text in ("two", "three"):
        fleet.node.memories.edit(fleet.ada, kept.id, {"content": text})
    other = fleet.remember("other", "global")
    assert bob.news() == [here(kept, 3), here(other)]


def test_what_does_not_reach_a_reader_is_no_event(fleet: Fleet, bob: Following) -> None:
    """Nothing is told of private memories, of shares with others, of links, of other groups."""
    private = fleet.remember("private")
    kept = fleet.remember("shared", "team:apollo")
    assert bob.news() == [here(kept)]
    memories = fleet.node.memories
    memories.edit(fleet.ada, private.id, {"content": "still private"})
    memories.share(fleet.ada, private.id, "agent:eve")
    memories.share(fleet.ada, kept.id, "agent:eve")
    memories.revoke(fleet.ada, kept.id, "agent:eve")
    memories.link(fleet.ada, kept.id, private.id, "related_to", 500)
    fleet.node.organisation.add_team("other")
    fleet.node.organisation.join("eve", "team:other")
    assert bob.news() == []
    memories.share(fleet.ada, kept.id, "project:apollo/site")
    assert bob.news() == [here(kept)]


def test_a_share_with_a_group_of_others_is_no_event(fleet: Fleet, bob: Following) -> None:
    """That a memory is shared with one more team, which logs it again, is only its owner's."""
    fleet.node.organisation.add_team("other")
    fleet.node.organisation.join("ada", "team:other")
    ada = Following(fleet, fleet.ada)
    kept = fleet.remember("shared", "team:apollo")
    assert bob.news() == [here(kept)]
    assert ada.news() == [here(kept)]
    fleet.node.memories.share(fleet.ada, kept.id, "team:other")
    assert bob.news() == []
    assert ada.news() == [here(kept)]


def test_what_was_not_readable_is_not_told_to_be_gone(fleet: Fleet, bob: Following) -> None:
    """That a memory is forgotten is told to those who could read it until then, and nobody else."""
    kept = fleet.remember("shared", "team:apollo")
    fleet.node.memories.revoke(fleet.ada, kept.id)
    bob.news()
    fleet.node.memories.forget(fleet.ada, kept.id)
    assert bob.news() == []
    eve = Following(fleet, fleet.eve)
    private = fleet.remember("private")
    fleet.node.memories.erase(fleet.ada, [private.id])
    assert (bob.news(), eve.news()) == ([], [])


def test_what_comes_back_to_others_alone_is_no_event(fleet: Fleet, bob: Following) -> None:
    """A memory that was told to be gone, and comes back without the reader, is not told again."""
    memories, organisation = fleet.node.memories, fleet.node.organisation
    for audience in ("team:apollo", "team:apollo, project:apollo/site"):
        kept = fleet.remember(f"shared with {audience}", audience)
        memories.forget(fleet.ada, kept.id)
        bob.news()
        organisation.leave("ada", "team:apollo")
        memories.bring_back(fleet.ada, kept.id)
        assert bob.news() == []
        memories.edit(fleet.ada, kept.id, {"content": "none of Bob's business"})
        assert bob.news() == []
        organisation.join("ada", "team:apollo")
        organisation.join("ada", "project:apollo/site")


def test_what_was_forgotten_already_is_erased_in_silence(fleet: Fleet, bob: Following) -> None:
    """A memory that was told to be gone is not told of when its days of undo end, or before."""
    kept = fleet.remember("shared", "team:apollo")
    fleet.node.memories.forget(fleet.ada, kept.id)
    assert bob.news() == [gone(kept)]
    fleet.node.memories.erase(fleet.ada, [kept.id])
    assert bob.news() == []


def test_a_revoked_share_is_told_where_nothing_else_lets_one_read(
    fleet: Fleet, bob: Following
) -> None:
    """A memory is gone once the last share with the reader ended."""
    kept = fleet.remember("shared", "team:apollo, agent:bob")
    bob.news()
    fleet.node.memories.revoke(fleet.ada, kept.id, "team:apollo")
    assert bob.news() == [here(kept)]
    fleet.node.memories.revoke(fleet.ada, kept.id, "agent:bob")
    assert bob.news() == [gone(kept)]


def test_a_membership_is_told_as_one(fleet: Fleet, bob: Following) -> None:
    """Who joins, leaves, or whose group ends, is told to read again, and nothing more."""
    eve = Following(fleet, fleet.eve)
    organisation = fleet.node.organisation
    shared = fleet.remember("shared", "team:apollo")
    gone_before = fleet.remember("gone before", "team:apollo")
    fleet.node.memories.forget(fleet.ada, gone_before.id)
    organisation.join("eve", "team:apollo")
    assert set(eve.news()) == {Event(AUDIENCE), here(shared)}
    bob.news()
    organisation.leave("bob", "project:apollo/site")
    assert bob.news() == [Event(AUDIENCE)]
    organisation.remove_team("apollo")
    assert (bob.news(), eve.news()) == ([Event(AUDIENCE)], [Event(AUDIENCE)])
    organisation.remove_agent("bob")
    assert bob.news() == []


def test_the_operator_is_told_of_all_and_noted(fleet: Fleet) -> None:
    """The operator learns of every memory, and the audit of what it was told."""
    everything = Following(fleet, OPERATOR)
    assert everything.news() == []
    private = fleet.remember("private")
    assert everything.news() == [here(private)]
    fleet.node.memories.erase(fleet.ada, [private.id])
    assert everything.news() == [gone(private)]
    noted = fleet.node.upkeep.audit(OPERATOR, AuditFilter(action="events")).entries
    assert [(entry.actor, entry.object, entry.detail) for entry in noted] == [
        ("operator", "", "")
    ] * 2


def test_events_come_in_portions(fleet: Fleet, bob: Following) -> None:
    """With a limit the rest comes with the next cursor, in the same order."""
    kept = [fleet.remember(f"number {n}", "global") for n in range(5)]
    events, cursor, told = fleet.node.events, bob.cursor, list[Event]()
    for _ in range(3):
        found, cursor = events.since(fleet.bob, cursor, 2)
        told += found
    assert told == [here(memory) for memory in kept]
    assert events.since(fleet.bob, cursor, 2)[0] == ()
    for limit in (0, MAX_EVENTS + 1, True, "2"):
        with pytest.raises(InvalidInput, match="limit"):
            events.since(fleet.bob, cursor, limit)  # type: ignore[arg-type]


def test_a_cursor_tells_nothing(fleet: Fleet, bob: Following) -> None:
    """A cursor is as long after much that is hidden as after nothing, and no two are alike."""
    before = bob.cursor
    fleet.fill(3)
    fleet.node.memories.forget_owner(OPERATOR, "ada")
    bob.news()
    assert len(bob.cursor) == len(before)
    assert bob.cursor != before
    assert re.fullmatch(r"[\w-]+", bob.cursor)


def test_a_cursor_holds_no_number_in_the_clear(fleet: Fleet) -> None:
    """Two cursors of one place have nothing in common but when they were made."""
    made = 9  # bytes: the form, and the second
    cursors = [fleet.node.events.begin(fleet.bob) for _ in range(2)]
    one, two = (base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)) for cursor in cursors)
    alike = [a == b for a, b in zip(one[made:], two[made:], strict=True)]
    assert sum(alike) < len(alike) / 4


@pytest.mark.parametrize("cursor", ["", "x", "0", "gAAAA", "é", "a" * 5000, "\ud800", "=" * 120])
def test_what_is_no_cursor_is_refused(fleet: Fleet, cursor: str) -> None:
    """Only what the node itself gave to this reader is a cursor."""
    with pytest.raises(InvalidInput, match="no cursor of yours"):
        fleet.node.events.since(fleet.bob, cursor)


def test_a_cursor_is_its_reader_s_own(fleet: Fleet, bob: Following) -> None:
    """Another reader's cursor is none, nor is one that was changed."""
    for reader in (fleet.ada, OPERATOR, Principal.of_agent("bob")):
        with pytest.raises(InvalidInput):
            fleet.node.events.since(reader, bob.cursor)
    changed = bob.cursor[:40] + ("A" if bob.cursor[40] != "A" else "B") + bob.cursor[41:]
    with pytest.raises(InvalidInput):
        fleet.node.events.since(fleet.bob, changed)


def test_a_cursor_outlives_the_process(fleet: Fleet, bob: Following) -> None:
    """A cursor holds for whoever opens the home the next time."""
    kept = fleet.remember("shared", "global")
    again = type(fleet.node)(fleet.node.context, "", ())
    assert again.events.since(fleet.bob, bob.cursor)[0] == (here(kept),)


def test_after_a_restore_all_is_read_again(fleet: Fleet, bob: Following, tmp_path: Path) -> None:
    """Where the node's past changed, a reader is told to read again what it holds."""
    fleet.node.upkeep.backup(str(tmp_path / "b.db"))
    fleet.remember("lost by the restore", "global")
    bob.news()
    fleet.node.close()
    wiring.restore(settings.Settings(str(fleet.home), None), str(tmp_path / "b.db"), force=True)
    assert bob.news() == [Event(AUDIENCE)]
    assert bob.news() == []
    assert fleet.node.memories.list(fleet.bob, Filter()).memories == ()
