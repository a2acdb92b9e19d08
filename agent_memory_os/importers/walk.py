"""A folder that holds several formats: every file goes to the format that recognises it.

The walk is in the order of names, so that the same folder always gives the same findings, and it
leaves out, and counts, what is no memory:

* hidden files and folders, but for the homes of agents (``.claude``, ``.codex`` and their kind),
  and in those the folders for plugins, logs, caches and the transcripts of helpers;
* ``node_modules`` and its kind;
* links, wherever they lead: what lies inside the folder is met at its own place, and what lies
  outside was not named. So no loop of links can hold the walk, and a cloned repository cannot
  bring in a file of its owner's;
* documents of a software project (below a ``pyproject.toml``, a ``package.json`` and their kind),
  which are not anybody's notes. The files where agents keep memory are taken there too.

What the person named is never left out for any of these reasons. A file or folder that cannot be
read is reported, and the rest flows.
"""

from __future__ import annotations

import os
import stat
import unicodedata
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from agent_memory_os.errors import UnknownFormat
from agent_memory_os.importers import stream
from agent_memory_os.importers.base import Finding, Ignored, Progress, Skipped

if TYPE_CHECKING:
    from agent_memory_os.importers.format import Format

HOMES = frozenset({".agents", ".claude", ".codex", ".gemini", ".hermes", ".openclaw"})
"""Hidden folders in which agents keep what they remember."""

_IN_HOMES = frozenset({"logs", "plugins", "skills", "subagents", "tool-results"})
_ATOP_HOMES = frozenset(
    "agents backups cache commands debug file-history ide log output-styles paste-cache plans"
    " prompts session-env shell-snapshots statsig tasks telemetry tmp todos".split()
)
_EVERYWHERE = frozenset(
    {"node_modules", "bower_components", "site-packages", "__pycache__", "venv"}
)
_PROJECT_FILES = frozenset(
    "pyproject.toml setup.py package.json Cargo.toml go.mod pom.xml build.gradle build.gradle.kts"
    " CMakeLists.txt Makefile composer.json Gemfile mix.exs Package.swift".split()
)


class Job(NamedTuple):
    """A file of the folder, its name relative to it, and the format that takes it."""

    path: str
    file: str
    format: Format
    size: int


class _Folder(NamedTuple):
    path: str
    file: str
    in_project: bool
    in_home: bool
    atop_home: bool


def jobs(root: str, formats: Sequence[Format]) -> Iterator[Job]:
    """Yield the files that are taken."""
    return (step for step in walk(root, formats) if isinstance(step, Job))


def read_folder(root: str, formats: Sequence[Format], progress: Progress) -> Iterator[Finding]:
    """Yield what is in the folder, file by file, with what was passed by in its place."""
    for step in walk(root, formats):
        if not isinstance(step, Job):
            yield step
            continue
        try:
            yield from step.format.read_file(stream.Source(step.path, step.file, progress))
        except UnknownFormat as error:
            yield Skipped(step.file, str(error))


def walk(root: str, formats: Sequence[Format]) -> Iterator[Job | Ignored | Skipped]:
    """Yield every file below ``root`` that is taken, and what is passed by, in order of names."""
    stack = [_entries(_top(root), formats)]
    while stack:
        step = next(stack[-1], None)
        if step is None:
            stack.pop()
        elif isinstance(step, _Folder):
            stack.append(_entries(step, formats))
        else:
            yield step


def shown(name: str) -> str:
    """Return the name of a file as provenance and keys show it, the same on every system."""
    readable = os.fsencode(name).decode("utf-8", "backslashreplace")
    return unicodedata.normalize("NFC", readable)


def _entries(
    folder: _Folder, formats: Sequence[Format]
) -> Iterator[Job | Ignored | Skipped | _Folder]:
    try:
        with os.scandir(folder.path) as scan:
            entries = sorted(scan, key=lambda entry: os.fsencode(entry.name))
    except OSError as error:
        yield Skipped(folder.file or folder.path, f"cannot be read: {error.strerror or error}")
        return
    if not folder.in_project and any(entry.name in _PROJECT_FILES for entry in entries):
        folder = folder._replace(in_project=True)
    for entry in entries:
        yield _entry(entry, folder, formats)


def _entry(
    entry: os.DirEntry[str], folder: _Folder, formats: Sequence[Format]
) -> Job | Ignored | Skipped | _Folder:
    file = f"{folder.file}/{shown(entry.name)}".lstrip("/")
    try:
        status = entry.stat(follow_symlinks=False)
        if stat.S_ISLNK(status.st_mode):
            return Ignored(file, "a link; name its target to import it")
        if stat.S_ISDIR(status.st_mode):
            return _enter(entry, file, folder)
        if not stat.S_ISREG(status.st_mode):
            return Ignored(file, "neither a file nor a folder")
        return _take(entry, file, status.st_size, folder, formats)
    except OSError as error:
        return Skipped(file, f"cannot be read: {error.strerror or error}")


def _enter(entry: os.DirEntry[str], file: str, folder: _Folder) -> Ignored | _Folder:
    name = entry.name
    if name in HOMES:
        return _Folder(entry.path, file, folder.in_project, in_home=True, atop_home=True)
    if name.startswith("."):
        return Ignored(file, "hidden")
    is_noise = (
        name in _EVERYWHERE
        or (folder.in_home and name in _IN_HOMES)
        or (folder.atop_home and name in _ATOP_HOMES)
    )
    if is_noise:
        return Ignored(file, "holds no memories")
    return folder._replace(path=entry.path, file=file, atop_home=False)


def _take(
    entry: os.DirEntry[str], file: str, size: int, folder: _Folder, formats: Sequence[Format]
) -> Job | Ignored:
    if entry.name.startswith("."):
        return Ignored(file, "hidden")
    if not size:
        return Ignored(file, "empty")
    # Where one format was asked for, what is a document of a project was asked for too.
    in_project = folder.in_project and len(formats) > 1
    head = stream.head(entry.path, walked=True, project=in_project)
    for format_ in formats:
        if format_.knows(head):
            return Job(entry.path, file, format_, size)
    return Ignored(file, "of no known format")


def _top(root: str) -> _Folder:
    parts = os.path.abspath(root).split(os.sep)
    in_home = not HOMES.isdisjoint(parts)
    return _Folder(root, "", in_project=False, in_home=in_home, atop_home=parts[-1] in HOMES)
