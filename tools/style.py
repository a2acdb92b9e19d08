"""The parts of the house style that a linter does not know, as pure functions over source text.

A module has at most 400 lines, a function at most 60, a folder at most 12 modules (except where it
is one file for each entry of a kind). A module is named with one word for what it holds, never for
being of use. A test says in one sentence what holds.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath

MODULE_LINES = 400
FUNCTION_LINES = 60
FOLDER_MODULES = 12
VAGUE_NAMES = {"common", "helper", "helpers", "manager", "misc", "util", "utils"}

# One file for each entry of a kind: these folders grow as the kind does. Their tests mirror them.
# A benchmark is a figure, and a law's tests are of one law.
KINDS = {
    "agent_memory_os/api/routes",
    "agent_memory_os/cli",
    "agent_memory_os/exporters",
    "agent_memory_os/importers",
    "agent_memory_os/integrations",
    "agent_memory_os/laws",
    "benchmarks",
}

SENTENCE_END = re.compile(r"[.?!][\"')`]*\s+(?=[A-Z`\"'(])")

Function = ast.FunctionDef | ast.AsyncFunctionDef


def module_problems(path: PurePosixPath, source: str) -> Iterator[str]:
    """Yield a sentence for each rule that one module breaks."""
    if path.stem in VAGUE_NAMES:
        yield f"{path}: is named for being of use; name it for what it holds"
    lines = len(source.splitlines())
    if lines > MODULE_LINES:
        yield f"{path}: has {lines} lines, and {MODULE_LINES} are the most"
    for function in _functions(source):
        yield from _function_problems(path, function)


def folder_problems(paths: Iterable[PurePosixPath]) -> Iterator[str]:
    """Yield a sentence for each folder that holds more modules than it may."""
    modules: dict[PurePosixPath, int] = {}
    for path in paths:
        if path.name not in {"__init__.py", "__main__.py", "conftest.py"}:
            modules[path.parent] = modules.get(path.parent, 0) + 1
    for folder, count in sorted(modules.items()):
        if count > FOLDER_MODULES and not is_kind(folder):
            yield f"{folder}: has {count} modules, and {FOLDER_MODULES} are the most"


def is_kind(folder: PurePosixPath) -> bool:
    """Say whether a folder is one file for each entry of a kind, or the tests of one."""
    mirrored = PurePosixPath("agent_memory_os", *folder.parts[1:])
    return str(mirrored if folder.parts[0] == "tests" else folder) in KINDS


def is_one_sentence(text: str | None) -> bool:
    """Say whether a docstring is one sentence, and ends as one."""
    if not text:
        return False
    words = " ".join(text.split())
    return words.endswith((".", "?", "!")) and not SENTENCE_END.search(words)


def _functions(source: str) -> Iterator[Function]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, Function):
            yield node


def _function_problems(path: PurePosixPath, function: Function) -> Iterator[str]:
    where = f"{path}:{function.lineno}: {function.name}"
    lines = (function.end_lineno or function.lineno) - function.lineno + 1
    if lines > FUNCTION_LINES:
        yield f"{where} has {lines} lines, and {FUNCTION_LINES} are the most"
    if _is_test(path, function) and not is_one_sentence(ast.get_docstring(function)):
        yield f"{where} must say in a docstring of one sentence what holds"


def _is_test(path: PurePosixPath, function: Function) -> bool:
    return path.name.startswith("test_") and function.name.startswith("test_")
