"""How far something has come is told in shares that make one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory_os.store.upkeep import progress


@given(st.integers(0, 5_000), st.integers(0, 10_000))
def test_shares_make_one(count: int, guessed: int) -> None:
    """However many items there are, and were said to be, none of it is told twice or left out."""
    told: list[float] = []
    assert [*progress.each(range(count), guessed, told.append)] == [*range(count)]
    assert sum(told) == pytest.approx(1.0)
    assert all(share >= 0 for share in told)
    assert len(told) == 1 + count // 1000


def test_a_part_is_a_share_of_the_whole() -> None:
    """What is done of a part counts for as much as the part is of the whole."""
    told: list[float] = []
    watched = progress.part(progress.part(told.append, 0.5), 0.5)
    watched(0.4)
    watched(0.6)
    assert sum(told) == pytest.approx(0.25)
    progress.unwatched(1.0)
