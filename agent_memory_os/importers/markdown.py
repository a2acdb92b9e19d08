"""Markdown where agents and people keep it.

==============================  =========================================================
CLAUDE.md, AGENTS.md,           instructions, each bullet, list and paragraph a memory:
GEMINI.md, ``.claude/rules/``   ``procedure``, unless a heading says otherwise; a file that
                                is imported by ``@path`` is not followed, but reported
MEMORY.md                       ``fact``, unless a heading says otherwise
USER.md                         ``preference``
``2026-11-01.md``,              a day's notes: ``event`` on that date, in the order of the
``memory/2026-11-01-tea.md``    file, the file being their session
any other note                  ``note``, whole or by sections, with its tags
==============================  =========================================================

Entries of MEMORY.md and USER.md may be divided by ``§`` (Hermes) or be Markdown (OpenClaw). In a
folder, what makes up an agent's character or skills is passed by, and so is text without ``.md``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from agent_memory_os.importers import home, note, stream
from agent_memory_os.importers.base import Finding
from agent_memory_os.importers.moment import date_in_name

FORMAT = "markdown"

_ENDINGS = (".md", ".markdown", ".mdown")
_INSTRUCTIONS = frozenset(
    {"claude.md", "claude.local.md", "agents.md", "agents.override.md", "gemini.md"}
)
_CHARACTER = frozenset(
    {"soul.md", "identity.md", "heartbeat.md", "bootstrap.md", "dreams.md", "skill.md"}
)
_TITLES = frozenset(
    {"memory", "memories", "long-term memory", "user", "user profile"}
    | {"记忆", "长期记忆", "用户", "用户画像"}
)
"""Headings that say no more than that this is a memory."""

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}\.md", re.ASCII)
_DAY_AND_WORDS = re.compile(r"\d{4}-\d{2}-\d{2}-[\w.-]+\.md", re.ASCII)


def recognises(head: stream.Head) -> bool:
    """Say whether the file is one of those above."""
    if head.binary:
        return False
    name = head.name.casefold()
    if not name.endswith(_ENDINGS):
        return name.endswith(".txt") and not head.walked
    if _home(head.path) is not None:
        return True
    return not head.walked or not (head.project or name in _CHARACTER)


def read(source: stream.Source) -> Iterator[Finding]:
    """Yield the entries of one file, in its order."""
    kind = _home(source.path)
    if kind is None:
        return note.read(source, FORMAT)
    if kind.event_at is not None:
        kind = kind._replace(session=source.file)
    return home.read(source, FORMAT, kind)


def _home(path: str) -> home.Home | None:
    folder, name = os.path.split(os.path.abspath(path))
    stem, plain = os.path.splitext(name)[0], name.casefold()
    titles = _TITLES | {plain, stem.casefold()}
    if plain in _INSTRUCTIONS or "/.claude/rules" in folder.replace(os.sep, "/"):
        return home.Home("procedure", titles=titles)
    if plain == "memory.md":
        return home.Home("fact", titles=titles)
    if plain == "user.md":
        return home.Home("preference", is_fixed=True, titles=titles)
    is_memory = os.path.basename(folder) == "memory"
    if _DAY.fullmatch(name) or (is_memory and _DAY_AND_WORDS.fullmatch(name)):
        day = date_in_name(name)
        titles |= {name[: len("2026-11-01")]}
        return None if day is None else home.Home("event", titles=titles, event_at=day)
    return None
