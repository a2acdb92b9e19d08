"""Folders of several formats: what is taken, what is passed by, and what cannot stop the walk."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent_memory_os.importers import FORMATS, Mixed, by_name, recognise, stream, walk, weigh
from agent_memory_os.importers.base import Found, Ignored, Skipped
from tests.importers.sample import (
    CLAUDE,
    CODEX,
    FACT,
    HERMES,
    NOTE,
    OWN,
    SESSION,
    found,
    ignored,
    put,
    read,
    said,
    skipped,
)


def taken(path: Path) -> list[tuple[str, str]]:
    """Return the files that are taken, each with the format that takes it."""
    return [(job.file, job.format.name) for job in walk.jobs(str(path), FORMATS)]


def test_each_file_goes_to_the_format_that_recognises_it(tmp_path: Path) -> None:
    """A folder may hold all of them, and is read in the order of names."""
    put(tmp_path, "b/CLAUDE.md", "- x\n")
    put(tmp_path, "b/memory/paper.md", FACT)
    put(tmp_path, "a/s.jsonl", CLAUDE)
    put(tmp_path, "c.jsonl", CODEX)
    put(tmp_path, "d.jsonl", OWN)
    put(tmp_path, "e.md", NOTE)
    assert taken(tmp_path) == [
        ("a/s.jsonl", "claude-code"),
        ("b/CLAUDE.md", "markdown"),
        ("b/memory/paper.md", "claude-memory"),
        ("c.jsonl", "codex"),
        ("d.jsonl", "agent-memory"),
        ("e.md", "markdown"),
    ]
    assert {memory.source["file"] for memory in found(read(tmp_path))} == {
        file for file, _ in taken(tmp_path)
    }


def test_a_home_of_agents_is_read_and_its_noise_is_not(tmp_path: Path) -> None:
    """Where agents keep memory is taken, and their plugins, logs and helpers are passed by."""
    home = put(tmp_path, ".bashrc", "x").parent
    put(home, f".claude/projects/-srv-kiosk/{SESSION}.jsonl", CLAUDE)
    put(home, f".claude/projects/-srv-kiosk/{SESSION}/subagents/agent-1.jsonl", CLAUDE)
    put(home, ".claude/projects/-srv-kiosk/memory/paper.md", FACT)
    put(home, ".claude/CLAUDE.md", "- x\n")
    put(home, ".claude/plugins/p/README.md", "words")
    put(home, ".claude/commands/review.md", "words")
    put(home, ".claude/history.jsonl", '{"display": "x", "timestamp": 1}\n')
    put(home, ".codex/sessions/2026/10/05/rollout-x.jsonl", CODEX)
    put(home, ".codex/memories/MEMORY.md", "- x\n")
    put(home, ".codex/memories/raw_memories.md", "")
    put(home, ".hermes/memories/USER.md", HERMES)
    put(home, ".hermes/skills/tea/SKILL.md", "words")
    put(home, ".openclaw/workspace/MEMORY.md", "- x\n")
    put(home, ".openclaw/workspace/SOUL.md", "words")
    put(home, ".openclaw/workspace/plans/x.md", "- x\n")
    put(home, ".cache/x.md", "words")
    put(home, "notes/node_modules/x/README.md", "words")
    put(home, "notes/.git/x.md", "words")
    assert [file for file, _ in taken(home)] == [
        ".claude/CLAUDE.md",
        f".claude/projects/-srv-kiosk/{SESSION}.jsonl",
        ".claude/projects/-srv-kiosk/memory/paper.md",
        ".codex/memories/MEMORY.md",
        ".codex/sessions/2026/10/05/rollout-x.jsonl",
        ".hermes/memories/USER.md",
        ".openclaw/workspace/MEMORY.md",
        ".openclaw/workspace/plans/x.md",
    ]
    assert len(ignored(read(home))) == 11


def test_the_files_of_a_project_are_not_taken_for_notes(tmp_path: Path) -> None:
    """Below a build file only the homes of memory are taken; a named format takes what it knows."""
    put(tmp_path, "shop/pyproject.toml", "")
    put(tmp_path, "shop/README.md", "words")
    put(tmp_path, "shop/docs/guide.md", "words")
    put(tmp_path, "shop/CLAUDE.md", "- x\n")
    put(tmp_path, "shop/memory/2026-10-06.md", "- y\n")
    put(tmp_path, "notes/README.md", "words")
    assert [file for file, _ in taken(tmp_path)] == [
        "notes/README.md",
        "shop/CLAUDE.md",
        "shop/memory/2026-10-06.md",
    ]
    assert len(said(read(tmp_path, "markdown"))) == 5
    assert said(read(tmp_path / "shop/README.md")) == ["words"]


def test_links_are_not_followed(tmp_path: Path) -> None:
    """No loop holds the walk, nothing is met twice, and nothing outside the folder is read."""
    outside = put(tmp_path, "outside/secret.md", "secret")
    inside = put(tmp_path, "inside/a/note.md", "words").parent
    (inside / "loop").symlink_to(tmp_path / "inside")
    (inside / "out").symlink_to(outside.parent)
    (inside / "CLAUDE.md").symlink_to(outside)
    (inside / "gone.md").symlink_to(tmp_path / "gone")
    findings = read(tmp_path / "inside")
    assert said(findings) == ["words"]
    assert sorted(finding.place for finding in ignored(findings)) == [
        "a/CLAUDE.md",
        "a/gone.md",
        "a/loop",
        "a/out",
    ]


def test_a_link_that_is_named_is_followed(tmp_path: Path) -> None:
    """What the person names is what the person means."""
    put(tmp_path, "notes/a.md", "words")
    (tmp_path / "link").symlink_to(tmp_path / "notes")
    assert said(read(tmp_path / "link")) == ["words"]


def test_what_is_no_file_is_passed_by(tmp_path: Path) -> None:
    """A pipe does not stop the walk, and an empty file is no fault."""
    put(tmp_path, "a.md", "words")
    put(tmp_path, "b.md", "")
    put(tmp_path, "c.png", b"\x89PNG\0")
    os.mkfifo(tmp_path / "d.md")
    findings = read(tmp_path)
    assert said(findings) == ["words"]
    assert [(finding.place, finding.reason) for finding in ignored(findings)] == [
        ("b.md", "empty"),
        ("c.png", "of no known format"),
        ("d.md", "neither a file nor a folder"),
    ]


def test_a_file_that_vanishes_is_reported(tmp_path: Path) -> None:
    """What cannot be opened any more is skipped with its reason, and the rest flows."""
    first = put(tmp_path, "a.md", "words")
    put(tmp_path, "b.md", "more")
    second = put(tmp_path, "c/d.md", "folder")
    findings = recognise(str(tmp_path)).read(str(tmp_path), lambda _: None)
    steps = walk.walk(str(tmp_path), FORMATS)
    assert isinstance(next(steps), walk.Job)
    first.unlink()
    second.unlink()
    second.parent.rmdir()
    assert [type(step).__name__ for step in steps] == ["Job", "Skipped"]
    (gone_folder,) = walk.walk(str(second.parent), FORMATS)
    assert isinstance(gone_folder, Skipped)
    assert said(list(findings)) == ["more"]
    job = walk.Job(str(first), "a.md", FORMATS[-1], 5)
    (gone,) = job.format.read_file(stream.Source(job.path, job.file, lambda _: None))
    assert gone == ("a.md", "cannot be read: No such file or directory")


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may read everything")
def test_a_folder_that_may_not_be_read_is_reported(tmp_path: Path) -> None:
    """Files and folders without permission are skipped, and the rest flows."""
    put(tmp_path, "a.md", "words")
    put(tmp_path, "b.md", "secret").chmod(0)
    closed = put(tmp_path, "c/d.md", "secret").parent
    closed.chmod(0)
    findings = read(tmp_path)
    closed.chmod(0o700)
    assert said(findings) == ["words"]
    assert [finding.place for finding in skipped(findings)] == ["b.md", "c"]


@pytest.fixture
def deep(tmp_path: Path) -> Iterator[Path]:
    """Return a folder with 1,200 folders in one another, and take it down again."""
    path = str(tmp_path / "deep")
    paths = []
    for _ in range(1200):
        os.mkdir(path)
        paths.append(path)
        path += "/d"
    put(Path(paths[-1]), "note.md", "words")
    yield tmp_path
    os.unlink(f"{paths[-1]}/note.md")
    for made in reversed(paths):
        os.rmdir(made)


def test_a_folder_may_be_deeper_than_the_stack(deep: Path) -> None:
    """The depth of folders is no depth of calls."""
    assert said(read(deep)) == ["words"]


def test_names_in_any_bytes_are_shown(tmp_path: Path) -> None:
    """A name that is not UTF-8, or composed in another way, gives a key of plain text."""
    (tmp_path / os.fsdecode(b"caf\xe9.md")).write_text("words")
    put(tmp_path, "cafe\N{COMBINING ACUTE ACCENT}.md", "more")
    files = [memory.source["file"] for memory in found(read(tmp_path))]
    assert files == ["café.md", "caf\\xe9.md"]


def test_the_same_folder_elsewhere_has_the_same_keys(tmp_path: Path) -> None:
    """Keys follow the path relative to what is named, and not where that lies."""
    for place in ("one", "two"):
        put(tmp_path / place, "notes/tea.md", NOTE)
        put(tmp_path / place, "CLAUDE.md", "- x\n")
    first, second = (found(read(tmp_path / place)) for place in ("one", "two"))
    assert [memory.key for memory in first] == [memory.key for memory in second]
    assert first == second


def test_a_format_by_name_reads_only_its_own(tmp_path: Path) -> None:
    """In a folder, files of other formats are passed by when one is asked for."""
    put(tmp_path, "a.jsonl", CLAUDE)
    put(tmp_path, "b.jsonl", CODEX)
    findings = read(tmp_path, "codex")
    assert {finding.source["format"] for finding in findings if isinstance(finding, Found)} == {
        "codex"
    }
    assert Ignored("a.jsonl", "of no known format") in findings
    assert by_name("codex").recognises(str(tmp_path))
    assert not by_name("agent-memory").recognises(str(tmp_path))


def test_the_weight_is_what_will_be_read(tmp_path: Path) -> None:
    """A progress bar ends where its total says, for a file, a folder and one format of it."""
    path = put(tmp_path, "a.jsonl", CLAUDE)
    put(tmp_path, "b.jsonl", CODEX)
    put(tmp_path, "c.png", b"\x89PNG\0")
    for target, importer in ((path, FORMATS[1]), (tmp_path, Mixed()), (tmp_path, FORMATS[2])):
        counts: list[int] = []
        list(importer.read(str(target), counts.append))
        assert sum(counts) == weigh(str(target), importer) > 0
