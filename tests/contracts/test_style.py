"""The project keeps to its own style."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

import pytest

from tools.style import folder_problems, module_problems

ROOT = Path(__file__).parents[2]
MODULES = [
    path.relative_to(ROOT)
    for top in ("agent_memory_os", "benchmarks", "tests", "tools")
    for path in sorted((ROOT / top).rglob("*.py"))
]


@pytest.mark.parametrize("module", MODULES, ids=str)
def test_module_keeps_to_the_style(module: Path) -> None:
    """A module is short, so are its functions, and its tests say what holds."""
    source = (ROOT / module).read_text(encoding="utf-8")
    assert not list(module_problems(PurePosixPath(module), source))


def test_folders_are_small() -> None:
    """A folder holds few enough modules to be looked over at once."""
    assert not list(folder_problems(PurePosixPath(module) for module in MODULES))
