"""How a memory goes stale."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory_os.model.decay import (
    CLOCK_SKEW_MS,
    DAY_MS,
    HALF_LIFE_DAYS,
    freshness,
    half_life_days,
)
from agent_memory_os.model.memory import TYPES, Content

NOW = 1_750_000_000_000
TIMES = st.integers(min_value=0, max_value=4_102_444_800_000)


def content(
    created_at: int, updated_at: int, kind: str = "note", days: int | None = None
) -> Content:
    """Return a content of that age."""
    return Content("x", created_at, updated_at, type=kind, half_life_days=days)


def test_every_type_has_a_half_life() -> None:
    """There is a half-life for each type of memory, and for nothing else."""
    assert set(HALF_LIFE_DAYS) == set(TYPES)


@pytest.mark.parametrize("kind", TYPES)
def test_half_as_fresh_after_a_half_life(kind: str) -> None:
    """A memory of any type is half as fresh when its type's half-life has passed."""
    changed = NOW - HALF_LIFE_DAYS[kind] * DAY_MS
    assert freshness(content(changed, changed, kind), NOW) == pytest.approx(0.5)


def test_a_memory_may_have_a_half_life_of_its_own() -> None:
    """A half-life that the memory has goes before its type's."""
    own = content(NOW - 7 * DAY_MS, NOW - 7 * DAY_MS, days=7)
    assert half_life_days(own) == 7
    assert freshness(own, NOW) == pytest.approx(0.5)


def test_without_a_half_life_nothing_goes_stale() -> None:
    """A half-life of 0 days keeps a memory as fresh as on its first day."""
    assert freshness(content(0, 0, days=0), NOW) == 1.0


def test_an_edit_makes_fresh() -> None:
    """Age counts from the last change, not from the creation."""
    assert freshness(content(0, NOW), NOW) == 1.0


def test_a_date_in_the_future_gains_nothing() -> None:
    """A memory dated 2099 is as stale as one can be, or as old as its creation makes it."""
    far = 4_070_908_800_000
    assert freshness(content(far, far), NOW) == 0.0
    month_ago = NOW - 30 * DAY_MS
    assert freshness(content(month_ago, far), NOW) == pytest.approx(0.5)


def test_a_clock_that_is_a_little_ahead_is_forgiven() -> None:
    """What another process wrote a moment ahead of this clock is new, and not from the future."""
    ahead = NOW + CLOCK_SKEW_MS
    assert freshness(content(ahead, ahead), NOW) == 1.0
    assert freshness(content(ahead + 1, ahead + 1), NOW) == 0.0


@given(created=TIMES, updated=TIMES, now=TIMES, kind=st.sampled_from(TYPES))
def test_freshness_is_bounded(created: int, updated: int, now: int, kind: str) -> None:
    """Freshness lies between 0 and 1 whatever the dates."""
    assert 0.0 <= freshness(content(created, updated, kind), now) <= 1.0


@given(now=TIMES, later=st.integers(min_value=0, max_value=10**12), kind=st.sampled_from(TYPES))
def test_time_makes_nothing_fresher(now: int, later: int, kind: str) -> None:
    """Once a memory is there, it only gets staler while it is left alone."""
    one = content(now, now, kind)
    assert freshness(one, now + later) <= freshness(one, now)
