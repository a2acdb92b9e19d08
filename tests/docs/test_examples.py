"""What the documentation shows is what happens."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.cli.program import KEPT
from tests.docs.console import run
from tests.docs.page import Command, File, is_run, steps

ROOT = Path(__file__).parents[2]
GUIDE = [ROOT / "README.md", *sorted((ROOT / "docs" / "guide").glob("*.md"))]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]


def name(page: Path) -> str:
    """Give a page's path within the project."""
    return str(page.relative_to(ROOT))


def has_examples(page: Path) -> bool:
    """Say whether a page shows anything that is run."""
    found = steps(page.read_text(encoding="utf-8"))
    return any(not isinstance(step, File) for step in found)


@pytest.mark.parametrize("page", [page for page in PAGES if has_examples(page)], ids=name)
def test_examples_do_what_they_show(page: Path, tmp_path: Path) -> None:
    """Every command and program of a page, run in order in a new home, prints what it shows."""
    environment = {
        "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
        "HOME": str(tmp_path),
        "USER": "sam",
        "LOGNAME": "sam",
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "COLUMNS": "100",
        **{name: value for name, value in os.environ.items() if name.startswith(KEPT)},
    }
    folder = tmp_path / "work"
    folder.mkdir()
    run(list(steps(page.read_text(encoding="utf-8"))), folder, environment)


@pytest.mark.parametrize("page", GUIDE, ids=name)
def test_the_guide_shows_what_it_tells(page: Path) -> None:
    """No page of the guide does without examples that are run."""
    found = steps(page.read_text(encoding="utf-8"))
    assert any(not isinstance(step, Command) or is_run(step) for step in found)
