"""Markdown in its usual homes: which file is read how."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent_memory_os.importers.base import Found
from tests.importers.sample import found, ignored, put, read, said, skipped

LONG = "The till is counted each evening at six, and the sum is written down"


def contents(path: Path) -> list[tuple[str, str]]:
    """Return type and words of the memories of a file."""
    return [(memory.type, memory.content) for memory in found(read(path))]


@pytest.mark.parametrize("file", ["CLAUDE.md", "AGENTS.md", "GEMINI.md", ".claude/rules/till.md"])
def test_instructions_become_one_memory_an_entry(tmp_path: Path, file: str) -> None:
    """Bullets, numbered lists and paragraphs are memories, typed by their headings."""
    text = f"""# Kiosk

{LONG}.

## Commands

- test: `make test`

## Deploying

1. Build
2. Switch

## Style

- tabs

## Gotchas

- {LONG}
"""
    assert contents(put(tmp_path, file, text)) == [
        ("procedure", f"{LONG}."),
        ("procedure", "Commands: test: `make test`"),
        ("procedure", "Deploying:\n1. Build\n2. Switch"),
        ("preference", "Style: tabs"),
        ("warning", LONG),
    ]


def test_the_path_of_headings_is_the_summary(tmp_path: Path) -> None:
    """Headings from the outermost, without one that only repeats the file's name."""
    text = f"# AGENTS.md\n\n## Till\n\n### Evening\n\n- {LONG}\n\n## Door\n\n- {LONG} too\n"
    memories = found(read(put(tmp_path, "AGENTS.md", text)))
    assert [memory.summary for memory in memories] == ["Till › Evening", "Door"]


def test_a_paragraph_that_leads_is_told_with_each_bullet(tmp_path: Path) -> None:
    """What ends with a colon goes to the bullets below it, and is no memory alone."""
    text = "## Release\n\n**Before each release:**\n\n- run `make check`\n- write the changelog\n"
    assert said(read(put(tmp_path, "CLAUDE.md", text))) == [
        "Before each release: run `make check`",
        "Before each release: write the changelog",
    ]


def test_imports_are_not_followed_but_reported(tmp_path: Path) -> None:
    """A line that imports another file is passed by with its name, and a mention stays words."""
    text = f"@docs/style.md\n@~/.claude/mine.md\n\n{LONG}, see @docs/till.md\n"
    findings = read(put(tmp_path, "CLAUDE.md", text))
    assert said(findings) == [f"{LONG}, see @docs/till.md"]
    assert [finding.reason for finding in ignored(findings)] == [
        "imports docs/style.md; name that file to import it",
        "imports ~/.claude/mine.md; name that file to import it",
    ]


def test_entries_are_divided_by_section_signs(tmp_path: Path) -> None:
    """A file of Hermes has one memory for each entry, of several lines too."""
    text = "One entry\nof two lines\n§\n\nAnother §5 entry\n§\n§\n- a third\n"
    findings = read(put(tmp_path, "memories/MEMORY.md", text))
    assert said(findings) == ["One entry\nof two lines", "Another §5 entry", "- a third"]
    assert [memory.source["line"] for memory in found(findings)] == [1, 5, 8]


def test_what_a_user_is_like_is_a_preference(tmp_path: Path) -> None:
    """Entries of `USER.md` are preferences, whatever their headings speak of."""
    text = f"# USER\n\n## Commands\n\n- {LONG}\n"
    assert contents(put(tmp_path, "USER.md", text)) == [("preference", LONG)]


@pytest.mark.parametrize(
    ("entry", "type_", "event_at"),
    [
        (f"{LONG} (decided 2026-10-01)", "decision", 1790812800000),
        (f"{LONG} (observed 2026-11-01, active)", "fact", 1793491200000),
        (f"{LONG}（决定于 2026-10-01）", "decision", 1790812800000),
        (f"{LONG} (decided 2026-13-01)", "decision", None),
        (f"{LONG} (decided soon)", "fact", None),
    ],
)
def test_an_entry_says_when_it_was_decided_or_seen(
    tmp_path: Path, entry: str, type_: str, event_at: int | None
) -> None:
    """The mark of an entry gives its event date, and makes a decision of it."""
    (memory,) = found(read(put(tmp_path, "MEMORY.md", f"- {entry}\n")))
    assert (memory.type, memory.event_at, memory.content) == (type_, event_at, entry)


