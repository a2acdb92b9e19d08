"""What a person is told of an import."""

from __future__ import annotations

from agent_memory_os.cli.importing import _origin, _told
from agent_memory_os.importers.base import Ignored
from agent_memory_os.service.transfer.report import ImportReport
from tests.cli.program import Program


def report(**fields: object) -> ImportReport:
    """Return the report of an import of one file, but for some fields."""
    plain: dict[str, object] = dict.fromkeys(ImportReport._fields, 0)
    plain |= dict.fromkeys(("skipped", "ignored", "masked", "sample"), ())
    plain |= {"files": 1, "by_format": {"codex": 2}, "is_dry": False}
    return ImportReport(**plain | fields)  # type: ignore[arg-type]


def test_few_that_were_passed_by_are_named() -> None:
    """What was passed by on purpose is named where it is little, else counted."""
    one = Ignored("a.md", "empty")
    assert _told("x", report(ignored=(one,), ignored_count=1))[1:] == ["  passed by a.md: empty"]
    (line,) = _told("x", report(ignored=(one,), ignored_count=1_000))[1:]
    assert line.startswith("  passed by on purpose: 1,000")


def test_each_format_is_told_where_there_are_several() -> None:
    """Of one format only the files are counted, of several how much is of each."""
    assert _origin(report()) == ", from 1 file of codex"
    both = {"markdown": 1, "codex": 2}
    assert _origin(report(by_format=both)) == ", from 1 file (2 of codex, 1 of markdown)"
    assert _origin(report(by_format={})) == ""


def test_what_an_import_masks_and_skips_is_told(fleet: Program) -> None:
    """A secret is masked with a word on how to keep it, and lines that are none are named."""
    key = "ghp_" + "a1B2c3D4e5" * 4
    (fleet.folder / "notes.md").write_text(f"- keep {key[:40]}\n", encoding="utf-8")
    told = fleet.run("import", "notes.md")
    assert told.status == 0
    assert "--allow-secrets" in told.err
    lines = fleet.do("export") + "{}\n" * 30
    (fleet.folder / "lines.jsonl").write_text(lines, encoding="utf-8")
    told = fleet.run("import", "lines.jsonl")
    assert "skipped" in told.err
    assert "more were skipped" in told.err
