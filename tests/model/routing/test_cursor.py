"""How far a peer was served, and in what order."""

from __future__ import annotations

from agent_memory_os.model import register as group
from agent_memory_os.model.authority import kept, write
from agent_memory_os.model.routing.cursor import (
    Cursor,
    anew,
    chunk,
    has_frame,
    is_known,
    order,
    start,
    state,
)
from tests.model.judging import ACCOUNTS, AGENTS, PROJECT_SCOPE, TEAM, TEAM_SCOPE, Small

ANN, BOB = ACCOUNTS["ann"], ACCOUNTS["bob"]
TO_BOB = f"agent:{AGENTS['bob']}"


def test_a_cursor_counts_for_its_index() -> None:
    """A restored index, and no cursor, start anew; another frame has the frame alone go again."""
    cursor = Cursor("index", "token", 7)
    assert start(cursor, "index") == 7
    assert start(cursor, "other") == start(None, "index") == 0
    assert has_frame(cursor, "index", "token")
    assert not has_frame(cursor, "index", "other")
    assert not has_frame(cursor, "other", "token")
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


def test_who_joins_asks_anew() -> None:
    """A scope that one's agents come into is asked for anew, and one that they are in is not."""
    small = Small()
    small.team()
    before = small.view()
    add = small.member("add")
    joined = small.view()
    scopes = [TEAM_SCOPE, PROJECT_SCOPE, TO_BOB]
    assert anew(scopes, before, joined, BOB, {}) == [TEAM_SCOPE]
    assert anew(scopes, before, joined, ANN, {}) == anew(scopes, joined, joined, BOB, {}) == []
    small.insider("add", under=add)
    inside = small.view()
    assert anew(scopes, joined, inside, BOB, {}) == [PROJECT_SCOPE]
    small.member("remove")
    assert anew(scopes, inside, small.view(), BOB, {}) == []


def test_a_narrowing_that_ends_has_its_scope_asked_for_anew() -> None:
    """One that was believed without the list of a hand-over counts no more once that is here."""
    small = Small()
    small.team()
    lists = tuple(write.remaining(small.view(), TEAM))
    small.chart(group.TEAM_ADMIN, {"to": BOB, "by": "admin", "turn": 0}, lists=lists)
    record = {"record": kept.place_of(small.memory("ann")[0]), "length": 2}
    small.chart(group.TEAM_NARROW, record)
    known = dict(small.lists)
    small.lists.clear()
    believed = small.view()
    small.lists.update(known)
    assert anew([TEAM_SCOPE, TO_BOB], believed, small.view(), BOB, small.registers) == [TEAM_SCOPE]
    assert anew([TEAM_SCOPE], small.view(), believed, BOB, small.registers) == []


def test_a_list_that_names_what_is_not_here_has_its_scope_asked_for_anew() -> None:
    """So where a newer version had taken the place; the list of a device is of all scopes."""
    small = Small()
    before, said = small.view(), small.say("bob", "a")
    small.lists["ab" * 32] = small.keep(TEAM_SCOPE, said)
    after, scopes = small.view(), [TEAM_SCOPE, TO_BOB]
    assert anew(scopes, before, after, ANN, {}) == [TEAM_SCOPE]
    assert anew(scopes, before, after, ANN, {said}) == []
    small.lists["cd" * 32] = small.keep(BOB, said)
    assert anew(scopes, after, small.view(), ANN, {}) == scopes
