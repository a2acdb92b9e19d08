"""The largest contents of every shape: what each costs grows with its size, and no faster."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent_memory_os import MemoryClient
from agent_memory_os.model.memory import MAX_CONTENT_BYTES

SHAPES = {
    "one word": "a",
    "words": "word ",
    "blank lines": "\n",
    "blank lines of a typewriter": "\r\n",
    "tabs": "\t",
    "lines": "a\n",
    "Chinese": "漢",
    "Thai": "ภาษาไทย",
    "accents": "e\u0301\u0301\u0301",
    "capitals in words": "aB",
    "underscores": "a_",
    "dots": "a.",
    "a path": "/a",
    "dates": "2026-01-01 ",
    "digits": "9",
    "quotes": '"',
    "turned text": "\u202e",
    "a key that never ends": "ghp_a",
    "beginnings of a key": "-----BEGIN PRIVATE KEY-----\n",
    "passwords": "password=",
    "users in addresses": "http://a:b@c ",
    "the tag of the pack": "</recalled-memories>",
}
SMALL, GROWTH = 16, 16 * 6
"""A content 16 times as large may cost six times as much for each of its bytes."""


@pytest.fixture
def client(tmp_path: Path) -> Iterator[MemoryClient]:
    """A client on a new home."""
    with MemoryClient(str(tmp_path / "home"), agent="planner") as opened:
        yield opened


def _cost(client: MemoryClient, piece: str, size: int) -> float:
    """Return the CPU seconds that a content costs to be added, found and packed."""
    count = size // 4 // len(piece.encode())
    content = "kestrel " + piece * count + " heron"
    started = time.process_time()
    memory = client.add(content).memory
    found = client.search("kestrel heron")
    packed = client.pack("kestrel heron", max_tokens=200_000)
    client.pack("kestrel heron", max_tokens=300)
    spent = time.process_time() - started
    assert [hit.memory.id for hit in found] == [memory.id]
    assert packed.tokens <= 200_000
    client.forget(memory.id)
    return spent


@pytest.mark.parametrize("shape", SHAPES)
def test_what_is_large_costs_what_its_size_does(client: MemoryClient, shape: str) -> None:
    """A large content of any shape is stored, found and packed, and none takes minutes."""
    client.search("warm")
    small = _cost(client, SHAPES[shape], MAX_CONTENT_BYTES // SMALL)
    large = _cost(client, SHAPES[shape], MAX_CONTENT_BYTES)
    assert large < GROWTH * max(small, 0.02)
