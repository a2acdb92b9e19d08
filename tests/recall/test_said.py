"""A question that names an author and nothing else is answered with what the author said."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agent_memory_os import MemoryClient
from agent_memory_os.model.principal import Principal
from agent_memory_os.model.recall import Filter
from agent_memory_os.service.node import LocalNode
from agent_memory_os.store.gate import narrowed, open_gate
from agent_memory_os.store.memory import page
from agent_memory_os.store.queries import Queries

TURNS = (
    ("Priya", "Ship on Friday"),
    ("Kim", "Priya, is that so?"),
    ("Priya", "Not before"),
    ("Ann Lee", "I am in Lima"),
    ("user", "Which port is it?"),
    ("assistant", "It is 8443"),
    ("Élodie", "Bonjour"),
)


def local(client: MemoryClient) -> LocalNode:
    """Give the node of a client as the one on this machine that it is."""
    assert isinstance(client.node, LocalNode)
    return client.node


@pytest.fixture
def client(tmp_path: Path) -> Iterator[MemoryClient]:
    """Give a client whose agent remembers a conversation."""
    with MemoryClient(str(tmp_path / "home"), agent="scout") as one:
        for author, text in TURNS:
            one.add(text, author=author)
        yield one


def found(client: MemoryClient, query: str, **narrow: Any) -> list[str]:  # noqa: ANN401
    """Return the texts of what is found, in order."""
    return [hit.memory.text for hit in client.search(query, **narrow)]


@pytest.mark.parametrize(
    "query", ["what did Priya say?", "What has PRIYA told us", "'priya' said?", "did priya write"]
)
def test_with_a_verb_of_saying_it_is_the_author_that_is_meant(
    client: MemoryClient, query: str
) -> None:
    """What the author said comes first, newest first, before what has the name in it."""
    assert found(client, query)[:2] == ["Not before", "Ship on Friday"]


def test_a_bare_name_is_a_word_first(client: MemoryClient) -> None:
    """What has the word stands above what somebody of that name said."""
    assert found(client, "priya") == ["Priya, is that so?", "Not before", "Ship on Friday"]
    assert found(client, "kim") == ["Priya, is that so?"]
    assert found(client, "Ann Lee") == ["I am in Lima"]
    assert found(client, "Élodie") == ["Bonjour"]


def test_a_role_is_nobodys_name(client: MemoryClient) -> None:
    """A word such as user is the name of half of all turns: it needs a verb of saying."""
    assert found(client, "user") == found(client, "assistant") == []
    assert found(client, "what did the assistant say") == ["It is 8443"]


@pytest.mark.parametrize(
    "query", ["what did Bo say", "bo", "say", "said told", "lee", "ann lee kim priya", "lunch"]
)
def test_nothing_found_is_an_answer(client: MemoryClient, query: str) -> None:
    """A name that nobody has, part of a name, or several names find nothing by an author."""
    assert all("said" not in hit.providers for hit in client.search(query))


def test_a_question_that_asks_for_more_is_left_to_its_words(client: MemoryClient) -> None:
    """Where there is anything beside the name, what was said is found by what it says."""
    assert found(client, "what did Priya say about lunch in Lima")[:1] == ["I am in Lima"]


def test_filters_hold(client: MemoryClient) -> None:
    """What is narrowed to is all that is found."""
    client.add("Yes", author="Priya", type="decision", session="late")
    assert found(client, "what did priya say", types="decision") == ["Yes"]
    assert found(client, "what did priya say", session="late") == ["Yes"]
    assert found(client, "what did priya say", until=1) == []


def test_every_way_finds_the_same(client: MemoryClient) -> None:
    """Whether the author's rows are looked at or the reader's, the same pass; an index serves."""
    other = MemoryClient(local(client).context.home, agent="other")
    for number in range(30):
        other.add(f"hidden {number}", author="Priya")
    with local(client).context.database.read() as snapshot:
        gate = open_gate(snapshot, client.principal)
        parameters = {**narrowed(gate, Filter(), snapshot.now), "limit": 9, "said": "PRIYA"}
        ask = page._ask("said_by", "created", snapshot, parameters)  # noqa: SLF001 - the query
        rows = [ask.rows(reach) for reach in ("all", "seen")]
        every = [row[0] for row in snapshot.rows("SELECT rowid FROM memories")]
        rows += [ask.rows("filed", filed=json.dumps(every))]
        rows += [[(row,) for row in page.said_by(snapshot, gate, Filter(), "PRIYA", 9)]]
        form = Queries("page").form("said_by", reach="all", instant="created", way="author")
        plan = [row[3] for row in snapshot.rows(f"EXPLAIN QUERY PLAN {form}", ask.parameters)]
    other.close()
    assert all(found == rows[0] for found in rows)
    assert len(rows[0]) == 2
    assert any("memories_by_author" in step for step in plan), plan
    assert not any(step.startswith("SCAN m") or "ORDER BY" in step for step in plan), plan


def test_who_sees_little_is_looked_at_by_what_it_sees(client: MemoryClient) -> None:
    """An author who says much that the reader may not see costs the reader nothing."""
    other = MemoryClient(local(client).context.home, agent="other")
    other.add_many({"content": f"hidden {number}", "author": "Priya"} for number in range(40))
    with local(client).context.database.read() as snapshot:
        for principal, way in ((client.principal, "seen"), (Principal.operator(), "all")):
            gate = open_gate(snapshot, principal)
            parameters = {**narrowed(gate, Filter(), 0), "limit": 9, "said": "priya"}
            ask = page._ask("said_by", "created", snapshot, parameters)  # noqa: SLF001
            assert page._plan(ask, gate).reach == way  # noqa: SLF001 - the choice itself
    other.close()
