"""What a cold search imports is cheap.

Each floor of the hot path is imported whole in a fresh interpreter, and what came with it is held
against the list of costly modules that the linter bans at the top of a module. The linter sees our
own imports; this sees what they bring along. Modules that the permitted part of the standard
library itself brings, such as enum with re, cost nothing more and are left off the list.
"""

from __future__ import annotations

import functools
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "agent_memory_os"
HOT_FLOORS = ("model", "text", "store", "recall", "service", "settings", "wiring", "client")
COLD = ("agent_memory_os.service.peers", "agent_memory_os.service.nouns")
"""What of a floor no search loads: exchanging with peers, which needs their keys; and the protocols
of nouns, which a checker reads."""

PERMITTED = [
    "bisect",
    "collections.abc",
    "contextlib",
    "datetime",
    "functools",
    "hashlib",
    "json",
    "math",
    "os",
    "re",
    "sqlite3",
    "sys",
    "time",
    "typing",
    "unicodedata",
]


def is_there(floor: str) -> bool:
    """Say whether a floor has been built."""
    return (PACKAGE / floor).is_dir() or (PACKAGE / f"{floor}.py").is_file()


def modules_of(floor: str) -> list[str]:
    """Give the dotted names of all modules of a floor, which is a package or a module."""
    folder = PACKAGE / floor
    paths = sorted(folder.rglob("*.py")) if folder.is_dir() else [folder.with_suffix(".py")]
    names = [path.relative_to(ROOT).with_suffix("").as_posix().replace("/", ".") for path in paths]
    found = [name.removesuffix(".__init__") for name in names]
    return [name for name in found if not name.startswith(COLD)]


def loaded_by(modules: list[str]) -> set[str]:
    """Give what a fresh interpreter holds once it has imported the modules."""
    lines = [f"import {name}" for name in modules]
    program = "\n".join([*lines, "import sys", "print(*sys.modules)"])
    # A measuring tool that starts with the interpreter would bring modules of its own.
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("COV", "PYTHON"))}
    done = subprocess.run(
        [sys.executable, "-c", program],
        check=False,
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=environment,
    )
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split())


@functools.cache
def costly() -> frozenset[str]:
    """Give the modules that the hot path must do without."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        lint = tomllib.load(file)["tool"]["ruff"]["lint"]
    banned = lint["flake8-tidy-imports"]["banned-module-level-imports"]
    return frozenset(banned) - loaded_by(PERMITTED)


@pytest.mark.parametrize("floor", [floor for floor in HOT_FLOORS if is_there(floor)])
def test_a_hot_floor_imports_nothing_costly(floor: str) -> None:
    """Importing every module of a floor of the hot path brings in no costly module."""
    assert not loaded_by(modules_of(floor)) & costly()


def test_a_costly_import_would_be_seen() -> None:
    """The measure itself finds a costly module, also one that came along with another."""
    assert {"dataclasses", "inspect"} <= loaded_by(["dataclasses"]) & costly()
