"""Law 1: no read path returns, counts or reveals what the principal may not read."""

from __future__ import annotations

from hypothesis import given

from tests.laws.gate import faults
from tests.laws.plan import START, Step, build, plans
from tests.laws.world import new_world


@given(plans())
def test_no_path_shows_what_is_hidden_and_each_shows_what_is_not(plan: list[Step]) -> None:
    """Whatever happened, every path gives each principal exactly what the pure rule allows."""
    with new_world() as world:
        build(world, [*START, *plan])
        assert list(faults(world)) == []
