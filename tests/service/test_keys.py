"""Keys: which key a word means, and from when on it opens nothing."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from agent_memory_os import wiring
from agent_memory_os.errors import AlreadyExists, InvalidInput, NotFound
from agent_memory_os.model.key import Key
from agent_memory_os.service.keys import Keys, among
from tests.api.served import Served, opened
from tests.store.sample import Fleet

NOON = 1_780_000_000_000
HOUR = 3_600_000


@pytest.fixture
def served() -> Iterator[Served]:
    """Give a node with a fleet, whose clock stands still."""
    with opened() as found:
        found.clock.stop_at(NOON)
        yield found


@pytest.fixture
def keys(served: Served) -> Keys:
    """Give the keys of the node."""
    return served.node.keys


def test_an_id_is_no_name_for_another(keys: Keys) -> None:
    """What is the id of a key, a revoked one too, names no other: one would be taken for it."""
    first = keys.create("first", "agent", "ann").key
    gone = keys.create("gone", "agent", "ann").key
    keys.revoke("gone")
    for taken in (first.id, gone.id):
        with pytest.raises(InvalidInput, match="is the id of a key"):
            keys.create(taken, "agent", "bob")
    with pytest.raises(AlreadyExists):
        keys.create("first", "agent", "bob")


@pytest.mark.parametrize("is_newer", [True, False])
def test_an_id_means_its_own_key(keys: Keys, *, is_newer: bool) -> None:
    """Where a name is an id all the same, the id means the key that it is of."""
    held = keys.create("held", "agent", "ann").key
    named: Key = held._replace(id="0123456789", name=held.id)
    known = [named, held] if is_newer else [held, named]
    assert among(known, held.id) is held
    assert among(known, named.id) is named
    assert among([named], held.id) is named
    with pytest.raises(NotFound):
        among([held._replace(revoked_at=NOON)], held.id)


def test_a_key_ends_at_its_instant(keys: Keys, served: Served) -> None:
    """It opens until the millisecond before its end, and nothing from that on."""
    token = keys.create("brief", "agent", "ann", expires_at=NOON + 1).token
    assert keys.authenticate(token) is not None
    served.clock.ahead += 1
    assert keys.authenticate(token) is None


@pytest.mark.parametrize("ends", [NOON, NOON - 1, 0, -1])
def test_no_key_is_made_that_opens_nothing(keys: Keys, ends: int) -> None:
    """An end that is past is refused, for a new key and for a new secret, and nothing changes."""
    with pytest.raises(InvalidInput, match="in the past"):
        keys.create("late", "agent", "ann", expires_at=ends)
    token = keys.create("held", "agent", "ann").token
    with pytest.raises(InvalidInput, match="in the past"):
        keys.rotate("held", expires_at=ends)
    assert keys.authenticate(token) is not None
    assert [key.name for key in keys.list() if key.name in ("late", "held")] == ["held"]


def test_what_has_ended_is_rotated_to_another_end(keys: Keys, served: Served) -> None:
    """A key that has ended gets another secret where it is said when that ends, and else none."""
    keys.create("brief", "agent", "ann", expires_at=NOON + 1)
    served.clock.ahead += 1
    with pytest.raises(InvalidInput, match="in the past"):
        keys.rotate("brief")
    made = keys.rotate("brief", expires_at=NOON + 10)
    assert keys.authenticate(made.token) == made.key


def test_of_two_secrets_the_last_opens(keys: Keys) -> None:
    """Whoever rotates a key after somebody else did leaves that one's secret without effect."""
    made = keys.create("held", "agent", "ann").token
    first, second = keys.rotate("held").token, keys.rotate("held").token
    assert [keys.authenticate(token) is not None for token in (made, first, second)] == [
        False,
        False,
        True,
    ]


def test_the_key_of_an_agent_that_was_removed_opens_nothing(keys: Keys, served: Served) -> None:
    """With its agent a key loses what it may, at once."""
    token = keys.create("held", "agent", "bob").token
    served.node.organisation.remove_agent("bob")
    assert keys.authenticate(token) is None


def test_a_key_ends_in_the_future(fleet: Fleet) -> None:
    """A key that would open nothing is not made, and one that ran out is not renewed as it was."""
    keys, now = fleet.node.keys, wiring.clock()
    with pytest.raises(InvalidInput, match="in the past") as raised:
        keys.create("early", "agent", "ada", expires_at=now - 1)
    assert raised.value.remedy == "end_key"
    assert keys.list() == ()
    keys.create("short", "agent", "ada", expires_at=now + HOUR)
    assert keys.rotate("short").key.expires_at == now + HOUR
    fleet.say("UPDATE keys SET expires_at = ?", (now - 1,))
    with pytest.raises(InvalidInput, match="in the past"):
        keys.rotate("short")
    later = keys.rotate("short", expires_at=now + 3 * HOUR)
    assert keys.authenticate(later.token) is not None


def test_what_a_key_lacks_is_told(fleet: Fleet) -> None:
    """A kind that needs an agent, one that has none, and a name that is taken say what helps."""
    keys = fleet.node.keys
    with pytest.raises(InvalidInput) as raised:
        keys.create("free", "reader")
    assert raised.value.remedy == "bind_key"
    with pytest.raises(InvalidInput, match="bound to no agent"):
        keys.create("bound", "metrics", "ada")
    keys.create("one", "agent", "ada")
    with pytest.raises(AlreadyExists) as held:
        keys.create("one", "agent", "ada")
    assert held.value.remedy == "renew_key"
