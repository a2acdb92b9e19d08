"""What ``docs/federation.md`` says to be held by a test is held by one that is there and runs."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
PAGE = TESTS.parent / "docs" / "federation.md"
SECTION = "## Who could do what, and what holds it\n"
NAMED = re.compile(r"`([\w/]+\.py)::(\w+)`")


def rows() -> list[str]:
    """Return the rows of the section's two tables, without their heads."""
    text = PAGE.read_text(encoding="utf-8").partition(SECTION)[2].partition("\n## ")[0]
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    return [line for line in lines if not line.endswith("held by |")]


@cache
def collected(path: Path) -> frozenset[str]:
    """Return the tests of a module that every check runs, at least in part."""
    found = ast.parse(path.read_text(encoding="utf-8")).body
    return frozenset(
        one.name
        for one in found
        if isinstance(one, ast.FunctionDef)
        and not any("mark.soak" == ast.unparse(mark)[-9:] for mark in one.decorator_list)
    )


@pytest.mark.parametrize("row", rows(), ids=lambda row: row[2:40])
def test_each_threat_is_held_by_tests_that_run(row: str) -> None:
    """A row names at least one test; each is in its module, which pytest collects."""
    named = NAMED.findall(row)
    assert named
    assert len(named) == row.count("::")
    for module, test in named:
        assert Path(module).name.startswith("test_")
        assert test.startswith("test_")
        assert test in collected(TESTS / module), (module, test)


def test_there_are_both_tables() -> None:
    """The threats of the design and what failed elsewhere are all there."""
    assert len(rows()) == 13 + 28
