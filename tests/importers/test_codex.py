"""Rollouts and memories of Codex."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.importers.sample import (
    SESSION,
    as_lines,
    codex_row,
    codex_said,
    found,
    put,
    read,
    said,
    skipped,
)

FILE = f"sessions/rollout-2026-10-05T07-30-00-{SESSION}.jsonl"
META = codex_row(0, "session_meta", {"id": SESSION, "cwd": "/srv/kiosk"})

MEMORIES = """# Task Group: The kiosk's printer

scope: keep it printing
applies_to: cwd=/srv/kiosk; reuse_rule=safe

## Task 1: Find out why it stops, success

### rollout_summary_files

- rollout_summaries/printer.md (cwd=/srv/kiosk)

### keywords

- printer, paper

## User preferences

- Say why before trying again

## Reusable knowledge

- The printer answers ready for twenty seconds after its paper ran out

## Failures and how to do differently

- Refilling while it prints tears the paper
"""


def test_what_was_said_becomes_memories_with_their_provenance(tmp_path: Path) -> None:
    """Each message is a memory with speaker, session, position, time, folder, and its item."""
    rows = [META, codex_said(1, "user", "Why?"), codex_said(2, "assistant", "No paper.", "Refill.")]
    first, second = found(read(put(tmp_path, FILE, as_lines(*rows)), "codex"))
    assert first.key == f"{SESSION}/item-1"
    assert (first.author, first.session, first.position) == ("user", SESSION, 0)
    assert first.source["cwd"] == "/srv/kiosk"
    assert first.source["line"] == 2
    assert first.event_at == 1791185401000
    assert second.content == "No paper.\n\nRefill."
    assert (second.author, second.position) == ("assistant", 1)


@pytest.mark.parametrize(
    "row",
    [
        codex_said(1, "developer", "<permissions instructions>…"),
        codex_said(
            1, "user", "# AGENTS.md instructions for /x\n\n<INSTRUCTIONS>\na\n</INSTRUCTIONS>"
        ),
        codex_said(1, "user", "# AGENTS.md instructions for /x\n\n<INSTRUCTIONS>\ncut off"),
        codex_said(1, "user", "<environment_context>\n<cwd>/x</cwd>\n</environment_context>"),
        codex_said(1, "user", "<turn_aborted>\nby the user\n</turn_aborted>"),
        codex_said(1, "user", "# Context from my IDE setup:\n\n## Open tabs:\n- a.py"),
        codex_row(1, "event_msg", {"type": "user_message", "message": "Why?"}),
        codex_row(1, "response_item", {"type": "reasoning", "summary": []}),
        codex_row(1, "response_item", {"type": "function_call_output", "output": "x"}),
        codex_row(1, "response_item", {"type": "message", "role": "user", "content": "text"}),
        codex_row(1, "response_item", {"type": "message", "role": "user", "content": [7, {}]}),
        codex_row(1, "response_item", None),
        codex_row(1, "turn_context", {"cwd": 7}),
    ],
)
def test_what_nobody_said_is_left_out(tmp_path: Path, row: object) -> None:
    """What Codex adds, thinks and runs is no memory and no fault."""
    findings = read(put(tmp_path, FILE, as_lines(META, codex_said(9, "user", "kept"), row)))
    assert said(findings) == ["kept"]
    assert not skipped(findings)


def test_the_request_is_taken_out_of_what_the_editor_adds(tmp_path: Path) -> None:
    """Of a message with the state of the editor, the request itself is the memory."""
    words = "# Context from my IDE setup:\n\n- a.py\n\n## My request for Codex:\nRefill it\n"
    rows = [META, codex_said(1, "user", words)]
    assert said(read(put(tmp_path, FILE, as_lines(*rows)))) == ["Refill it"]


def test_the_folder_follows_the_turn(tmp_path: Path) -> None:
    """A turn in another folder changes the folder of what is said in it, not the session's name."""
    rows = [
        META,
        codex_said(1, "user", "one"),
        codex_row(2, "turn_context", {"cwd": "/srv/till"}),
        codex_row(3, "session_meta", {"id": "another", "cwd": "/srv/other"}),
        codex_said(4, "user", "two"),
    ]
    first, second = found(read(put(tmp_path, FILE, as_lines(*rows))))
    assert (first.source["cwd"], second.source["cwd"]) == ("/srv/kiosk", "/srv/till")
    assert second.session == SESSION


def test_items_without_ids_are_named_by_their_ordinals(tmp_path: Path) -> None:
    """Without `id` the key has the row's ordinal, and the session comes from the file's name."""
    row = codex_row(
        5, "response_item", {"type": "message", "role": "user", "content": [{"text": "one"}]}
    )
    (memory,) = found(read(put(tmp_path, FILE, as_lines(row))))
    assert memory.key == f"{SESSION}/5"


def test_its_memories_are_read_without_their_evidence(tmp_path: Path) -> None:
    """Bullets become memories, typed by their sections; lists of files and of words do not."""
    memories = found(read(put(tmp_path, "memories/MEMORY.md", MEMORIES)))
    assert [(memory.type, memory.content) for memory in memories] == [
        ("preference", "User preferences: Say why before trying again"),
        ("fact", "The printer answers ready for twenty seconds after its paper ran out"),
        (
            "warning",
            "Failures and how to do differently: Refilling while it prints tears the paper",
        ),
    ]
    assert {memory.source["format"] for memory in memories} == {"codex"}


def test_its_summary_is_read_without_its_table_of_contents(tmp_path: Path) -> None:
    """Of `memory_summary.md` the profile is taken, and neither the version nor the index."""
    text = "v1\n\n## User Profile\n\nRuns a kiosk.\n\n## What's in Memory\n\n- printer: MEMORY.md\n"
    findings = read(put(tmp_path, "memories/memory_summary.md", text))
    assert said(findings) == ["User Profile: Runs a kiosk."]
