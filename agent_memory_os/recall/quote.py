"""How a memory is quoted in a context pack: one heading, and its content line by line.

Promises, whatever the memory holds:

- Each line of the content begins with :data:`MARK`. Lines end where any reader may take one to
  end: at a line feed, and at a vertical tab, a form feed, NEL, the line and paragraph separators
  of Unicode and the like.
- What cannot be seen, or turns the direction of text (controls, marks and overrides of direction,
  zero width spaces, tags, lone surrogates), is written as an escape. Joiners and selectors that
  make words and emoji stay.
- The name of the pack's tag never stands in what is quoted, in any case of letters.
- A name in the heading is one word, or stands in quotation marks that it cannot close.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

from agent_memory_os.model.memory import Memory
from agent_memory_os.model.recall import Hit
from agent_memory_os.recall.decay import DAY_MS
from agent_memory_os.text.pattern import pattern

TAG = "recalled-memories"
MARK = "| "
SHOWN_MARKS = ("conflict", "superseded", "contested", "proposal")
LONGEST_NAME = 64
MOST_GRANTS = 4

_UNSEEN = (
    "[\0-\x08\x0a-\x1f\x7f-\x9f\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)
_PLAIN_NAME = rf"[\w.@+:/-]{{1,{LONGEST_NAME}}}"


def quote(content: str) -> str:
    """Return the content as quoted lines, without the empty ones before and after it."""
    lines = content.splitlines()
    filled = [number for number, line in enumerate(lines) if line.strip()]
    kept = lines[filled[0] : filled[-1] + 1] if filled else []
    return "\n".join([(MARK + disarm(line)).rstrip() for line in kept])


def heading(hit: Hit) -> str:
    """Return the line that says of whom, what kind and day a memory is, for whom, its marks."""
    return ", ".join(_parts(hit))


def day(at: int) -> str:
    """Return the day of a time in UTC, as ``2026-03-01``; ``undated`` beyond the calendar."""
    ordinal = date(1970, 1, 1).toordinal() + at // DAY_MS
    if not 1 <= ordinal <= date.max.toordinal():
        return "undated"
    return date.fromordinal(ordinal).isoformat()


def disarm(text: str) -> str:
    """Return one line of text with what is unseen escaped, and the pack's tag broken."""
    if not text.isprintable():
        text = pattern(_UNSEEN).sub(_escaped, text)
    return pattern(TAG, re.IGNORECASE).sub(_broken, text)


def _parts(hit: Hit) -> Iterator[str]:
    memory, content = hit.memory, hit.memory.content
    yield f"{_name(memory.id)} {_name(content.type)}"
    yield day(content.updated_at if content.event_at is None else content.event_at)
    if content.author:
        yield f"by {_name(content.author)}"
    yield f"owner {_name(memory.owner_name or memory.owner)}"
    yield _audience(memory)
    for mark in SHOWN_MARKS:
        if mark in hit.marks:
            yield mark.upper()


def _audience(memory: Memory) -> str:
    if not memory.audience:
        return "private"
    shown = [_name(grant) for grant in memory.audience[:MOST_GRANTS]]
    more = len(memory.audience) - len(shown)
    return f"for {' and '.join(shown)}" + (f" and {more} more" if more else "")


def _name(name: str) -> str:
    """Return a name of one word as it is, and any other in quotation marks."""
    if pattern(_PLAIN_NAME).fullmatch(name):
        return disarm(name)
    line = disarm(" ".join(name.split())).replace('"', "'")
    return f'"{line}"' if len(line) <= LONGEST_NAME else f'"{line[:LONGEST_NAME]}…"'


def _escaped(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"  # noqa: PLR2004 - the BMP


def _broken(match: re.Match[str]) -> str:
    return match[0].replace("-", " ")
