"""What the tests of upkeep share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.store.sample import Fleet, found, furnish, moved_in


@pytest.fixture(scope="session")
def busy_fleet(tmp_path_factory: pytest.TempPathFactory) -> Fleet:
    """Give a closed node with three agents and memories of every state, to be copied."""
    fleet = found(tmp_path_factory.mktemp("fleet"))
    furnish(fleet)
    fleet.node.close()
    return fleet


@pytest.fixture
def fleet(busy_fleet: Fleet, tmp_path: Path) -> Iterator[Fleet]:
    """Give an open node with three agents and memories of every state."""
    fleet = moved_in(busy_fleet, tmp_path)
    yield fleet
    fleet.node.close()
