"""What an importer is: it recognises a path, and reads it as a stream of findings.

An importer knows nothing of the node: it turns bytes into :class:`Found` and :class:`Skipped`
values, in order, in bounded memory, and the same bytes always give the same values. ``key`` names
the record within its source for good (its own stable id, else relative path and content hash), so
that importing twice makes the same ids. One bad record is a :class:`Skipped` with its place and
reason, and the rest flows; what is passed by on purpose, such as a file of no known format, is an
:class:`Ignored`, so that it can be counted. Adding a format is one file and one line in
``importers.FORMATS``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple, Protocol

MAX_RECORD_BYTES = 16_777_216
"""A line or a record larger than this is skipped and reported, never read into memory whole."""


class Found(NamedTuple):
    """One memory in a source. Times are milliseconds of UTC; ``source`` is provenance.

    ``key`` is stable within ``format``. ``source`` has ``format``, ``file``, and where known
    ``line``, ``conversation``, ``record``, ``author``, ``time``, ``cwd``, ``links``; all of it is
    text, whole numbers and lists of text. ``extra`` is set only by this system's own export, and
    is the line as it stands there: owner, audience and versions included.
    """

    key: str
    content: str
    source: Mapping[str, object]
    type: str = "note"
    summary: str = ""
    tags: tuple[str, ...] = ()
    author: str = ""
    session: str = ""
    position: int | None = None
    event_at: int | None = None
    extra: Mapping[str, object] = {}


class Record(NamedTuple):
    """A line of this system's own export that is no living memory: its kind, and the line."""

    kind: str
    data: Mapping[str, object]
    place: str


class Skipped(NamedTuple):
    """A record that was not taken, where it stands (``file:line``), and why, in a few words."""

    place: str
    reason: str


class Ignored(NamedTuple):
    """A file, folder or entry that was passed by on purpose, and why, in a few words."""

    place: str
    reason: str


Finding = Found | Record | Skipped | Ignored
Progress = Callable[[int], None]
"""Called with the number of bytes read since the last call."""


class Importer(Protocol):
    """One format. ``name`` is what ``--from`` takes; ``title`` is what people read."""

    @property
    def name(self) -> str:
        """The word for it on the command line."""

    @property
    def title(self) -> str:
        """What it reads, for people."""

    def recognises(self, path: str) -> bool:
        """Say whether this file or folder is of the format, from its name and first bytes."""

    def read(self, path: str, progress: Progress) -> Iterator[Finding]:
        """Yield what is in the file or folder, in a stable order."""
