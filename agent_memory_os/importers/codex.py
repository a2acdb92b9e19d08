"""Codex: rollouts (``~/.codex/sessions/…/rollout-*.jsonl``) and its own memories.

Of a rollout, each thing that the user or the assistant said (a ``response_item`` of type
``message``) is a memory of type ``note``, with its speaker as author, its place among what was
said as position, and its time as event date. The key is the session and the item's ``id``, else
its ``ordinal``. What Codex puts into the user's mouth is left out: AGENTS.md, the environment, what
the editor shows, notices of aborted turns; and so are developer messages, reasoning and tools.

Of the memories (``~/.codex/memories/``), ``MEMORY.md`` and ``memory_summary.md`` are read as
Markdown, without their lists of evidence, key words and contents. The files from which Codex
makes them are left out: they say the same once more.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from agent_memory_os.importers import home, stream
from agent_memory_os.importers.base import Finding, Found, Skipped
from agent_memory_os.importers.fit import digest, fit, text_of
from agent_memory_os.importers.injected import without
from agent_memory_os.importers.moment import moment

FORMAT = "codex"

_SPEAKERS = frozenset({"user", "assistant"})
_ROLLOUT_ROWS = frozenset({"session_meta", "response_item", "event_msg", "turn_context"})
_ROLLOUT_NAME = re.compile(r"rollout-.*?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl")
_BLOCKS = (
    "environment_context",
    "user_instructions",
    "permissions instructions",
    "skills_instructions",
    "apps_instructions",
    "collaboration_mode",
    "personality_spec",
    "recommended_plugins",
    "turn_aborted",
    "subagent_notification",
    "user_shell_command",
    "hook_prompt",
    "goal_context",
    "codex_internal_context",
    "system-reminder",
)
_OPENINGS = ("<user_action>", "<skill>")
_INSTRUCTIONS = "# AGENTS.md instructions"
_EDITOR = "# Context from my IDE setup"
_REQUEST = "## My request for Codex:"
_MEMORIES = frozenset({"MEMORY.md", "memory_summary.md"})
_LEFT_OUT = frozenset({"rollout_summary_files", "keywords", "what's in memory"})


class _Session(NamedTuple):
    name: str
    cwd: str = ""
    is_named: bool = False


def recognises(head: stream.Head) -> bool:
    """Say whether the file is a rollout, or one of the memories that Codex keeps."""
    if head.name.endswith(".jsonl"):
        return any(_is_rollout(row) for row in head.rows())
    if head.binary or head.name not in _MEMORIES:
        return False
    is_summary = head.text.startswith("v1\n") and "## User" in head.text
    return is_summary or "# Task Group:" in head.text or "/.codex/" in head.path


def read(source: stream.Source) -> Iterator[Finding]:
    """Yield what was said, or what Codex remembers, in the order of the file."""
    if source.path.endswith(".md"):
        return home.read(source, FORMAT, home.Home("fact", left_out=_LEFT_OUT))
    return _rollout(source)


def _is_rollout(row: Mapping[str, object]) -> bool:
    return text_of(row.get("type")) in _ROLLOUT_ROWS and isinstance(row.get("payload"), dict)


def _rollout(source: stream.Source) -> Iterator[Finding]:
    name = os.path.basename(source.path)
    match = _ROLLOUT_NAME.fullmatch(name)
    session = _Session(match[1] if match else name.removesuffix(".jsonl"))
    position = 0
    for row in stream.rows(source):
        if isinstance(row, Skipped):
            yield row
            continue
        payload = row.record.get("payload")
        if not isinstance(payload, dict):
            continue
        session = _session(row.record, payload, session)
        if words := _said(row.record, payload):
            found = _found(row, payload, words, session, source)
            yield fit(found._replace(position=position), source.place(row.line))
            position += 1


def _session(
    record: Mapping[str, object], payload: Mapping[str, object], session: _Session
) -> _Session:
    """Return the session as this row tells of it; the first to name it is its own."""
    if record.get("type") == "session_meta" and not session.is_named:
        name = text_of(payload.get("id")) or text_of(payload.get("session_id")) or session.name
        return _Session(name, text_of(payload.get("cwd")), is_named=True)
    if record.get("type") == "turn_context":
        return session._replace(cwd=text_of(payload.get("cwd")) or session.cwd)
    return session


def _said(record: Mapping[str, object], payload: Mapping[str, object]) -> str:
    """Return what a person or the assistant said in this row, which may be nothing."""
    if record.get("type") != "response_item" or payload.get("type") != "message":
        return ""
    content = payload.get("content")
    if text_of(payload.get("role")) not in _SPEAKERS or not isinstance(content, list):
        return ""
    texts = [text_of(part.get("text")) for part in content if isinstance(part, dict)]
    return "\n\n".join(words for text in texts if (words := _own_words(text)))


def _own_words(text: str) -> str:
    words = without(text, _BLOCKS)
    if words.startswith(_EDITOR):
        return words.partition(_REQUEST)[2].strip()
    if words.startswith(_INSTRUCTIONS):
        words = without(words.partition("\n")[2], ("INSTRUCTIONS",))
        return "" if words.startswith("<INSTRUCTIONS>") else words
    return "" if words.startswith(_OPENINGS) else words


def _found(
    row: stream.Row,
    payload: Mapping[str, object],
    words: str,
    session: _Session,
    source: stream.Source,
) -> Found:
    time = text_of(row.record.get("timestamp"))
    author = text_of(payload.get("role"))
    record = text_of(payload.get("id"))
    ordinal = row.record.get("ordinal")
    if not record:
        record = str(ordinal) if type(ordinal) is int else digest(f"{time} {author} {words}")
    return Found(
        key=f"{session.name}/{record}",
        content=words,
        source={
            "format": FORMAT,
            "file": source.file,
            "line": row.line,
            "conversation": session.name,
            "record": record,
            "author": author,
            "time": time,
            "cwd": session.cwd,
        },
        author=author,
        session=session.name,
        event_at=moment(time),
    )
