"""Whose turn it is: all that a person added, and of the others two that answer, by chance."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from agent_memory_os.service.peers.mesh import turns
from agent_memory_os.store.peer.peers import Peer
from tests.store.sample import found

NOW = 1_800_000_000_000


def peer(name: str, *, learned: bool = False, failures: int = 0) -> Peer:
    """Return a peer by a URL, which was tried just now."""
    keys = ("",) * 4
    made = Peer(0, name, "acc", name, *keys, f"http://{name}", "", "granted", "", "", None, 0)
    return made._replace(is_learned=int(learned), failures=failures, tried_at=NOW)


def test_those_that_nobody_added_take_turns(tmp_path: Path) -> None:
    """Each of many comes up over time, and one that was not reached is left in peace meanwhile."""
    numbers = itertools.count()

    def entropy(size: int) -> bytes:
        return (next(numbers) * 7).to_bytes(size)

    drawn = found(tmp_path).node.context._replace(entropy=entropy)
    hub, gone = peer("hub", failures=3), peer("gone", learned=True, failures=1)
    others = [peer(f"p{number}", learned=True) for number in range(6)]
    seen = set()
    for _ in range(40):
        names = [one.name for one in turns.taken(drawn, NOW, [gone, *others, hub])]
        assert len(names) == len({*names}) == 3
        assert "hub" in names
        seen |= {*names}
    assert seen == {"hub", *(one.name for one in others)}
    few = [hub, gone, others[0]]
    assert turns.taken(drawn, NOW, few) == few
    later = NOW + 2 * 60_000
    assert gone in turns.taken(drawn, later, [hub, peer("a"), peer("b"), gone])


@pytest.mark.parametrize(
    ("failures", "minutes"), [(1, 2), (2, 4), (3, 8), (4, 16), (5, 30), (6, 30), (10_000, 30)]
)
def test_how_long_a_peer_is_left_in_peace(failures: int, minutes: int) -> None:
    """Twice as long after each failure, up to half an hour; not at all where there was none."""
    assert peer("x", failures=failures).next_at == NOW + minutes * 60_000
    assert peer("x").next_at is None
    assert peer("x", failures=1)._replace(tried_at=None).next_at is None


@pytest.mark.parametrize(
    ("silence", "failures", "wait"),
    [(0, 1, 0), (9, 20, 0), (10, 20, 2.5), (60, 20, 15), (300, 20, 30), (300, 1, 2)],
)
def test_who_was_seen_lately_is_not_put_off(silence: int, failures: int, wait: float) -> None:
    """It is tried each time for ten minutes, and later within a quarter of its silence."""
    found = peer("x", failures=failures)._replace(seen_at=NOW - silence * 60_000)
    assert found.next_at == NOW + wait * 60_000
