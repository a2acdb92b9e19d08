"""What the tests of the store share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.store.sample import Fleet, found


@pytest.fixture
def fleet(tmp_path: Path) -> Iterator[Fleet]:
    """Give an open node with three agents."""
    fleet = found(tmp_path)
    yield fleet
    fleet.node.close()
