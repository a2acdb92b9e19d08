"""What the documentation shows is what happens."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.docs.console import Command, is_run, run, steps

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs" / "guide").glob("*.md"))]


def shown(page: Path) -> bool:
    """Say whether a page shows a command that is run."""
    text = page.read_text(encoding="utf-8")
    return any(isinstance(step, Command) and is_run(step.text) for step in steps(text))


@pytest.mark.parametrize(
    "page", [page for page in PAGES if shown(page)], ids=lambda page: page.name
)
def test_examples_do_what_they_show(page: Path, tmp_path: Path) -> None:
    """Every command of a page, run in order in a new home, prints what the page shows."""
    environment = {
        "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
        "HOME": str(tmp_path),
        "USER": "sam",
        "LOGNAME": "sam",
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "COLUMNS": "100",
        **{name: value for name, value in os.environ.items() if name.startswith("COV")},
    }
    folder = tmp_path / "work"
    folder.mkdir()
    run(list(steps(page.read_text(encoding="utf-8"))), folder, environment)
