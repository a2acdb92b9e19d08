"""Who may come to be known without a person, and how few are exchanged with at a time."""

from __future__ import annotations

from collections import Counter

import pytest

from agent_memory_os.model.routing import acquaint
from tests.model.judging import ACCOUNTS, DEVICES, TEAM_SCOPE, Small


def test_teams_are_shared_by_who_is_in_them_now() -> None:
    """Both accounts have somebody in the team; a removal ends it, and nobody shares with itself."""
    small, (ann, bob) = Small(), (ACCOUNTS["ann"], ACCOUNTS["bob"])
    small.team()
    small.member("add", "ann")
    assert acquaint.shared(small.view(), ann) == {}
    small.member("add")
    assert acquaint.shared(small.view(), ann) == {bob: [TEAM_SCOPE]}
    assert acquaint.shared(small.view(), bob) == {ann: [TEAM_SCOPE]}
    assert acquaint.shared(small.view(), ACCOUNTS["eve"]) == {}
    assert acquaint.accounts_in(small.view(), [TEAM_SCOPE]) == {ann, bob}
    small.member("remove")
    assert acquaint.shared(small.view(), ann) == {}


def test_devices_are_those_that_were_not_revoked() -> None:
    """An account's certified devices are found, and one that it revoked is not."""
    small = Small()
    (first, _), (second, _) = DEVICES["bob"]
    assert acquaint.devices(small.view(), ACCOUNTS["bob"]) == sorted([first, second])
    small.certify("bob", 1, state="revoked")
    assert acquaint.devices(small.view(), ACCOUNTS["bob"]) == [first]
    assert acquaint.devices(small.view(), ACCOUNTS["eve"]) == []


@pytest.mark.parametrize(
    ("always", "others", "count"),
    [(0, 0, 0), (1, 2, 3), (3, 0, 3), (5, 0, 5), (1, 3, 3), (2, 50, 4), (4, 1, 5), (0, 9, 2)],
)
def test_few_are_exchanged_with_at_a_time(always: int, others: int, count: int) -> None:
    """All that a person added, and two of the others; of three or fewer, all of them."""
    first, rest = [*range(always)], [*range(100, 100 + others)]
    found = acquaint.chosen(first, rest, lambda below: below - 1)
    assert len(found) == len({*found}) == count
    assert {*first} <= {*found} <= {*first, *rest}


def test_each_gets_its_turn() -> None:
    """Over the draws every one of the others comes up, each about as often."""
    drawn = iter(range(100_000))
    turns = Counter(
        one
        for _ in range(900)
        for one in acquaint.chosen(["hub"], range(9), lambda below: next(drawn) * 7 % below)
    )
    assert turns["hub"] == 900
    assert {*range(9)} < turns.keys()
