"""What an import reports: how much was found, and what became of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from agent_memory_os.importers.base import Finding, Found, Ignored, Skipped
from agent_memory_os.value import NamedTuple

ADDED = "added"
KNOWN = "known"
FORGOTTEN = "forgotten"

_SHOWN = 100
_SAMPLE = 5


class ImportReport(NamedTuple):
    """What became of an import.

    ``found`` counts the memories in the source, ``added`` those that are new, ``known`` those that
    were there, ``forgotten`` those that stay forgotten, ``restored`` agents, teams, members and
    links that were put back. ``skipped`` are the first of the records that could not be taken, all
    of them ``skipped_count``; ``ignored`` are the first of what was passed by on purpose.
    """

    files: int
    found: int
    added: int
    known: int
    forgotten: int
    restored: int
    skipped: tuple[Skipped, ...]
    skipped_count: int
    ignored: tuple[Ignored, ...]
    ignored_count: int
    masked: tuple[str, ...]
    by_format: Mapping[str, int]
    sample: tuple[Found, ...]
    is_dry: bool


class Tally:
    """Counts what becomes of each finding while an import runs."""

    def __init__(self, *, is_dry: bool) -> None:
        self._is_dry = is_dry
        self._outcomes: Counter[str] = Counter()
        self._formats: Counter[str] = Counter()
        self._files: set[str] = set()
        self._skipped: list[Skipped] = []
        self._ignored: list[Ignored] = []
        self._sample: list[Found] = []
        self._skipped_count = self._ignored_count = self._found = 0
        self.restored = 0
        self.newest = ""
        self.masked: dict[str, None] = {}
        self.said: set[bytes] = set()

    def see(self, finding: Finding) -> None:
        """Count a finding as it comes."""
        if isinstance(finding, Found):
            self._found += 1
            self._files.add(str(finding.source.get("file", "")))
        elif isinstance(finding, Skipped):
            self.skip(finding)
        elif isinstance(finding, Ignored):
            self._ignored_count += 1
            if len(self._ignored) < _SHOWN:
                self._ignored.append(finding)

    def count(self, outcome: str, found: Found) -> None:
        """Count what became of a memory."""
        self._outcomes[outcome] += 1
        self.newest = found.key if outcome == ADDED else ""
        self._formats[str(found.source.get("format", ""))] += 1
        if outcome == ADDED and len(self._sample) < _SAMPLE:
            self._sample.append(found)

    @property
    def added(self) -> int:
        """How many memories were new so far."""
        return self._outcomes[ADDED]

    def skip(self, skipped: Skipped) -> None:
        """Count a record that could not be taken."""
        self._skipped_count += 1
        if len(self._skipped) < _SHOWN:
            self._skipped.append(skipped)

    def report(self) -> ImportReport:
        """Return the report."""
        return ImportReport(
            files=len(self._files),
            found=self._found,
            added=self.added,
            known=self._outcomes[KNOWN],
            forgotten=self._outcomes[FORGOTTEN],
            restored=self.restored,
            skipped=tuple(self._skipped),
            skipped_count=self._skipped_count,
            ignored=tuple(self._ignored),
            ignored_count=self._ignored_count,
            masked=tuple(self.masked),
            by_format=dict(self._formats),
            sample=tuple(self._sample),
            is_dry=self._is_dry,
        )
