"""What the tests of upkeep share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.store.sample import Fleet, found, furnish


@pytest.fixture
def fleet(tmp_path: Path) -> Iterator[Fleet]:
    """Give an open node with three agents and memories of every state."""
    fleet = found(tmp_path)
    furnish(fleet)
    yield fleet
    fleet.node.close()
