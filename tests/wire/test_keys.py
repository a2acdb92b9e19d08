"""Keys and their use come over the wire as they were, and no secret with them."""

from __future__ import annotations

import json

import pytest

from agent_memory_os.model.key import Key, Limits
from agent_memory_os.service.keys import MadeKey
from agent_memory_os.store.keys import Usage
from agent_memory_os.wire import keys

NOW = 1_800_000_000_000
PLAIN = Key("0a1b2c3d4e", "laptop ü", "reader", "agt_x", "ann", 5, None, None, None, Limits())
FULL = PLAIN._replace(
    expires_at=NOW + 1, last_used_at=7, revoked_at=NOW, limits=Limits(1, 2, 3, 4), agent=None
)
USED = Usage(20_000, "laptop", "ann", "agt_x", ("apollo",), 3, 2, 1)


@pytest.mark.parametrize("key", [PLAIN, FULL, FULL._replace(agent_name="", kind="operator")])
def test_a_key_comes_back(key: Key) -> None:
    """Every field of a key is there again, and its state is told beside it."""
    shape = json.loads(json.dumps(keys.of_key(key, NOW)))
    assert keys.to_key(shape) == key
    assert shape["state"] == key.state_at(NOW)
    assert keys.to_made(keys.of_made(MadeKey(key, "amk_1_x"), NOW)) == MadeKey(key, "amk_1_x")


@pytest.mark.parametrize("used", [USED, USED._replace(agent=None, agent_name="", teams=())])
def test_use_comes_back(used: Usage) -> None:
    """What was used on a day is there again, for an agent and for the operator."""
    assert keys.to_usage(json.loads(json.dumps(keys.of_usage(used)))) == used
