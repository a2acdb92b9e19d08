"""What the tests of the command line share: the program, and a fleet to run it on."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.program import Program


@pytest.fixture
def program(tmp_path: Path) -> Program:
    """Give the program on a home that is not there yet."""
    return Program(tmp_path)


@pytest.fixture
def fleet(program: Program) -> Program:
    """Give the program on a home with ann and bob in team apollo, and eve in none."""
    program.home.mkdir(mode=0o700)
    (program.home / "agents.toml").write_text(
        '[agents.ann]\nteams = ["apollo"]\nprojects = ["apollo/site"]\n'
        '[agents.bob]\nteams = ["apollo"]\n[agents.eve]\nkind = "codex"\n'
    )
    (program.home / "node.toml").write_text('default_agent = "ann"\n')
    return program
