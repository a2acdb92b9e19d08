"""A sentence that stands in two files is one memory, and what was forgotten of it stays so."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent_memory_os.model.recall import Filter
from agent_memory_os.service.transfer import ImportReport
from tests.store.sample import Fleet

SENTENCE = "- Never deploy between 11:00 and 14:00\n"


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """Give two files in folders of their own that share a sentence, and differ in another."""
    paths = []
    for name in ("shop", "farm"):
        path = tmp_path / name / "CLAUDE.md"
        path.parent.mkdir()
        path.write_text(f"{SENTENCE}- Run `make {name}`\n", encoding="utf-8")
        paths.append(path)
    return paths[0], paths[1]


def bring(
    fleet: Fleet, path: Path, audience: str = "private", *, dry_run: bool = False
) -> ImportReport:
    """Import a file for Ada."""
    import_path = fleet.node.transfer.import_path
    return import_path(fleet.ada, str(path), audience=audience, dry_run=dry_run)


def counts(report: ImportReport) -> tuple[int, int, int]:
    """Return how many were added, known, and stay forgotten."""
    return (report.added, report.known, report.forgotten)


def texts(fleet: Fleet) -> list[str]:
    """Return what Ada's memories say, in order."""
    page = fleet.node.memories.list(fleet.ada, Filter())
    return sorted(memory.text for memory in page.memories)


def test_a_sentence_in_two_files_is_one_memory(fleet: Fleet, files: tuple[Path, Path]) -> None:
    """The second file adds only what the first has not, and both are known from then on."""
    assert counts(bring(fleet, files[0])) == (2, 0, 0)
    assert counts(bring(fleet, files[1])) == (1, 1, 0)
    for path in files:
        assert counts(bring(fleet, path)) == (0, 2, 0)
    assert texts(fleet) == [
        "Never deploy between 11:00 and 14:00",
        "Run `make farm`",
        "Run `make shop`",
    ]


def test_for_another_audience_it_is_another_memory(fleet: Fleet, files: tuple[Path, Path]) -> None:
    """What is private and what is shared have two fates, and so have two memories."""
    bring(fleet, files[0])
    assert counts(bring(fleet, files[1], "team:apollo")) == (2, 0, 0)
    assert texts(fleet).count("Never deploy between 11:00 and 14:00") == 2


def test_what_was_forgotten_stays_so_in_each_file(fleet: Fleet, files: tuple[Path, Path]) -> None:
    """Neither the file that it came from nor another one that has it brings it back."""
    for path in files:
        bring(fleet, path)
    found = fleet.node.memories.list(fleet.ada, Filter()).memories
    (hit,) = (memory for memory in found if "deploy" in memory.text)
    fleet.node.memories.forget(fleet.ada, hit.id)
    for path in files:
        assert counts(bring(fleet, path, dry_run=True)) == (0, 1, 1)
        assert counts(bring(fleet, path)) == (0, 1, 1)
    fleet.node.memories.bring_back(fleet.ada, hit.id)
    assert counts(bring(fleet, files[1])) == (0, 2, 0)


def test_a_dry_run_foresees_what_is_the_same(fleet: Fleet, files: tuple[Path, Path]) -> None:
    """What is said twice is counted once, within a file and across files, as it will be."""
    folder = files[0].parents[1]
    (folder / "shop" / "AGENTS.md").write_text(SENTENCE * 2, encoding="utf-8")
    foreseen = bring(fleet, folder, dry_run=True)
    done = bring(fleet, folder)
    assert counts(foreseen) == counts(done) == (3, 3, 0)
