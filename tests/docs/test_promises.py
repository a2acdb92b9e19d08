"""What SPEC.md, SECURITY.md and docs/federation.md promise in words is what the code has."""

from __future__ import annotations

import ast
import inspect
import re
from functools import cache
from pathlib import Path

import pytest

import agent_memory_os
from agent_memory_os import errors
from agent_memory_os.model import audience, memory
from agent_memory_os.recall import pipeline

ROOT = Path(__file__).parents[2]
PACKAGE = Path(agent_memory_os.__file__).parent
FEDERATION = ROOT / "docs" / "federation.md"
SPEC = (ROOT / "SPEC.md").read_text(encoding="utf-8")
NETWORK = frozenset(
    "aiohttp asyncio ftplib http httpx imaplib poplib requests smtplib socket socketserver ssl "
    "telnetlib urllib urllib3 webbrowser wsgiref xmlrpc".split()
)

CONNECTED = tuple(
    PACKAGE.joinpath(*parts)
    for parts in (
        ("api",),
        ("remote",),
        ("server",),
        ("federation", "transport"),
        ("federation", "discovery"),
    )
)
"""The floors, and the folders of one, that are there to connect."""
WAITING = {PACKAGE / "client" / name for name in ("asynchronous.py", "following.py")}
"""What waits in an event loop for threads, and opens nothing itself."""

THREATS = "## Who could do what, and what holds it\n"
NAMED = re.compile(r"`([\w/]+\.py)::(\w+)`")


def imported(source: str) -> set[str]:
    """Return the top names of what a module imports, wherever in it."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {name.name.partition(".")[0] for name in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module.partition(".")[0])
    return found


def test_nothing_leaves_the_machine_unasked() -> None:
    """Only what serves a node, or asks one that is served, imports what opens a connection."""
    for path in PACKAGE.rglob("*.py"):
        if not any(path.is_relative_to(folder) for folder in CONNECTED):
            found = imported(path.read_text(encoding="utf-8")) & NETWORK
            assert found <= ({"asyncio"} if path in WAITING else set()), path


def test_the_types_are_told() -> None:
    """SPEC.md lists the types of a memory."""
    assert f"- Types: {', '.join(memory.TYPES)}." in SPEC


def test_the_grants_are_told() -> None:
    """SPEC.md has a row for each kind of grant."""
    told = re.findall(r"^\| `(\w+)[:`]", SPEC, re.MULTILINE)
    assert told == [*audience.KINDS, audience.GLOBAL]


def test_the_stages_are_told() -> None:
    """SPEC.md has the stages of recall in their order, and the pack after them."""
    source = inspect.getsource(pipeline.stages)
    stages = re.findall(r"\w+", source.rpartition("return (")[2].partition(")")[0])
    told = re.findall(r"^\| (gather|fuse|admit|rank|arbitrate|pack) \|", SPEC, re.MULTILINE)
    assert told == [*stages, "pack"]


def test_the_exit_statuses_are_told() -> None:
    """SPEC.md has each exit status that an error has."""
    told = set(re.findall(r"^\| (\d) \|", SPEC, re.MULTILINE))
    branches = (errors.Refused, errors.UsageError, errors.Damaged)
    assert told == {"0", *(str(branch.exit_status) for branch in branches)}


def threats() -> list[str]:
    """Return the rows of the section's two tables, without their heads."""
    text = FEDERATION.read_text(encoding="utf-8").partition(THREATS)[2].partition("\n## ")[0]
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
        and not any(ast.unparse(mark)[-9:] == "mark.soak" for mark in one.decorator_list)
    )


@pytest.mark.parametrize("row", threats(), ids=lambda row: row[2:40])
def test_each_threat_is_held_by_tests_that_run(row: str) -> None:
    """A row names at least one test; each is in its module, which pytest collects."""
    named = NAMED.findall(row)
    assert named
    assert len(named) == row.count("::")
    for module, test in named:
        assert Path(module).name.startswith("test_")
        assert test.startswith("test_")
        assert test in collected(ROOT / "tests" / module), (module, test)


def test_there_are_both_tables() -> None:
    """The threats of the design and what failed elsewhere are all there."""
    assert len(threats()) == 13 + 28
