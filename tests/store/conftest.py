"""What the tests of the store share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.store.sample import Fleet, found, moved_in


@pytest.fixture(scope="session")
def bare_fleet(tmp_path_factory: pytest.TempPathFactory) -> Fleet:
    """Give a closed node with three agents, to be copied."""
    fleet = found(tmp_path_factory.mktemp("fleet"))
    fleet.node.close()
    return fleet


@pytest.fixture
def fleet(bare_fleet: Fleet, tmp_path: Path) -> Iterator[Fleet]:
    """Give an open node with three agents."""
    fleet = moved_in(bare_fleet, tmp_path)
    yield fleet
    fleet.node.close()
