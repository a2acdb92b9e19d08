"""Secrets: masked wherever a caller can put text, easily forgotten places among them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agent_memory_os import MemoryClient

KEY = "ghp_" + "aB3" * 12
PLACES: dict[str, dict[str, Any]] = {
    "content": {"content": f"The token is {KEY}"},
    "summary": {"summary": KEY},
    "author": {"author": KEY},
    "session": {"session": KEY},
    "tag": {"tags": [KEY]},
    "source": {"source": {"a": [{"b": KEY}]}},
    "a name in the source": {"source": {"a": {KEY: 1}}},
}


@pytest.fixture
def client(tmp_path: Path) -> Iterator[MemoryClient]:
    """A client on a new home."""
    with MemoryClient(str(tmp_path / "home"), agent="planner") as opened:
        yield opened


@pytest.mark.parametrize("place", PLACES)
def test_a_secret_is_masked_wherever_it_stands(client: MemoryClient, place: str) -> None:
    """Added or edited in, a key is in no memory, history or export, and the person is told."""
    fields = {"content": "The kestrel.", **PLACES[place]}
    added = client.add_many([fields])[0]
    edited = client.update(client.add("The heron.").memory.id, **PLACES[place])
    assert added.notes
    assert edited.notes
    told = [client.history(one.memory.id) for one in (added, edited)]
    assert KEY not in repr(told)
    assert not any(KEY in line for line in client.node.transfer.export(client.principal))


def test_a_secret_in_the_reason_of_an_edit_is_masked(client: MemoryClient) -> None:
    """Why a memory was edited is masked like what it says, unless it is to be kept as it is."""
    memory = client.add("The kestrel.").memory
    edited = client.update(memory.id, content="The heron.", reason=f"{KEY} was \0 wrong \ud800")
    assert edited.notes
    assert KEY not in json.dumps([version.content for version in client.history(memory.id)])
    assert "\0" not in edited.memory.content.reason
    kept = client.node.memories.edit(
        client.principal, memory.id, {"content": "The wren."}, KEY, allow_secrets=True
    )
    assert kept.memory.content.reason == KEY
    assert not client.update(memory.id, content="The wren.", reason="again").is_changed
