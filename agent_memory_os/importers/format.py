"""A format by name: its module is imported when a file is first shown to it, and not before.

The module has two functions: ``recognises(head)``, which looks at a file's name and first bytes,
and ``read(source)``, which yields the findings of one file. Everything else is the same for all
formats: a folder is walked, and what cannot be opened is reported and passed over.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib import import_module
from typing import NamedTuple, Protocol, cast

from agent_memory_os.importers import stream, walk
from agent_memory_os.importers.base import Finding, Progress, Skipped


class Reader(Protocol):
    """What the module of a format offers."""

    def recognises(self, head: stream.Head) -> bool:
        """Say whether a file with this head is of the format."""

    def read(self, source: stream.Source) -> Iterator[Finding]:
        """Yield what is in one file, in a stable order."""


class Format(NamedTuple):
    """An :class:`base.Importer` whose code lies in ``importers/<module>.py``."""

    name: str
    title: str
    module: str

    def recognises(self, path: str) -> bool:
        """Say whether the file is of this format, or the folder has a file of it."""
        if os.path.isdir(path):
            return any(True for _ in walk.jobs(path, (self,)))
        return self.knows(stream.named(path))

    def knows(self, head: stream.Head) -> bool:
        """Say whether a file with this head is of this format."""
        return self._reader().recognises(head)

    def read(self, path: str, progress: Progress) -> Iterator[Finding]:
        """Yield what is in the file, or in the files of this format in the folder.

        A file is read whether it is recognised or not: whoever names a format means it. Raises
        :class:`InvalidInput` where there is nothing to read.
        """
        if os.path.isdir(path):
            return walk.read_folder(path, (self,), progress)
        stream.named(path)
        name = walk.shown(os.path.basename(os.path.abspath(path)))
        return self.read_file(stream.Source(path, name, progress))

    def read_file(self, source: stream.Source) -> Iterator[Finding]:
        """Yield what is in one file; it is a :class:`Skipped` where it cannot be read."""
        try:
            yield from self._reader().read(source)
        except OSError as error:
            yield Skipped(source.file, f"cannot be read: {error.strerror or error}")

    def _reader(self) -> Reader:
        module: object = import_module(f"agent_memory_os.importers.{self.module}")
        return cast("Reader", module)
