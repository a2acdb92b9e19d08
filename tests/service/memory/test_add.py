"""Adding: cleaned, masked, checked, and the same again is what is there already."""

from __future__ import annotations

import itertools
import subprocess
import sys
import threading
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory_os.errors import (
    AgentMemoryError,
    Forgotten,
    InvalidInput,
    KeyReused,
    TooLarge,
    UnknownName,
)
from agent_memory_os.model.memory import MAX_SOURCE_DEPTH, Content, from_value, to_value
from agent_memory_os.model.principal import Principal
from agent_memory_os.model.recall import Filter
from agent_memory_os.service.memory.add import NewMemory, content_of
from tests.store.sample import OPERATOR, ROOT, Fleet, open_home

NOW = 1_780_000_000_000
KEY_LIKE = "ghp_" + "a1B2" * 9


def count(fleet: Fleet) -> int:
    """Return how many memories Ada has."""
    return len(fleet.node.memories.list(fleet.ada, Filter(state="all"), 1000).memories)


def test_a_memory_is_kept_as_it_was_written(fleet: Fleet) -> None:
    """Every field comes back, for its owner, with the audience and without a note."""
    new = NewMemory(
        "  The gateway\n\tlistens on 8443.  ",
        type="fact",
        summary="a port",
        tags=("ops", "net", "ops"),
        source={"file": "notes.md", "line": 3, "weight": 0.5, "whole": 2.0, "deep": [{"a": None}]},
        author="Anna",
        session="s1",
        position=4,
        event_at=0,
        confidence=950,
        importance=0,
        pinned=True,
        valid_from=-5,
        valid_to=2**47,
        expires_at=2**47,
        half_life_days=0,
    )
    outcome = fleet.node.memories.add(fleet.ada, new, "team:apollo, agent:eve")
    memory = fleet.node.memories.get(fleet.ada, outcome.memory.id)
    assert memory == outcome.memory
    assert (outcome.is_changed, outcome.notes) == (True, ())
    assert memory.content._replace(created_at=0, updated_at=0) == Content(
        content="  The gateway\n\tlistens on 8443.  ",
        created_at=0,
        updated_at=0,
        type="fact",
        summary="a port",
        tags=("ops", "net"),
        source={
            "file": "notes.md",
            "line": 3,
            "weight": "0.5",
            "whole": 2,
            "deep": [{"a": None}],
        },
        author="Anna",
        session="s1",
        position=4,
        event_at=0,
        confidence=950,
        importance=0,
        pinned=True,
        valid_from=-5,
        valid_to=2**47,
        expires_at=2**47,
        half_life_days=0,
    )
    assert set(memory.audience) == {"team:apollo", "agent:eve"}
    assert (memory.owner_name, memory.state, memory.version) == ("ada", "active", 1)


@given(st.text(min_size=1, max_size=60))
def test_any_text_is_stored_or_refused(text: str) -> None:
    """What cannot be stored in a text is marked, all else is kept; only the empty is refused."""
    try:
        content, _ = content_of(NewMemory(text, allow_secrets=True), NOW)
    except InvalidInput:
        assert not text.strip()
        return
    changed = {"\0"} | {chr(code) for code in range(0xD800, 0xE000)}
    kept = "".join("\ufffd" if one in changed else one for one in text)
    assert content.content == kept
    assert from_value(to_value(content)) == (content, {})


@pytest.mark.parametrize("place", ["content", "summary", "tags", "author", "session", "source"])
def test_secrets_are_masked_wherever_they_stand(fleet: Fleet, place: str) -> None:
    """A key in any field is masked, a note says so, and the field keeps its other words."""
    value: Any = f"use {KEY_LIKE} here"
    given: dict[str, Any] = {"content": "plain"}
    given[place] = {"source": {"a": [value]}, "tags": (value,)}.get(place, value)
    outcome = fleet.node.memories.add(fleet.ada, NewMemory(**given))
    assert KEY_LIKE not in repr(outcome.memory)
    assert "here" in repr(outcome.memory)
    assert "looks like a secret" in outcome.notes[0]
    kept = NewMemory(**{**given, "content": "asked for"}, allow_secrets=True)
    if place != "content":
        assert KEY_LIKE in repr(fleet.node.memories.add(fleet.ada, kept).memory)


def test_a_source_that_is_nested_without_end_is_refused(fleet: Fleet) -> None:
    """However deep a source is, it is taken or refused in words."""
    source: dict[str, object] = {}
    for _ in range(MAX_SOURCE_DEPTH - 1):
        source = {"a": source}
    assert fleet.remember("deep enough", source=source).content.source == source
    endless: list[object] = []
    for _ in range(100_000):
        endless = [endless]
    for value in ({"a": source}, {"a": endless}):
        with pytest.raises(InvalidInput, match="nested at most 32"):
            fleet.remember("too deep", source=value)
    with pytest.raises(TooLarge, match="A source"):
        fleet.remember("too much", source={"a": "x" * 70_000})
    wide: tuple[object, ...] = ([[]] * 40_000, {str(n): [n] for n in range(20_000)})
    for many in wide:
        with pytest.raises(TooLarge, match="A source"):
            fleet.remember("too many", source={"a": many})
    with pytest.raises(InvalidInput, match="holds JSON"):
        fleet.remember("no JSON", source={"a": object()})


