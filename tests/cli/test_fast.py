"""The fast commands load little, and nothing that is costly."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.cli.program import Program

ROOT = Path(__file__).parents[2]
RUN = """\
import sys
sys.argv = ["agent-memory", *sys.argv[1:]]
from agent_memory_os.cli.main import main
status = main()
print(*sys.modules, file=sys.stderr)
sys.exit(status)
"""
LINES = [
    ("search", "tea"),
    ("pack", "tea"),
    ("add", "tea"),
    ("get", "mem_" + "a" * 32),
    ("list",),
]


def loaded(program: Program, *words: str) -> set[str]:
    """Give the modules that one run of the program has loaded at its end."""
    environment = {
        name: value
        for name, value in program.environment().items()
        if not name.startswith(("COV", "PYTHON"))
    }
    done = subprocess.run(
        [sys.executable, "-c", RUN, *words],
        check=False,
        capture_output=True,
        text=True,
        env=environment,
        cwd=ROOT,
    )
    return set(done.stderr.splitlines()[-1].split())


def costly() -> set[str]:
    """Give what the linter bans at the top of a module, and what a fast command is not to load."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        lint = tomllib.load(file)["tool"]["ruff"]["lint"]
    banned = set(lint["flake8-tidy-imports"]["banned-module-level-imports"])
    # re needs enum; nothing else on the list may come along.
    return (banned - {"enum"}) | {"typing", "click", "pydantic", "hashlib", "threading", "base64"}


@pytest.mark.parametrize("words", LINES, ids=lambda words: words[0])
def test_a_fast_command_loads_nothing_costly(program: Program, words: tuple[str, ...]) -> None:
    """A second run of a fast command, on a home that is there, loads no costly module."""
    program.do("add", "a first memory")
    assert not loaded(program, *words) & costly()


def test_help_loads_nearly_nothing(program: Program) -> None:
    """The root's help loads no floor below the command line."""
    found = {name for name in loaded(program, "--help") if name.startswith("agent_memory_os.")}
    assert found <= {
        "agent_memory_os.cli",
        "agent_memory_os.cli.command",
        "agent_memory_os.cli.main",
        "agent_memory_os.cli.parse",
        "agent_memory_os.cli.stream",
        "agent_memory_os.errors",
        "agent_memory_os.value",
    }


def test_the_measure_sees_typer(program: Program) -> None:
    """The measure finds what a command of the other kind loads."""
    assert {"typer", "typing"} <= loaded(program, "team", "list") & costly()
