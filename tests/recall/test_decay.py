"""How a memory goes stale."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory_os.model.memory import TYPES, Content
from agent_memory_os.recall.decay import (
    CLOCK_SKEW_MS,
    DAY_MS,
    HALF_LIFE_DAYS,
    freshness,
    half_life_days,
)

NOW = 1_760_000_000_000
TIMES = st.integers(0, 2 * NOW)


def test_every_type_has_a_half_life() -> None:
    """The table of half-lives names each type and no other."""
    assert set(HALF_LIFE_DAYS) == set(TYPES)


def test_a_memory_may_have_a_half_life_of_its_own() -> None:
    """A memory's own half-life counts before its type's, and so does none at all."""
    content = Content("x", 0, 0, type="fact")
    assert half_life_days(content) == 90
    assert half_life_days(content._replace(half_life_days=7)) == 7
    assert half_life_days(content._replace(half_life_days=0)) == 0


@pytest.mark.parametrize("kind", TYPES)
def test_a_half_life_halves(kind: str) -> None:
    """What has just changed is fresh, and half as fresh after each half-life."""
    content = Content("x", NOW, NOW, type=kind)
    days = HALF_LIFE_DAYS[kind]
    assert freshness(content, NOW) == 1.0
    assert freshness(content, NOW + days * DAY_MS) == 0.5
    assert freshness(content, NOW + 2 * days * DAY_MS) == 0.25


def test_without_a_half_life_nothing_goes_stale() -> None:
    """A half-life of 0 days keeps a memory fresh."""
    assert freshness(Content("x", 0, 0, half_life_days=0), NOW) == 1.0


def test_age_counts_from_the_last_change() -> None:
    """An edit makes a memory fresh again."""
    content = Content("x", NOW - 60 * DAY_MS, NOW - 60 * DAY_MS)
    assert freshness(content, NOW) == 0.25
    assert freshness(content._replace(updated_at=NOW), NOW) == 1.0


def test_a_date_in_the_future_makes_nothing_fresh() -> None:
    """Of two dates the one that lies ahead does not count; a clock a little ahead is forgiven."""
    ahead = 4_070_908_800_000
    assert freshness(Content("x", ahead, ahead), NOW) == 0.0
    assert freshness(Content("x", NOW - 30 * DAY_MS, ahead), NOW) == 0.5
    assert freshness(Content("x", NOW, NOW + CLOCK_SKEW_MS), NOW) == 1.0
    assert freshness(Content("x", NOW + CLOCK_SKEW_MS + 1, ahead), NOW) == 0.0


@given(TIMES, TIMES, st.sampled_from(TYPES), TIMES, st.integers(0, NOW))
def test_freshness_is_bounded_and_only_falls(
    created: int, updated: int, kind: str, now: int, later: int
) -> None:
    """Freshness lies from 0 to 1, and once both dates are past, time only takes from it."""
    content = Content("x", created, updated, type=kind)
    first = freshness(content, now)
    assert 0.0 <= first <= 1.0
    if max(created, updated) <= now:
        assert freshness(content, now + later) <= first
