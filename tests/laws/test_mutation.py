"""Each clause of the gate, switched off alone, breaks the law of the gate."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.laws import test_history
from tests.laws.crowd import crowd
from tests.laws.gate import faults
from tests.laws.mutation import FUNCTIONS, HISTORY, INDEX, MUTATIONS, Mutation, mutate
from tests.laws.path import COSTLY, WHOLE
from tests.laws.world import new_world


def test_a_world_with_everything_in_it_keeps_the_law() -> None:
    """Of the world by hand, in which every clause matters, every path gives what it should."""
    with new_world() as world:
        assert list(faults(crowd(world), (*WHOLE, *COSTLY))) == []


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.what)
def test_the_law_notices_a_clause_that_is_missing(
    monkeypatch: pytest.MonkeyPatch, mutation: Mutation
) -> None:
    """Without this clause of the SQL some principal gets what it may not, or not what it may."""
    with new_world() as world:
        crowd(world)
        mutate(monkeypatch, mutation)
        if "contexts" in mutation.queries:
            # A search asks for nothing outside the scopes: that is switched off with both gates.
            _, place, name, instead = INDEX
            monkeypatch.setattr(place, name, instead)
        assert next(faults(world), None)


@pytest.mark.parametrize(
    ("what", "place", "name", "instead"), FUNCTIONS, ids=[case[0] for case in FUNCTIONS]
)
def test_the_law_notices_a_rule_that_is_missing(
    monkeypatch: pytest.MonkeyPatch,
    what: str,
    place: object,
    name: str,
    instead: Callable[..., Any],
) -> None:
    """Without this rule of the service some principal learns what it may not."""
    with new_world() as world:
        crowd(world)
        monkeypatch.setattr(place, name, instead)
        assert next(faults(world), None), what


@pytest.mark.parametrize(
    ("what", "place", "name", "instead"), HISTORY, ids=[case[0] for case in HISTORY]
)
def test_the_law_of_history_notices_a_rule_that_is_missing(
    monkeypatch: pytest.MonkeyPatch, what: str, place: object, name: str, instead: object
) -> None:
    """Where a memory's own events are not kept in order, somebody looks back too far."""
    monkeypatch.setattr(place, name, instead)
    with pytest.raises(AssertionError):
        test_history.test_a_clock_that_goes_back_shows_nothing_more()
    assert what
