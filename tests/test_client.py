"""The SDK on a real home: the methods that people know, and what they promise."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import agent_memory_os
from agent_memory_os import MemoryClient
from agent_memory_os.errors import (
    InvalidInput,
    KeyReused,
    NotAllowed,
    NotFound,
    UnknownAudience,
    UnknownName,
)
from agent_memory_os.model.recall import Filter
from tests.api.served import serving

Sdk = Callable[..., MemoryClient]
"""Gives a client of one node for an agent."""


@pytest.fixture
def home(tmp_path: Path) -> str:
    """A folder for a node that is not there yet."""
    return str(tmp_path / "home")


@pytest.fixture(params=["here", "served"])
def sdk(request: pytest.FixtureRequest, home: str) -> Iterator[Sdk]:
    """Clients of a node on this machine, and of one that is served, with the operator's key."""
    if request.param == "here":
        yield lambda agent, **more: MemoryClient(home, agent=agent, **more)
        return
    with serving() as node:
        url, key = node.url, node.keys["operator"]
        yield lambda agent, **more: MemoryClient(url=url, key=key, agent=agent, **more)


def test_public_names_are_fetched_when_asked_for() -> None:
    """Every name in ``__all__`` is there, and an unknown one is an AttributeError."""
    for name in agent_memory_os.__all__:
        assert getattr(agent_memory_os, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        agent_memory_os.Nothing  # noqa: B018 - asking is the test


def test_what_is_added_is_found(sdk: Sdk) -> None:
    """A memory is found by its words, packed for a prompt, and got by its id."""
    with sdk("planner") as client:
        memory = client.add("Deploys go out on Tuesdays.", type="procedure", tags=["ship"]).memory
        assert [hit.memory.id for hit in client.search("when do we deploy?")] == [memory.id]
        assert "Tuesdays" in client.context_pack("deploy")
        assert client.get(memory.id) == memory
        assert client.get(memory.id[:16]) == memory
        assert client.list(types=("procedure",)).memories == (memory,)
        assert client.list(tags=("other",)).memories == ()


def test_nothing_found_is_an_answer(sdk: Sdk) -> None:
    """A question without a match gives no hits and an empty pack."""
    with sdk("planner") as client:
        client.add("Deploys go out on Tuesdays.")
        assert client.search("zebra") == ()
        assert client.context_pack("zebra") == ""


def test_an_agent_sees_only_what_it_may(sdk: Sdk) -> None:
    """A private memory is the owner's alone; sharing and revoking take effect at once."""
    owner = sdk("planner")
    reader = sdk("coder")
    memory = owner.add("The canary code is 7731.").memory
    assert reader.search("canary") == ()
    owner.share(memory.id, "agent:coder")
    assert [hit.memory.id for hit in reader.search("canary")] == [memory.id]
    with pytest.raises(NotAllowed, match="Only planner"):
        reader.update(memory.id, content="mine now")
    owner.revoke(memory.id)
    assert reader.search("canary") == ()
    with pytest.raises(NotFound):
        reader.get(memory.id)


def test_a_program_is_given_no_number_of_the_file(home: str) -> None:
    """No row number is in anything that the SDK gives: its gaps would count what others have."""
    with MemoryClient(home, agent="hermit") as hermit:
        hermit.add("First of all.")
        with closing(sqlite3.connect(Path(home) / "node.db")) as sqlite:
            sqlite.execute("UPDATE memories SET rowid = 7654321")
            sqlite.commit()
    with MemoryClient(home, agent="planner") as client:
        added = [client.add("Deploys go out on Tuesdays.", key="one")]
        added += [client.add("Deploys go out on Tuesdays.", key="one"), client.add("Or Fridays.")]
        added += client.add_many([{"content": "Deploys"}, {"content": "Deploys"}])
        one, other = added[0].memory.id, added[2].memory.id
        given: list[object] = [*added, client.update(one, content="Deploys: Tuesdays.")]
        given += [client.share(one, "global"), client.revoke(one), client.pin(one)]
        given += [client.link(one, other), client.supersede(other, one), client.links(one)]
        given += [client.search("deploys"), client.pack("deploys"), client.get(one)]
        given += [client.list(), client.list(limit=1), client.timeline(one), client.timeline(0)]
        given += [client.history(one), client.as_of(one, added[0].memory.content.created_at)]
        client.forget(other)
        given.append(client.bring_back(other))
        with closing(sqlite3.connect(Path(home) / "node.db")) as sqlite:
            rows = sqlite.execute("SELECT rowid FROM memories").fetchall()
        assert all(str(row).startswith("76543") for (row,) in rows)
        assert "76543" not in repr(given)


def test_an_agent_reads_its_own_part_of_the_audit(sdk: Sdk) -> None:
    """What it erased itself is told to it, page by page, and to no other agent."""
    with sdk("planner") as client:
        gone = [client.add(f"note {number}").memory.id for number in range(2)]
        for memory_id in gone:
            client.forget(memory_id, erase=True)
        page = client.audit(limit=1, action="erase")
        rest = client.audit(cursor=page.following, action="erase")
        assert [entry.object for entry in (*page.entries, *rest.entries)] == gone[::-1]
        with pytest.raises(InvalidInput, match="no option 'owner'"):
            client.audit(owner="planner")
    with sdk("coder") as other:
        assert other.audit().entries == ()


def test_the_names_of_other_systems(sdk: Sdk) -> None:
    """What is known under another name is there under it, and does the same."""
    with sdk("planner") as client:
        memory = client.record("Deploys go out on Tuesdays.", type="fact").memory
        assert [hit.memory.id for hit in client.recall("deploys")] == [memory.id]
        assert (
            client.context("deploys", max_tokens=200) == client.pack("deploys", max_tokens=200).text
        )
        assert client.context_pack("deploys", types="note") == ""
        assert client.edit(memory.id, content="Deploys go out on Mondays.").memory.version == 2
        assert client.share_memory(memory.id, "global").memory.audience == ("global",)
        assert client.revoke_share(memory.id).memory.audience == ()
        client.delete(memory.id)
        assert client.list().memories == ()
        with pytest.raises(InvalidInput, match="no option 'user_id'"):
            client.recall("deploys", user_id="sam")


def test_a_timeline_has_a_window(sdk: Sdk) -> None:
    """Nothing further away than so many seconds is shown, also where a filter leaves more open."""
    with sdk("planner") as client:
        days = [
            client.add(f"day {day}", event_at=day * 86_400_000).memory.id for day in (1, 2, 3, 9)
        ]

        def told(window: float, **narrow: Any) -> list[str]:  # noqa: ANN401
            moments = client.timeline(days[1], window_seconds=window, time_field="event", **narrow)
            return [moment.memory.text for moment in moments]

        assert told(0) == ["day 2"]
        assert told(86_400) == ["day 1", "day 2", "day 3"]
        assert told(86_400, since=86_400_001) == ["day 2", "day 3"]
        assert told(86_400, until=86_400_001) == ["day 1"]
        assert len(told(1e9)) == 4
        for window in (-1, "1h", float("inf"), 1e40):
            with pytest.raises(InvalidInput, match="A window is"):
                told(window)  # type: ignore[arg-type]
        with pytest.raises(InvalidInput, match="A window is"):
            client.node.memories.timeline(client.principal, 0, Filter(), 9, -1)


def test_files_come_in_and_go_out(sdk: Sdk, tmp_path: Path) -> None:
    """A file is imported for the client's agent, counted, and what it may read goes out again."""
    notes = tmp_path / "CLAUDE.md"
    notes.write_text("- Run the tests\n- Read the page\n", encoding="utf-8")
    with sdk("planner") as client:
        assert client.import_path(str(notes), dry_run=True).added == 2
        assert client.import_path(str(notes), share="agent:planner").added == 2
        assert client.import_path(str(notes), form="markdown", share="agent:planner").known == 2
        assert (client.stats().shown, client.stats().owners) == (2, (("planner", 2),))
        out = tmp_path / "out.jsonl"
        out.write_text("".join(client.export()), encoding="utf-8")
    with MemoryClient(str(tmp_path / "other"), agent="planner") as other:
        assert other.import_path(str(out)).added == 2
    with sdk("coder") as reader:
        assert sum(1 for _ in reader.export()) == 1


def test_the_same_again_is_the_same_memory(sdk: Sdk) -> None:
    """An exact repetition comes back as the memory that is there, and says so."""
    with sdk("planner") as client:
        first = client.add("Use uv.")
        again = client.add("Use uv.")
        assert first.is_changed
        assert not again.is_changed
        assert again.memory.id == first.memory.id
        assert again.notes


def test_a_key_names_one_memory(sdk: Sdk) -> None:
    """A key leads to one memory, and another content under it is refused."""
    with sdk("planner") as client:
        first = client.add("Use uv.", key="k1").memory
        assert client.add("Use uv.", key="k1").memory.id == first.id
        with pytest.raises(KeyReused):
            client.add("Use pip.", key="k1")


def test_many_are_added_at_once(sdk: Sdk) -> None:
    """A batch gives an outcome for each item, in order."""
    with sdk("planner") as client:
        outcomes = list(client.add_many({"content": f"note {n}"} for n in range(450)))
        assert [outcome.memory.text for outcome in outcomes] == [f"note {n}" for n in range(450)]


def test_versions_are_kept(sdk: Sdk) -> None:
    """An edit keeps the earlier version, and the past can be asked for."""
    with sdk("planner") as client:
        memory = client.add("Port is 8000.").memory
        client.update(memory.id, content="Port is 9000.", reason="moved")
        old, new = client.history(memory.id)
        assert (old.content.content, new.content.content) == ("Port is 8000.", "Port is 9000.")
        assert new.content.reason == "moved"
        assert client.as_of(memory.id, old.since).content.content == "Port is 8000."


def test_forgotten_comes_back_and_erased_does_not(sdk: Sdk) -> None:
    """Forgetting can be undone; erasing cannot."""
    with sdk("planner") as client:
        memory = client.add("A passing thought.").memory
        client.forget(memory.id)
        assert client.search("passing thought") == ()
        client.bring_back(memory.id)
        assert len(client.search("passing thought")) == 1
        client.forget(memory.id, erase=True)
        with pytest.raises(NotFound):
            client.bring_back(memory.id)


def test_links_and_timeline(sdk: Sdk) -> None:
    """Memories are linked, superseded, pinned and seen in time."""
    with sdk("planner") as client:
        old = client.add("Port is 8000.").memory
        new = client.add("Port is 9000.").memory
        client.link(new.id, old.id, "derived_from", 0.7)
        assert [link.relation for link in client.links(old.id)] == ["derived_from"]
        client.unlink(new.id, old.id, "derived_from")
        client.supersede(old.id, new.id)
        assert next(hit.memory.id for hit in client.search("port")) == new.id
        assert client.pin(new.id).memory.content.pinned
        assert [moment.memory.id for moment in client.timeline(old.id)] == [old.id, new.id]


@pytest.mark.parametrize(
    ("fields", "error", "words"),
    [
        ({"content": ""}, InvalidInput, "empty"),
        ({"content": 7}, InvalidInput, "text"),
        ({"content": "x", "colour": "red"}, InvalidInput, "no field 'colour'"),
        ({"content": "x", "importance": "high"}, InvalidInput, "number"),
        ({"content": "x", "importance": 2}, InvalidInput, "between 0 and 1"),
        ({"content": "x", "type": "rumour"}, InvalidInput, "no type 'rumour'"),
        ({"content": "x", "share": "globl"}, UnknownAudience, "globl"),
        ({"content": "x", "share": "team:ghost"}, UnknownAudience, "ghost"),
    ],
)
def test_bad_input_gets_a_sentence(
    sdk: Sdk, fields: dict[str, object], error: type[Exception], words: str
) -> None:
    """A wrong field is refused with words that name it, and nothing is stored."""
    with sdk("planner") as client:
        with pytest.raises(error, match=words):
            client.add(**fields)  # type: ignore[arg-type]
        assert client.list().memories == ()


def test_unknown_options_and_agents_are_refused(sdk: Sdk) -> None:
    """A search has no unknown options, and an agent is not made where that is not wanted."""
    client = sdk("planner")
    with pytest.raises(InvalidInput, match="no option 'team'"):
        client.search("x", team="apollo")
    with pytest.raises(InvalidInput, match="no option 'colour'"):
        client.list(colour="red")
    with pytest.raises(UnknownName, match="ghost"):
        sdk("ghost", create=False)


def test_a_client_serves_many_threads(sdk: Sdk) -> None:
    """Several threads write and read through one client, and nothing is lost."""
    client = sdk("planner")
    faults: list[Exception] = []

    def work(number: int) -> None:
        try:
            for item in range(10):
                client.add(f"thread {number} item {item}")
                client.search(f"item {item}")
        except Exception as error:  # noqa: BLE001 - handed to the test
            faults.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults
    assert len(client.list(limit=100).memories) == 60


def test_what_supersedes_is_shown_in_the_place_of_what_was_asked_in_old_words(sdk: Sdk) -> None:
    """A question in the words of a superseded memory is answered with the newest one first."""
    with sdk("planner") as client:
        first = client.add("The gateway listens on 8000.").memory
        second = client.add("Moved: it is 9000 these days.").memory
        third = client.add("Final: 9100.").memory
        client.supersede(first.id, second.id)
        client.supersede(second.id, third.id)
        found = [hit.memory.id for hit in client.search("where does the gateway listen")]
        assert found == [third.id, second.id, first.id]
        assert "9100" in client.context_pack("gateway")
        assert "8000" not in client.context_pack("gateway")
        assert "8000" in client.pack("gateway", superseded=True).text


def test_a_date_in_the_question_finds_what_happened_then(sdk: Sdk) -> None:
    """A question that only names a date finds the memories of that date."""
    with sdk("planner") as client:
        spring = client.add("The oven broke.", event_at=1_746_662_400_000).memory
        client.add("The roof leaked.", event_at=1_757_000_000_000)
        found = [hit.memory.id for hit in client.search("what was on 8 May 2025?")]
        assert found == [spring.id]


def test_a_pack_counts_as_it_is_told(sdk: Sdk) -> None:
    """An exact counter of tokens decides what a pack holds."""
    with sdk("planner") as client:
        client.add("Deploys go out on Tuesdays.")
        made = client.pack("deploy", max_tokens=400, counter=len)
        assert made.tokens == len(made.text) <= 400