def test_the_same_again_is_what_is_there(fleet: Fleet) -> None:
    """Forty adds of one memory leave one, and each but the first says so."""
    first = fleet.remember("the same", "team:apollo")
    for _ in range(39):
        outcome = fleet.node.memories.add(fleet.ada, NewMemory("the same"), "team:apollo")
        assert outcome.memory == first
        assert not outcome.is_changed
        assert outcome.notes == ("This is known already; nothing was added.",)
    assert count(fleet) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"content": "Use C++"}, {"content": "Use C#"}),
        ({"content": "load > 5"}, {"content": "load < 5"}),
        ({"content": "👍"}, {"content": "👎"}),
        ({"content": "x"}, {"content": "x "}),
        ({"content": "x"}, {"content": "X"}),
        ({"content": "é"}, {"content": "e\u0301"}),
        ({"content": "x"}, {"content": "x", "type": "fact"}),
        ({"content": "x"}, {"content": "x", "author": "Anna"}),
        ({"content": "x"}, {"content": "x", "session": "s"}),
        ({"content": "x", "position": 1}, {"content": "x", "position": 2}),
        ({"content": "x"}, {"content": "x", "event_at": 5}),
        ({"content": "x"}, {"content": "x", "valid_from": 5}),
        ({"content": "x"}, {"content": "x", "valid_to": 2**45}),
        ({"content": "x", "expires_at": 2**45}, {"content": "x"}),
        ({"content": "x", "author": "a\x1fb"}, {"content": "x", "author": "a", "session": "b"}),
    ],
)
def test_what_says_something_else_is_kept_apart(
    fleet: Fleet, one: dict[str, Any], other: dict[str, Any]
) -> None:
    """Another text, speaker, place, date or validity makes another memory, in either order."""
    for fields in (one, other, one, other):
        fleet.remember(fields["content"], **{k: v for k, v in fields.items() if k != "content"})
    assert count(fleet) == 2


@pytest.mark.parametrize(
    "fields",
    [
        {"tags": ("a",)},
        {"summary": "s"},
        {"source": {"file": "x"}},
        {"importance": 900},
        {"confidence": 1},
        {"pinned": True},
        {"half_life_days": 5},
    ],
)
def test_how_it_is_filed_makes_no_other_memory(fleet: Fleet, fields: dict[str, Any]) -> None:
    """Tags, a summary, weights, a pin and the source do not tell two memories apart."""
    first = fleet.remember("x")
    assert fleet.remember("x", **fields) == first


def test_audiences_and_owners_are_kept_apart(fleet: Fleet) -> None:
    """The same text, private and shared, of one agent and another, is as many memories."""
    audiences = ["private", "global", "team:apollo", "agent:eve", "team:apollo, agent:eve"]
    ids = set()
    for owner, audience in itertools.product((fleet.ada, fleet.bob), audiences):
        for _ in range(2):
            ids.add(fleet.node.memories.add(owner, NewMemory("x"), audience).memory.id)
    swapped = fleet.node.memories.add(fleet.ada, NewMemory("x"), "agent:eve, team:apollo")
    assert swapped.memory.id in ids
    assert len(ids) == 2 * len(audiences)


def test_what_was_forgotten_revoked_or_ended_is_said_anew(fleet: Fleet) -> None:
    """Only what is shown now, with the very audience, is there already."""
    first = fleet.remember("x", "team:apollo")
    fleet.node.memories.revoke(fleet.ada, first.id)
    second = fleet.remember("x", "team:apollo")
    assert second.id != first.id
    assert fleet.remember("x").id == first.id
    fleet.node.memories.forget(fleet.ada, second.id)
    assert fleet.remember("x", "team:apollo").id not in (first.id, second.id)
    ended = fleet.remember("y", expires_at=1)
    assert fleet.remember("y", expires_at=1).id != ended.id


def test_a_key_makes_an_add_idempotent(fleet: Fleet) -> None:
    """A key by one agent is one memory, whatever else is said, and another text is refused."""
    add, new = fleet.node.memories.add, NewMemory("x", key="k")
    first = add(fleet.ada, new, "team:apollo")
    again = add(fleet.ada, new._replace(type="fact", tags=("a",)))
    assert again.memory == first.memory
    assert not again.is_changed
    with pytest.raises(KeyReused, match="another content"):
        add(fleet.ada, new._replace(content="y"))
    other = add(fleet.bob, new)
    assert other.memory.id != first.memory.id
    plain = add(fleet.ada, NewMemory("x"), "team:apollo")
    assert plain.memory == first.memory


def test_a_key_survives_an_edit(fleet: Fleet) -> None:
    """A retry after an edit finds the memory that it made, and does not undo the edit."""
    add, new = fleet.node.memories.add, NewMemory("x", key="k")
    first = add(fleet.ada, new).memory
    fleet.node.memories.edit(fleet.ada, first.id, {"content": "y"})
    assert add(fleet.ada, new).memory.text == "y"
    with pytest.raises(KeyReused):
        add(fleet.ada, new._replace(content="y"))


