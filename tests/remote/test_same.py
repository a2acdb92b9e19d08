"""A served node does and says what a local one does: value by value, and error by error."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.remote import script, upkeep
from tests.remote.pair import WAYS, Pair, pair

ACTS = (
    *upkeep.BEGIN,
    *script.ADDS,
    *script.READS,
    *script.RECALL,
    *script.CHANGES,
    *upkeep.HAPPENED,
    *upkeep.ORGANISATION,
    *upkeep.UPKEEP,
    *upkeep.PEERS,
    *upkeep.MOVING,
)


@pytest.fixture(scope="module", params=WAYS)
def both(request: pytest.FixtureRequest) -> Iterator[Pair]:
    """Give a pair of nodes, the served one reached by each way."""
    with pair(request.param) as found:
        yield found


def test_every_act_gives_the_same(both: Pair) -> None:
    """Each step of the script returns equal values, or raises the same error, on both sides."""
    for step in ACTS:
        wanted, given = (side.do(step.act) for side in both)
        assert given == wanted, f"{step.method}, {step.about}"
        assert repr(given) == repr(wanted), f"{step.method}, {step.about}"
