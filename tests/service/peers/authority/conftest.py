"""What the tests of authority share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.service.peers.authority.stage import Stage, staged


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    """Give two devices of one account, and a teammate's node."""
    with staged(tmp_path) as found:
        yield found
