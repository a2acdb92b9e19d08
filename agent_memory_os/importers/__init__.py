"""Memories from the files of other programs, and from this system's own export.

``FORMATS`` is in the order of recognition, the most particular first. Importing this package
imports no format: the module of each is loaded when a file is first shown to it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import NamedTuple

from agent_memory_os.errors import InvalidInput, UnknownFormat
from agent_memory_os.importers import stream, walk
from agent_memory_os.importers.base import Finding, Importer, Progress
from agent_memory_os.importers.format import Format

FORMATS: tuple[Format, ...] = (
    Format("agent-memory", "an export of Agent Memory OS", "jsonl"),
    Format("claude-code", "session transcripts of Claude Code", "claude_code"),
    Format("codex", "rollouts and memories of Codex", "codex"),
    Format("claude-memory", "memory folders of Claude Code", "claude_memory"),
    Format("markdown", "CLAUDE.md, AGENTS.md, MEMORY.md, USER.md and other notes", "markdown"),
)

_LONGEST_NAME = 255
_names = ", ".join(format_.name for format_ in FORMATS)


class Mixed(NamedTuple):
    """A folder of several formats, each file read by the one that recognises it."""

    name: str = "folder"
    title: str = "a folder of any of these"

    def recognises(self, path: str) -> bool:
        """Say whether the folder has a file that any format recognises."""
        return os.path.isdir(path) and any(True for _ in walk.jobs(path, FORMATS))

    def read(self, path: str, progress: Progress) -> Iterator[Finding]:
        """Yield what is in the folder, in the order of its files' names."""
        return walk.read_folder(path, FORMATS, progress)


def by_name(name: str) -> Format:
    """Return the format of that name; raise :class:`UnknownFormat` where there is none."""
    wanted = name.strip().casefold().replace("_", "-")
    for format_ in FORMATS:
        if format_.name == wanted:
            return format_
    raise UnknownFormat(f"There is no format {name!r}; the formats are {_names}.")


def recognise(path: str) -> Importer:
    """Return the importer for a file or a folder.

    Raises :class:`InvalidInput` where there is nothing to read, and :class:`UnknownFormat` where
    no format knows it.
    """
    if os.path.isdir(path):
        if (mixed := Mixed()).recognises(path):
            return mixed
        raise UnknownFormat(
            f"No file in {path} is of a format that can be imported; the formats are {_names}."
        )
    return _knowing(stream.named(path))


def read_as(path: str, name: str, format_name: str | None) -> Iterator[Finding]:
    """Return what is in a file that is called otherwise where it comes from.

    Raises :class:`InvalidInput` where that is no name of a file, and :class:`UnknownFormat`.
    """
    if not name.strip(". ") or len(name.encode()) > _LONGEST_NAME or not name.isprintable():
        raise InvalidInput("The name of the file that is imported is none.")
    if "/" in name or "\\" in name:
        raise InvalidInput("The name of the file that is imported has no folder in it.")
    found = by_name(format_name) if format_name else _knowing(_called(path, name))
    return found.read_file(stream.Source(path, walk.shown(name), lambda _: None))


def _called(path: str, name: str) -> stream.Head:
    return stream.named(path)._replace(path=name, name=name)


def _knowing(head: stream.Head) -> Format:
    for format_ in FORMATS:
        if format_.knows(head):
            return format_
    raise UnknownFormat(
        f"{head.path} is of no format that can be imported; the formats are {_names}.",
        "name_format",
    )


def weigh(path: str, importer: Importer) -> int:
    """Return how many bytes ``importer`` will read there, for a progress bar."""
    if not os.path.isdir(path):
        return os.path.getsize(path)
    formats = (importer,) if isinstance(importer, Format) else FORMATS
    return sum(job.size for job in walk.jobs(path, formats))
