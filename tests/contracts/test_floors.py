"""The contract on pure modules covers each module that is said to be pure."""

from __future__ import annotations

import fnmatch
import tomllib
from pathlib import Path

import pytest

from tools.coverage_gate import PURE

ROOT = Path(__file__).parents[2]
CONTRACT = "Rules reach no database, network, machine, clock or chance"


def held_modules() -> list[str]:
    """Give the modules that the contract names, as patterns."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        contracts = tomllib.load(file)["tool"]["importlinter"]["contracts"]
    (held,) = (contract for contract in contracts if contract["name"] == CONTRACT)
    return list(held["source_modules"])


@pytest.mark.parametrize("path", [path for path in PURE if (ROOT / path).exists()])
def test_a_pure_module_is_held_to_its_contract(path: str) -> None:
    """A module that must be tested to the last branch for being pure is also held to be pure."""
    name = path.strip("/").removesuffix(".py").replace("/", ".")
    assert any(fnmatch.fnmatchcase(name, pattern) for pattern in held_modules())