def test_what_is_superseded_is_passed_by(tmp_path: Path) -> None:
    """An entry whose successor stands in the same file would mislead an agent."""
    text = f"- {LONG} (observed 2026-10-01, superseded)\n- {LONG} at five (observed 2026-11-01)\n"
    findings = read(put(tmp_path, "USER.md", text))
    assert said(findings) == [f"{LONG} at five (observed 2026-11-01)"]
    assert [finding.place for finding in ignored(findings)] == ["USER.md:1"]


@pytest.mark.parametrize(
    "file", ["memory/2026-10-06.md", "2026-10-06.md", "memory/2026-10-06-till.md"]
)
def test_a_day_has_its_date_and_its_order(tmp_path: Path, file: str) -> None:
    """Notes of a day are events on it, in the order in which they stand."""
    findings = read(put(tmp_path, file, f"# 2026-10-06\n\n- {LONG}\n- {LONG} again\n").parent)
    name = Path(file).name
    assert [
        (memory.type, memory.event_at, memory.session, memory.position, memory.summary)
        for memory in found(findings)
    ] == [("event", 1791244800000, name, 0, ""), ("event", 1791244800000, name, 1, "")]


def test_the_header_of_a_recorded_session_is_no_memory(tmp_path: Path) -> None:
    """Names of sessions, which OpenClaw writes above what was said in them, are left out."""
    text = "# Session\n\n- **Session Key**: agent:main\n- **Session ID**: x\n\nuser: refill it\n"
    assert said(read(put(tmp_path, "memory/2026-10-06-till.md", text))) == [
        "Session: user: refill it"
    ]


def test_a_day_that_is_none_is_a_note(tmp_path: Path) -> None:
    """A name that looks like a date and is none is read as any other note."""
    (memory,) = found(read(put(tmp_path, "2026-13-45.md", LONG)))
    assert (memory.type, memory.event_at) == ("note", None)


def test_the_same_words_twice_are_two_memories(tmp_path: Path) -> None:
    """Repeats in one file are told apart by a number, and the same on every reading."""
    path = put(tmp_path, "MEMORY.md", f"- {LONG}\n- {LONG}\n- {LONG}\n")
    keys = [memory.key for memory in found(read(path))]
    assert len(set(keys)) == 3
    assert [key.removeprefix(keys[0]) for key in keys] == ["", "#2", "#3"]
    assert [memory.key for memory in found(read(path))] == keys


def test_line_ends_and_other_lines_do_not_change_a_key(tmp_path: Path) -> None:
    """A key follows file and words: CRLF, and new entries above, leave it as it is."""
    (plain,) = found(read(put(tmp_path, "a/MEMORY.md", f"- {LONG}\n")))
    path = put(tmp_path, "b/MEMORY.md", f"- New: {LONG}\r\n- {LONG}\r\n")
    assert found(read(path))[1].key == plain.key


def test_comments_and_rules_are_no_memories(tmp_path: Path) -> None:
    """What a person does not read is not remembered; what only looks like a comment is."""
    text = f"<!-- by a\nprogram -->\n\n---\n\n<!-- id --> {LONG}\n\n<!-- never closed: keep me\n"
    assert said(read(put(tmp_path, "CLAUDE.md", text))) == [f"{LONG}\n\n<!-- never closed: keep me"]


def test_files_of_other_encodings_are_reported(tmp_path: Path) -> None:
    """A few bad bytes are mended and reported; a text that is not UTF-8 at all is skipped."""
    findings = read(put(tmp_path, "MEMORY.md", b"- caf\xe9 opens at nine every day of the week\n"))
    assert said(findings) == ["caf� opens at nine every day of the week"]
    assert [finding.place for finding in skipped(findings)] == ["MEMORY.md"]
    findings = read(put(tmp_path, "USER.md", "- 咖啡馆九点开门\n".encode("gbk")), "markdown")
    assert [type(finding) for finding in findings if isinstance(finding, Found)] == []
    assert [finding.place for finding in skipped(findings)] == ["USER.md"]
