"""What is taken back gets one edge farther with each contact, at least."""

from __future__ import annotations

import pytest

from tests.laws.nodes.drill.contacts import ACTS, GRAPHS, distances, dropped


def within(graph: str, act: str, *, is_far_first: bool) -> bool:
    """Say whether after d contacts all that held a memory d edges away, or less, dropped it."""
    found = dropped(graph, act, is_far_first=is_far_first)
    return all(max(contacts) <= away for away, contacts in found.items())


@pytest.mark.parametrize("act", ACTS)
@pytest.mark.parametrize("graph", GRAPHS)
def test_what_is_taken_back_is_gone_within_the_distance(graph: str, act: str) -> None:
    """What was revoked or forgotten, or shared with who was taken out, is gone edge by edge."""
    assert within(graph, act, is_far_first=True)


@pytest.mark.soak
@pytest.mark.parametrize("act", ACTS)
@pytest.mark.parametrize("graph", GRAPHS)
def test_it_is_gone_as_soon_where_the_nearer_one_begins(graph: str, act: str) -> None:
    """It is the same whoever of two begins an exchange."""
    assert within(graph, act, is_far_first=False)


def test_a_distance_is_the_shortest_way() -> None:
    """Places of a ring are as far away as by the shorter side."""
    assert distances(GRAPHS["a ring of six"]) == {0: 0, 1: 1, 5: 1, 2: 2, 4: 2, 3: 3}
