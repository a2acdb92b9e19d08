"""What two nodes hold differently is found and exchanged, whatever lies between them."""

from __future__ import annotations

import pytest

from agent_memory_os.federation.transport.memory import Post
from tests.federation.exchange.conftest import Two
from tests.federation.exchange.party import Party, lose, post, settle

FEW, MANY = 3, 60


def filled(two: Two, count: int) -> list[str]:
    """Give both nodes some memories of the team, of both; return their ids, of Ann's first."""
    ann, ben = two
    found = [ann.remember("scout", f"scout says {at}", "team:apollo") for at in range(count)]
    found += [ben.remember("mira", f"mira says {at}", "team:apollo") for at in range(count)]
    settle(ann, ben)
    return found


def all_of(two: Two) -> list[set[str]]:
    """Return the ids of what either node has."""
    return [{str(row[0]) for row in one.rows("SELECT id FROM memories")} for one in two]


@pytest.mark.parametrize("count", [1, FEW, MANY])
@pytest.mark.parametrize("loser", ["ann", "ben"])
@pytest.mark.parametrize("asker", ["ann", "ben"])
def test_what_is_missing_comes_again(two: Two, loser: str, asker: str, count: int) -> None:
    """Few or many, at either end, whoever asks: what was lost is back after a session or two."""
    held = filled(two, MANY)
    lose(getattr(two, loser), *held[:count])
    one: Party = getattr(two, asker)
    for _ in range(2):
        one.sync(two.ben if asker == "ann" else two.ann)
    assert all_of(two) == [set(held), set(held)]


def test_both_lost_something(two: Two) -> None:
    """Each gets from the other what it lacks, in one session."""
    held = filled(two, FEW)
    lose(two.ann, held[0], held[-1])
    lose(two.ben, held[1])
    two.ben.sync(two.ann)
    assert all_of(two) == [set(held), set(held)]


@pytest.mark.parametrize("loser", ["ann", "ben"])
@pytest.mark.parametrize("count", [1, MANY])
def test_what_is_missing_comes_again_by_post(two: Two, loser: str, count: int) -> None:
    """Two that never meet find and mend it as well, each time that they come by a step further."""
    ann, ben = two
    held = filled(two, MANY)
    way = Post()
    ann.remember("scout", "by post", "team:apollo")
    for _ in range(4):
        post(ann, ben, way)
        post(ben, ann, way)
    whole, same = all_of(two)
    assert whole > set(held)
    assert same == whole
    lose(getattr(two, loser), *held[:count])
    for _ in range(6):
        post(ann, ben, way)
        post(ben, ann, way)
    assert all_of(two) == [whole, whole]
