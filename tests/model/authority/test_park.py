"""What lies ahead of the clock waits, and what takes away does not."""

from __future__ import annotations

import pytest

from agent_memory_os.model import register as group
from agent_memory_os.model.authority.park import moves_clock, takes_away, waits
from agent_memory_os.model.register import FUTURE_LIMIT_MS, Register, of_time

NOW = 1_000_000
GIVES: dict[str, dict[str, object]] = {
    group.CONTENT: {},
    group.GRANT + "global": {"length": 1},
    group.LIFE: {"length": 3},
    group.LINK: {"weight": 1},
    group.TEAM_MEMBER + "x": {"act": "add"},
    group.TEAM_LIFE: {"state": "active"},
    group.DEVICE + "x": {"state": "certified"},
}
TAKES: dict[str, dict[str, object]] = {
    group.GRANT + "global": {"length": 2},
    group.LIFE: {"length": 2},
    group.LINK: {"weight": 0},
    group.TEAM_MEMBER + "x": {"act": "remove"},
    group.PROJECT_LIFE: {"state": "removed"},
    group.DEVICE + "x": {"state": "revoked"},
    group.TEAM_NARROW: {"length": 2},
    group.PROJECT_NARROW: {"length": 2},
}


def made(name: str, value: dict[str, object], at: int) -> Register:
    """Give a register of a group, written at a time."""
    return Register("x", name, "a", "d", of_time(at), 1, value, ())


@pytest.mark.parametrize("name", GIVES)
def test_what_gives_waits_until_it_is_due(name: str) -> None:
    """More than a minute ahead it waits, and does not move the clock; from then on it does."""
    due, early = (made(name, GIVES[name], NOW + FUTURE_LIMIT_MS + more) for more in (0, 1))
    assert (waits(due, NOW), moves_clock(due, NOW)) == (False, True)
    assert (waits(early, NOW), moves_clock(early, NOW)) == (True, False)
    assert not takes_away(due)
    assert waits(early, NOW, early.stamp - 1)
    assert not waits(early, NOW, early.stamp)


@pytest.mark.parametrize("name", TAKES)
def test_what_takes_away_counts_at_once(name: str) -> None:
    """Whatever its stamp, it does not wait and never moves the clock."""
    register = made(name, TAKES[name], NOW + 10 * FUTURE_LIMIT_MS)
    assert takes_away(register)
    assert not waits(register, NOW)
    assert not moves_clock(register, NOW)
