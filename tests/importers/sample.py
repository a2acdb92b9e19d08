"""Invented files of every format, and ways to write and read them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

from agent_memory_os.importers import by_name, recognise
from agent_memory_os.importers.base import Finding, Found, Ignored, Skipped

SESSION = "22222222-2222-4222-8222-222222222222"
ACCOUNT = "acc_" + "a" * 32
AGENT = "agt_" + "b" * 32
TEAM = "team_" + "c" * 32
MEMORY = "mem_" + "d" * 32


class Sample(NamedTuple):
    """A file of one format: the name of the format, that of the file, and its bytes."""

    format: str
    file: str
    data: bytes


def read(path: str | Path, format_: str = "") -> list[Finding]:
    """Return what a path holds, read by one format, or as a folder of several."""
    importer = by_name(format_) if format_ else recognise(str(path))
    return list(importer.read(str(path), lambda _: None))


def found(findings: list[Finding]) -> list[Found]:
    """Return the memories among findings."""
    return [finding for finding in findings if isinstance(finding, Found)]


def said(findings: list[Finding]) -> list[str]:
    """Return the words of the memories among findings."""
    return [memory.content for memory in found(findings)]


def skipped(findings: list[Finding]) -> list[Skipped]:
    """Return what was skipped among findings."""
    return [finding for finding in findings if isinstance(finding, Skipped)]


def ignored(findings: list[Finding]) -> list[Ignored]:
    """Return what was passed by among findings."""
    return [finding for finding in findings if isinstance(finding, Ignored)]


def put(folder: Path, file: str, data: bytes | str) -> Path:
    """Write a file below a folder, and return its path."""
    path = folder / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


def claude_row(number: int, speaker: str, content: object, **more: object) -> dict[str, object]:
    """Return one row of a transcript, as the program writes it."""
    return {
        "parentUuid": f"row-{number - 1}",
        "isSidechain": False,
        "cwd": "/srv/kiosk",
        "sessionId": SESSION,
        "type": speaker,
        "message": {"role": speaker, "content": content},
        "uuid": f"row-{number}",
        "timestamp": f"2026-10-05T07:30:{number:02d}.000Z",
        **more,
    }


def codex_row(number: int, kind: str, payload: object) -> dict[str, object]:
    """Return one row of a rollout."""
    time = f"2026-10-05T07:30:{number:02d}.000Z"
    return {"timestamp": time, "ordinal": number, "type": kind, "payload": payload}


def codex_said(number: int, role: str, *texts: str) -> dict[str, object]:
    """Return a row of a rollout in which something is said."""
    content = [{"type": "input_text", "text": text} for text in texts]
    payload = {"type": "message", "id": f"item-{number}", "role": role, "content": content}
    return codex_row(number, "response_item", payload)


def as_lines(*rows: object) -> bytes:
    """Return rows as JSON Lines."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


CLAUDE = as_lines(
    {"type": "queue-operation", "operation": "enqueue", "sessionId": SESSION},
    claude_row(1, "user", "The kiosk opens at nine."),
    claude_row(2, "assistant", [{"type": "text", "text": "Noted: 九点开门."}]),
    claude_row(3, "user", "And it closes at six."),
)
CODEX = as_lines(
    codex_row(0, "session_meta", {"id": SESSION, "cwd": "/srv/kiosk"}),
    codex_said(1, "user", "Why did the printer stop?"),
    codex_said(2, "assistant", "缺纸: its paper ran out."),
    codex_said(3, "user", "Refill it on Mondays."),
)
FACT = b"""---
name: paper-refill
description: The printer's paper is refilled on Mondays
metadata:
  type: feedback
---

Refill the paper each Monday, see [[printer]].
"""
INSTRUCTIONS = """# Kiosk

## Commands

- Test everything with `make test` before a release is cut
- Run it with `make run`

## Style

Names are 英文 and short, and each of them says what the thing is for.
""".encode()
HERMES = "The till is counted at six\n§\nParcels go out at noon 每天中午\n§\nNo cheques".encode()
DAY = "# 2026-10-06\n\n- Printer replaced by 新的打印机\n- Till was right\n".encode()
NOTE = "---\ntitle: Tea\ntags: [tea]\n---\n\n# Tea\n\nGreen tea 绿茶 at 70. #brewing\n".encode()
OWN = as_lines(
    {"format": "agent-memory/1", "exported_at": 5, "account": ACCOUNT, "node": "desk"},
    {"kind": "agent", "id": AGENT, "name": "clerk", "agent_kind": "codex"},
    {"kind": "team", "id": TEAM, "name": "kiosk", "nonce": "00ff", "founder": ACCOUNT},
    {
        "kind": "memory",
        "id": MEMORY,
        "owner": AGENT,
        "owner_name": "clerk",
        "nonce": "00",
        "value": {"content": "开门 at nine", "type": "fact", "created_at": 1, "updated_at": 2},
        "audience": [f"team:{TEAM}"],
        "state": "active",
        "versions": [],
    },
)

SAMPLES = (
    Sample("agent-memory", "export.jsonl", OWN),
    Sample("claude-code", f"{SESSION}.jsonl", CLAUDE),
    Sample("codex", f"rollout-2026-10-05T07-30-00-{SESSION}.jsonl", CODEX),
    Sample("claude-memory", "memory/paper-refill.md", FACT),
    Sample("markdown", "CLAUDE.md", INSTRUCTIONS),
    Sample("markdown", "MEMORY.md", HERMES),
    Sample("markdown", "memory/2026-10-06.md", DAY),
    Sample("markdown", "Tea.md", NOTE),
)
