"""What the tests of the image share: the program on a home of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.program import Program


@pytest.fixture
def program(tmp_path: Path) -> Program:
    """Give the program on a home that is not there yet."""
    return Program(tmp_path)
