"""What crowds an answer: what may be shown is found, however much there is that may not be."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent_memory_os import MemoryClient
from agent_memory_os.recall.providers.lexical import POSTINGS


@pytest.fixture
def client(tmp_path: Path) -> Iterator[MemoryClient]:
    """A client on a new home."""
    with MemoryClient(str(tmp_path / "home"), agent="planner") as opened:
        yield opened


def _crowd(client: MemoryClient, **fields: object) -> None:
    items = ({"content": f"deploy kestrel run {n}", **fields} for n in range(POSTINGS + 50))
    list(client.add_many(items))


def test_what_is_narrowed_away_takes_nobodys_place(client: MemoryClient) -> None:
    """One older memory of a type, a tag or a session is found behind a thousand of another."""
    wanted = client.add(
        "Deploy the kestrel on Tuesdays.", type="decision", tags=["kept"], session="s1"
    ).memory
    _crowd(client)
    for narrow in ({"types": ("decision",)}, {"tags": ("kept",)}, {"session": "s1"}):
        found = client.search("deploy kestrel", **narrow)
        assert [hit.memory.id for hit in found] == [wanted.id], narrow
        packed = client.pack("kestrel", **narrow)
        assert [hit.memory.id for hit in packed.hits] == [wanted.id], narrow


def test_what_has_expired_takes_nobodys_place(client: MemoryClient) -> None:
    """One older memory is found behind a thousand that have expired since."""
    wanted = client.add("Deploy the kestrel on Tuesdays.").memory
    expiry = client.node.recall.now() + 1_000
    _crowd(client, expires_at=expiry)
    while client.node.recall.now() <= expiry:
        time.sleep(0.05)
    assert [hit.memory.id for hit in client.search("deploy kestrel")] == [wanted.id]


def test_expired_rare_words_do_not_hide_common_ones(client: MemoryClient) -> None:
    """Where all that has the rare word has expired, the common words still find what is there."""
    _crowd(client)
    past = client.node.recall.now() - 1
    list(client.add_many({"content": f"zebra {n}", "expires_at": past} for n in range(30)))
    assert client.search("kestrel zebra")


def test_repetitions_take_nobodys_place(client: MemoryClient) -> None:
    """The same words said in a hundred sessions are one hit, and the others are found beside it."""
    said = ({"content": "Deploy the kestrel now.", "session": f"s{n}"} for n in range(120))
    list(client.add_many(said))
    others = {
        client.add(f"Kestrel number {n} was seen by the river on a long day of rain.").memory.id
        for n in range(3)
    }
    found = {hit.memory.id for hit in client.search("deploy kestrel")}
    assert others < found
    assert len(found) == len(others) + 1