def test_a_key_of_what_was_forgotten_says_so(fleet: Fleet) -> None:
    """A retry never brings back what was forgotten, and tells how to where that can be."""
    add, new = fleet.node.memories.add, NewMemory("x", key="k")
    first = add(fleet.ada, new).memory
    fleet.node.memories.forget(fleet.ada, first.id)
    with pytest.raises(Forgotten, match=first.id) as told:
        add(fleet.ada, new)
    assert (told.value.remedy, told.value.about) == ("undo", {"memory": first.id})
    fleet.node.memories.bring_back(fleet.ada, first.id)
    assert add(fleet.ada, new).memory.id == first.id
    fleet.node.memories.erase(fleet.ada, [first.id])
    with pytest.raises(Forgotten, match="for good"):
        add(fleet.ada, new)


@pytest.mark.parametrize("key", ["", "k"])
def test_forty_at_once_leave_one(fleet: Fleet, key: str) -> None:
    """Forty threads that add the same at once are all answered with one memory."""
    given: list[str] = []
    faults: list[AgentMemoryError] = []
    ready = threading.Barrier(40)

    def add() -> None:
        ready.wait()
        try:
            outcome = fleet.node.memories.add(fleet.ada, NewMemory("x", key=key), "team:apollo")
            given.append(outcome.memory.id)
        except AgentMemoryError as fault:
            faults.append(fault)

    threads = [threading.Thread(target=add) for _ in range(40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
    assert len(given) == 40
    assert len(set(given)) == 1
    assert count(fleet) == 1


def test_several_nodes_on_one_file_agree(fleet: Fleet) -> None:
    """Adds through nodes of their own, as of several processes, find what the others added."""
    nodes = [open_home(fleet.home) for _ in range(4)]
    ids = {node.memories.add(fleet.ada, NewMemory("x", key="k")).memory.id for node in nodes * 3}
    assert len(ids) == 1
    for node in nodes:
        node.close()


ADD = """
import sys
from agent_memory_os import MemoryClient
home, key = sys.argv[1:]
client = MemoryClient(home, agent="ada")
for _ in range(5):
    print(client.add("the same", share="team:apollo", key=key).memory.id)
"""


@pytest.mark.parametrize("key", ["", "k"])
def test_processes_at_once_leave_one(fleet: Fleet, key: str) -> None:
    """Six processes that add the same five times each are all answered with one memory."""
    command = [sys.executable, "-c", ADD, str(fleet.home), key]
    running = [
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) for _ in range(6)
    ]
    given = [process.communicate(timeout=120)[0].split() for process in running]
    assert [process.returncode for process in running] == [0] * 6
    assert [len(ids) for ids in given] == [5] * 6
    assert len({one for ids in given for one in ids}) == 1
    assert count(fleet) == 1


def test_a_client_that_goes_away_after_the_commit_may_ask_again(fleet: Fleet) -> None:
    """An add whose answer was lost is there, and the same again is answered with it."""
    stream = fleet.node.memories.add_many(
        fleet.ada, [(NewMemory(f"n{n}"), "private") for n in range(3)]
    )
    next(stream)
    del stream
    again = list(
        fleet.node.memories.add_many(fleet.ada, [(NewMemory(f"n{n}"), "private") for n in range(3)])
    )
    assert [outcome.is_changed for outcome in again] == [False] * 3


def test_many_are_added_in_order(fleet: Fleet) -> None:
    """A stream of more than one transaction gives each outcome in its place."""
    batch = [(NewMemory(f"number {number}"), "private") for number in range(450)]
    outcomes = list(fleet.node.memories.add_many(fleet.ada, iter(batch)))
    assert [o.memory.text for o in outcomes] == [new.content for new, _ in batch]
    assert list(fleet.node.memories.add_many(fleet.ada, [])) == []


def test_who_adds_is_an_agent_that_may_act(fleet: Fleet) -> None:
    """The operator says for whom, and nobody adds who is not in the fleet, or not any more."""
    with pytest.raises(InvalidInput, match="for an agent"):
        fleet.node.memories.add(OPERATOR, NewMemory("x"))
    fleet.node.organisation.remove_agent("eve")
    for stranger in (fleet.eve, Principal.of_agent("agt_x"), Principal.of_agent("")):
        with pytest.raises(UnknownName):
            fleet.node.memories.add(stranger, NewMemory("x"))
    assert fleet.ask("SELECT count(*) FROM memories") == [(0,)]


def test_a_hash_alone_makes_nothing_the_same(fleet: Fleet, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where two memories have one hash, they are compared field by field."""
    monkeypatch.setattr("agent_memory_os.store.memories.same_key", lambda *_: b"12345678")
    texts = ["one", "two", "one", "two"]
    ids = [fleet.remember(text).id for text in texts]
    assert len(set(ids)) == 2
    assert ids[:2] == ids[2:]
