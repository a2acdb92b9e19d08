"""What replaces what: changing one's mind, going round in a circle, and crowds of old versions."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from agent_memory_os import MemoryClient


@pytest.fixture
def client(tmp_path: Path) -> Iterator[MemoryClient]:
    """A client on a new home."""
    with MemoryClient(str(tmp_path / "home"), agent="planner") as opened:
        yield opened


def _packed(client: MemoryClient, query: str) -> list[str]:
    return [hit.memory.text for hit in client.pack(query).hits]


@pytest.mark.parametrize("way", ["link", "supersede"])
def test_the_last_word_counts(client: MemoryClient, way: str) -> None:
    """Who says that B replaces A and then that A replaces B means the latter."""
    first = client.add("The kestrel port is 8000.").memory.id
    second = client.add("The kestrel port is 9000.").memory.id
    client.supersede(first, second)
    assert _packed(client, "kestrel port") == ["The kestrel port is 9000."]
    if way == "link":
        client.link(first, second, "supersedes")
    else:
        client.supersede(second, first)
    assert _packed(client, "kestrel port") == ["The kestrel port is 8000."]
    assert len(client.links(first)) == 1


@pytest.mark.parametrize("size", [3, 12])
def test_a_circle_hides_nothing(client: MemoryClient, size: int) -> None:
    """Where each replaces the next all round, a pack holds them all, and so does a search."""
    ids = [client.add(f"The kestrel port is {n}.").memory.id for n in range(size)]
    for older, newer in zip(ids, [*ids[1:], ids[0]], strict=True):
        client.supersede(older, newer)
    assert len(_packed(client, "kestrel port")) == size
    assert len(client.search("kestrel port", limit=size)) == size


def test_what_leads_into_a_circle_is_still_replaced(client: MemoryClient) -> None:
    """A memory that one of a circle replaces is left out of packs."""
    ids = [client.add(f"The kestrel port is {n}.").memory.id for n in range(3)]
    for older, newer in zip(ids, [*ids[1:], ids[0]], strict=True):
        client.supersede(older, newer)
    oldest = client.add("The kestrel port is unknown.").memory.id
    client.supersede(oldest, ids[0])
    assert "The kestrel port is unknown." not in _packed(client, "kestrel port")


def test_old_versions_take_no_place_in_a_pack(client: MemoryClient) -> None:
    """Behind twenty versions of one thing that were replaced, a pack holds what else matches."""
    ids = [client.add(f"Kestrel port is {n}.").memory.id for n in range(20)]
    for older, newer in pairwise(ids):
        client.supersede(older, newer)
    other = "The kestrel was seen by the river, on a long day of rain, in no port that we know."
    client.add(other)
    packed = client.pack("kestrel port", limit=3)
    assert [hit.memory.text for hit in packed.hits] == ["Kestrel port is 19.", other]
    assert len(client.search("kestrel port", limit=3)) == 3


def test_what_two_replace_is_left_out_and_both_stay(client: MemoryClient) -> None:
    """A memory that was split into two is left out of packs, beside a circle too."""
    old, *halves = (client.add(f"Kestrel port {name}.").memory.id for name in ("a", "b", "c"))
    for half in halves:
        client.supersede(old, half)
    circle = [client.add(f"Kestrel port {name}.").memory.id for name in ("d", "e", "f")]
    for older, newer in zip(circle, [*circle[1:], circle[0]], strict=True):
        client.supersede(older, newer)
    assert sorted(_packed(client, "kestrel port")) == [f"Kestrel port {name}." for name in "bcdef"]


def test_two_ways_to_one_replacement_lead_there_once(client: MemoryClient) -> None:
    """Where two replace one and are replaced together, the last stands alone above them all."""
    old, left, right, last = (
        client.add(f"Kestrel port {name}.").memory.id for name in ("a", "b", "c", "d")
    )
    for older, newer in ((old, left), (old, right), (left, last), (right, last)):
        client.supersede(older, newer)
    assert _packed(client, "kestrel port") == ["Kestrel port d."]
    found = [hit.memory.id for hit in client.search("kestrel port")]
    assert (found[0], found[-1], len(found)) == (last, old, 4)
