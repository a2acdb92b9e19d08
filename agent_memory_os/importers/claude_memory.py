"""Memory folders of Claude Code: ``~/.claude/projects/<folder>/memory/``.

Each file is one fact: ``name``, ``description`` and ``metadata.type`` in its front matter, and
its words, which become one memory with the description as summary. ``[[links]]`` stay in the
words and are listed in the provenance. ``MEMORY.md`` is the index of the others, and no memory.

The four types become ours by what they are used for: ``user`` (who the person is and likes) a
``preference``, ``feedback`` (how to work, why, and when) a ``procedure``, ``project`` a ``fact``,
``reference`` (where something is found) an ``environment``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from agent_memory_os.importers import front, mention, stream
from agent_memory_os.importers.base import Finding, Found, Skipped
from agent_memory_os.importers.fit import fit
from agent_memory_os.importers.home import Names
from agent_memory_os.importers.moment import moment

FORMAT = "claude-memory"

TYPES = {
    "user": "preference",
    "feedback": "procedure",
    "project": "fact",
    "reference": "environment",
}
_INDEX = "MEMORY.md"
_POINTER = re.compile(r"[-*] \[[^\]\n]{1,300}\]\([^)\n]{1,300}\.md\)")


def recognises(head: stream.Head) -> bool:
    """Say whether the file is a fact of such a folder, or its index."""
    if head.binary or not head.name.endswith(".md"):
        return False
    text = head.text.replace("\r\n", "\n")
    return _is_index(text) if head.name == _INDEX else bool(_type(front.split(text)))


def read(source: stream.Source) -> Iterator[Finding]:
    """Yield the fact that the file holds."""
    for text in stream.text(source):
        if isinstance(text, Skipped):
            yield text
        else:
            is_fact = not source.path.endswith(_INDEX) or not _is_index(text)
            facts = [_fact(source, front.split(text))] if is_fact else []
            yield from stream.followed(source, text, facts)


def _fact(source: stream.Source, matter: front.Front) -> Found | Skipped:
    described = matter.word("description")
    words = matter.body.strip() or described
    found = Found(
        key=Names(source.file).key(words),
        content=words,
        source={
            "format": FORMAT,
            "file": source.file,
            "line": matter.line,
            "record": matter.word("name"),
            "conversation": matter.nested("metadata", "originsessionid"),
            "links": mention.links(matter.body),
        },
        type=TYPES.get(_type(matter), "note"),
        summary=described,
        event_at=moment(matter.nested("metadata", "modified") or matter.word("modified", "date")),
    )
    return fit(found, source.place(matter.line))


def _type(matter: front.Front) -> str:
    """Return which of the four types the fact is of, else nothing."""
    type_ = (matter.nested("metadata", "type") or matter.word("type")).casefold()
    return type_ if type_ in TYPES and matter.word("name") else ""


def _is_index(text: str) -> bool:
    lines = [line.strip() for line in text.split("\n")]
    told = [line for line in lines if line and not line.startswith("#")]
    return bool(told) and all(_POINTER.match(line) for line in told)
