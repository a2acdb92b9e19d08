"""Who is taken out drops what it had on its next contact, and is sent nothing new."""

from __future__ import annotations

import pytest

from tests.laws.removed.parts import PARTS
from tests.laws.removed.run import run

SEEDS = (0, 22, 24, 36, 50, 57)

WITNESS = {"purge": 22, "told": 0, "ask": 24, "recipient": 0}
"""For each part a seed that fails without it, and holds with it."""


@pytest.mark.parametrize("seed", SEEDS)
def test_a_member_that_is_taken_out_has_nothing_of_the_others(seed: int) -> None:
    """Whenever it is taken out, its node is clean after its next contact, and stays so."""
    assert run(seed).problems == []


@pytest.mark.parametrize("part", PARTS)
def test_each_part_is_needed(part: str) -> None:
    """With one part off, a seed fails that holds with all on."""
    assert run(WITNESS[part], part).problems
    assert WITNESS[part] in SEEDS


@pytest.mark.soak
@pytest.mark.parametrize("first", range(0, 1000, 50))
def test_a_thousand_members_that_are_taken_out(first: int) -> None:
    """So it is in a thousand drawn runs."""
    seeds = range(first, first + 50)
    assert {seed: found for seed in seeds if (found := run(seed).problems)} == {}
