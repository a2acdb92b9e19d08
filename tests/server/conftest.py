"""What the tests of the server share: the program on a home of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.program import Program


@pytest.fixture
def program(tmp_path: Path) -> Program:
    """Give the program on a home with agent ann, who acts."""
    program = Program(tmp_path)
    program.do("init", "--agent", "ann")
    return program
