"""Nodes on real stores, whatever happens to them, agree, and nothing leaks or comes back."""

from __future__ import annotations

import pytest

from agent_memory_os.model.authority.judged import View
from agent_memory_os.model.routing import purge, serve, shown
from tests.laws.nodes.rules import RULES, switch_off
from tests.laws.nodes.run import run, sizes_of

SEEDS = (5, 100)


@pytest.mark.parametrize("seed", SEEDS)
def test_nodes_agree_after_a_short_run(seed: int) -> None:
    """After some acts and faults, and healing, every law holds on every node."""
    assert run(seed, steps=4).problems == []


def test_the_rules_can_be_switched_off_and_on_again() -> None:
    """Each rule that the table names has what takes its place, for as long as a run lasts."""
    before = [vars(one).copy() for one in (View, purge, shown, serve)]
    for rule in RULES:
        with pytest.MonkeyPatch.context() as patch:
            switch_off(rule, patch)
    assert [vars(one).copy() for one in (View, purge, shown, serve)] == before


@pytest.mark.soak
@pytest.mark.parametrize("first", range(0, 400, 20))
def test_nodes_agree_for_long(first: int) -> None:
    """Hundreds of longer runs hold."""
    assert {seed: found for seed in range(first, first + 20) if (found := run(seed).problems)} == {}


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(20))
def test_nodes_agree_after_a_very_long_run(seed: int) -> None:
    """Seven nodes of three accounts agree after 300 steps."""
    assert run(seed, 300, sizes_of(3, 7)).problems == []
