"""Keys end in the future, and a fault in one is told with what helps."""

from __future__ import annotations

import pytest

from agent_memory_os import wiring
from agent_memory_os.errors import AlreadyExists, InvalidInput
from tests.store.sample import Fleet

HOUR = 3_600_000


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
