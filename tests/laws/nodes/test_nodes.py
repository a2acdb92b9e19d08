"""Nodes on real stores, whatever happens to them, agree, and nothing leaks or comes back."""

from __future__ import annotations

import pytest

from tests.laws.nodes.run import run, sizes_of


@pytest.mark.parametrize("seed", [100, 101])
def test_nodes_agree_after_a_short_run(seed: int) -> None:
    """After some acts and faults, and healing, every law holds on every node."""
    assert run(seed, steps=4).problems == []


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
