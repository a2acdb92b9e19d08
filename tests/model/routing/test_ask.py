"""Nobody is asked about a record of a scope that it was never let into."""

from __future__ import annotations

from agent_memory_os.model.routing.ask import asks
from tests.model.judging import ACCOUNTS, TEAM_SCOPE, Small


def test_who_may_not_know_is_not_asked() -> None:
    """A member asks another one about what it holds in a team that it knows, and no stranger."""
    small = Small()
    small.team()
    add = small.member("add", "bob")
    small.member("add", "ann")
    small.say("bob", "a", TEAM_SCOPE, add)
    small.grant("bob", TEAM_SCOPE, add)
    view = small.view()
    assert asks(view, ACCOUNTS["ann"], ACCOUNTS["bob"], set()) != []
    assert asks(view, ACCOUNTS["ann"], "acc_" + "z" * 32, set()) == []
    assert asks(view, ACCOUNTS["ann"], ACCOUNTS["bob"], set(), {TEAM_SCOPE}) != []
    assert asks(view, ACCOUNTS["ann"], ACCOUNTS["bob"], set(), set()) == []
