"""How far a peer was served, and in what order."""

from __future__ import annotations

from agent_memory_os.model.routing.cursor import Cursor, chunk, has_frame, is_known, order, start, state
from tests.model.judging import TEAM_SCOPE, Small


def test_a_cursor_counts_for_its_index_and_frame() -> None:
    """A restored index and no cursor start anew; another frame is sent, and no record again."""
    cursor = Cursor("index", "token", 7)
    assert start(cursor, "index") == 7
    assert start(cursor, "other") == start(None, "index") == 0
    assert has_frame(cursor, "index", "token")
    assert not has_frame(cursor, "index", "other")
    assert not has_frame(None, "index", "token")


def test_a_chunk_is_the_oldest_after_a_number() -> None:
    """Chunks follow each other without a gap, whatever order the records are in."""
    numbered = [(3, "c"), (1, "a"), (2, "b")]
    assert chunk(numbered, 0, 2) == [(1, "a"), (2, "b")]
    assert chunk(numbered, 2, 2) == [(3, "c")]
    assert chunk(numbered, 3, 2) == []


def test_endings_go_first_and_contents_last() -> None:
    """What ends something, then grants and lives, then what they are about."""
    small = Small()
    named = [
        small.say("bob", "a", "global"),
        small.grant("bob", "global"),
        small.end("bob", 3),
        small.grant("bob", "global", length=2),
        small.end("bob"),
        small.link("bob", 300, TEAM_SCOPE, "ab" * 32),
        small.link("bob", 0),
        small.team(),
    ]
    assert [order(small.registers[name]) for name in named] == [2, 1, 1, 0, 0, 2, 0, 1]


def test_a_record_goes_back_to_nobody_who_brought_all_of_it() -> None:
    """Where a part came from elsewhere, or was written here or taken back, it goes whole."""
    small = Small()
    said, grant = (
        small.registers[name]
        for name in (small.say("bob", "a", "global"), small.grant("bob", "global"))
    )
    peer = ("device", "state")
    assert is_known([(peer, said), (peer, grant)], peer)
    assert not is_known([(peer, said), (None, grant)], peer)
    assert not is_known([(peer, said), (("device", "another state"), grant)], peer)
    revoked = small.registers[small.grant("bob", "global", length=2)]
    assert not is_known([(peer, said), (peer, revoked)], peer)


def test_a_state_changes_with_the_index_and_the_organisation() -> None:
    """What is written about memories changes nothing of it; a register or list of a team does."""
    small = Small()
    first = state(small.view(), "index")
    small.say("bob", "a")
    assert state(small.view(), "index") == first != state(small.view(), "other")
    small.team()
    second = state(small.view(), "index")
    small.lists["ab" * 32] = small.keep(TEAM_SCOPE)
    assert len({first, second, state(small.view(), "index")}) == 3
