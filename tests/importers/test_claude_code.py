"""Transcripts of Claude Code: what was said is kept, and what programs put in is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent_memory_os.importers import recognise
from tests.importers.sample import SESSION, as_lines, claude_row, found, put, read, said, skipped

FILE = f"{SESSION}.jsonl"


def test_what_was_said_becomes_memories_with_their_provenance(tmp_path: Path) -> None:
    """Each thing said is a memory with speaker, session, position, time, and where it stands."""
    rows = [
        claude_row(1, "user", "use the till\r\nby the door"),
        claude_row(
            2,
            "assistant",
            [
                {"type": "thinking", "thinking": "hm"},
                {"type": "text", "text": "The till by the door."},
                {"type": "tool_use", "id": "t", "name": "Bash", "input": {}},
                {"type": "text", "text": "Done."},
            ],
        ),
    ]
    first, second = found(read(put(tmp_path, FILE, as_lines(*rows))))
    assert first.key == f"{SESSION}/row-1"
    assert first.content == "use the till\nby the door"
    assert (first.author, first.session, first.position) == ("user", SESSION, 0)
    assert first.event_at == 1791185401000
    assert first.type == "note"
    assert first.source == {
        "format": "claude-code",
        "file": FILE,
        "line": 1,
        "conversation": SESSION,
        "record": "row-1",
        "author": "user",
        "time": "2026-10-05T07:30:01.000Z",
        "cwd": "/srv/kiosk",
    }
    assert second.content == "The till by the door.\n\nDone."
    assert (second.author, second.position) == ("assistant", 1)


@pytest.mark.parametrize(
    "row",
    [
        claude_row(1, "user", "helper", isSidechain=True),
        claude_row(1, "user", "program", isMeta=True),
        claude_row(1, "user", "summary", isCompactSummary=True),
        claude_row(1, "assistant", "error", isApiErrorMessage=True),
        claude_row(1, "user", "notice", origin={"kind": "task-notification"}),
        claude_row(1, "user", [{"type": "tool_result", "tool_use_id": "t", "content": "out"}]),
        claude_row(1, "user", [{"type": "image", "source": {}}]),
        claude_row(1, "user", "<system-reminder>\nrecalled: x\n</system-reminder>"),
        claude_row(1, "user", "<command-name>/model</command-name>\n<command-args></command-args>"),
        claude_row(1, "user", "<local-command-stdout>ok</local-command-stdout>"),
        claude_row(1, "user", "[Request interrupted by user for tool use]"),
        claude_row(1, "user", "This session is being continued from a previous conversation that"),
        claude_row(1, "assistant", "No response requested."),
        claude_row(1, "assistant", [{"type": "thinking", "thinking": "hm"}]),
        claude_row(1, "user", ""),
        claude_row(1, "user", 7),
        claude_row(1, "user", [7, None, {"type": "text", "text": 7}]),
        {"type": "user", "sessionId": SESSION, "message": "not an object"},
        {"type": "attachment", "sessionId": SESSION, "attachment": {"content": ["Recalled: x"]}},
        {"type": "system", "subtype": "compact_boundary", "content": "Conversation compacted"},
        {"type": "queue-operation", "operation": "enqueue", "content": "use the till"},
        {"type": "last-prompt", "lastPrompt": "use the till"},
        {"type": "summary", "summary": "The till", "leafUuid": "x"},
    ],
)
def test_what_nobody_said_is_left_out(tmp_path: Path, row: object) -> None:
    """Rows of helpers and programs, and rows without words, are no memories and no faults."""
    path = put(tmp_path, FILE, as_lines(claude_row(9, "user", "kept"), row))
    findings = read(path)
    assert said(findings) == ["kept"]
    assert not skipped(findings)


@pytest.mark.parametrize(
    "first",
    [
        {"type": "summary", "summary": "The till", "leafUuid": "x"},
        {"type": "last-prompt", "lastPrompt": "x", "sessionId": SESSION},
        claude_row(1, "user", "x" * 200_000),
    ],
)
def test_a_transcript_is_known_by_its_first_rows(tmp_path: Path, first: object) -> None:
    """Whatever comes first, and however long it is, the file is recognised."""
    path = put(tmp_path, "a.jsonl", as_lines(first, claude_row(2, "user", "kept")))
    assert recognise(str(path)).name == "claude-code"


def test_reminders_are_cut_out_of_the_words_around_them(tmp_path: Path) -> None:
    """Only what a program put between tags goes; the words on both sides stay."""
    words = "Close at six.\n<system-reminder>\nRecalled: opens at nine\n</system-reminder>\nThanks"
    path = put(tmp_path, FILE, as_lines(claude_row(1, "user", words)))
    assert said(read(path)) == ["Close at six.\n\nThanks"]


def test_positions_count_what_was_said(tmp_path: Path) -> None:
    """Rows in between leave no gap, so that the neighbour of a memory is what was said next."""
    rows = [
        claude_row(1, "user", "one"),
        {"type": "system", "sessionId": SESSION},
        claude_row(2, "assistant", "two"),
        claude_row(3, "user", "three"),
    ]
    positions = [memory.position for memory in found(read(put(tmp_path, FILE, as_lines(*rows))))]
    assert positions == [0, 1, 2]


def test_a_session_that_went_on_keeps_the_keys_of_its_beginning(tmp_path: Path) -> None:
    """What is appended to a transcript changes nothing of what was imported from it before."""
    rows = [claude_row(number, "user", f"words {number}") for number in range(1, 6)]
    before = found(read(put(tmp_path, FILE, as_lines(*rows[:3]))))
    after = found(read(put(tmp_path, FILE, as_lines(*rows))))
    assert after[:3] == before
    assert len(after) == 5


def test_a_row_without_an_id_is_named_by_what_it_says(tmp_path: Path) -> None:
    """Without `uuid` the key follows time, speaker and words, and does not move with the line."""
    row = claude_row(1, "user", "nine o'clock")
    del row["uuid"]
    alone = found(read(put(tmp_path, "a.jsonl", as_lines(row)), "claude-code"))
    later = found(read(put(tmp_path, "b.jsonl", as_lines(claude_row(2, "user", "x"), row))))
    assert alone[0].key == later[1].key
    assert alone[0].key.startswith(f"{SESSION}/")


@pytest.mark.parametrize("time", ["yesterday", "0000-01-01", "99999-01-01T00:00:00Z", 7, None, ""])
def test_a_time_that_cannot_be_read_costs_only_the_time(tmp_path: Path, time: object) -> None:
    """The words are kept, without an event date."""
    row = claude_row(1, "user", "kept", timestamp=time)
    (memory,) = found(read(put(tmp_path, FILE, as_lines(row))))
    assert memory.content == "kept"
    assert memory.event_at is None
