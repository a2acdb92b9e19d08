"""What SPEC.md and SECURITY.md promise in words is what the code has."""

from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path

import agent_memory_os
from agent_memory_os import errors
from agent_memory_os.model import audience, memory
from agent_memory_os.recall import pipeline

ROOT = Path(__file__).parents[2]
PACKAGE = Path(agent_memory_os.__file__).parent
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
