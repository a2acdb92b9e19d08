"""What the tests of peers share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.service.peers.nodes import Pair, pair


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Pair]:
    """Give two devices of one account that know each other."""
    with pair(tmp_path) as found:
        yield found
