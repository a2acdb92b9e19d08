"""How a memory looks to a person: in a few lines under a query, and whole."""

from __future__ import annotations

from agent_memory_os.cli import moment, render
from agent_memory_os.model.memory import THOUSAND, Memory
from agent_memory_os.value import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from agent_memory_os.model.link import Link
    from agent_memory_os.model.recall import Hit

_SHOWN_LINES = 3
_MARKS = {
    "superseded": render.DIM,
    "conflict": render.RED,
    "proposal": render.YELLOW,
    "contested": render.YELLOW,
}


def of_hit(place: int, hit: Hit, now: int) -> list[str]:
    """Return a memory that was found: its words, then where they come from, on a line."""
    memory = hit.memory
    margin = f"{place}. "
    indent = " " * len(margin)
    text = render.one_line(memory.text)
    if render.is_cut():
        text = render.cut(text, (render.width() - len(margin)) * _SHOWN_LINES)
    words = wrapped(text, render.width() - len(margin))
    marks = [render.paint(mark.upper(), _MARKS.get(mark, render.CYAN)) for mark in hit.marks]
    about = [render.short(memory.id), *_provenance(memory, now)]
    tail = render.paint(" · ".join(about), render.DIM)
    return [
        render.paint(margin, render.BOLD) + words[0],
        *(indent + line for line in words[1:]),
        indent + " ".join([*marks, tail]),
    ]


def _provenance(memory: Memory, now: int) -> list[str]:
    content = memory.content
    said_by = [f"said by {content.author}"] if content.author else []
    at = content.created_at if content.event_at is None else content.event_at
    about = [content.type, memory.owner_name, audience_of(memory), *said_by]
    return [render.one_line(part) for part in about] + [moment.age(at, now)]


def audience_of(memory: Memory) -> str:
    """Return who may read a memory beside its owner, as far as the reader may know."""
    return ", ".join(memory.audience) or "private"


def wrapped(text: str, columns: int) -> list[str]:
    """Break text into lines at spaces, and inside what has none, such as Chinese."""
    lines, line, used = [], "", 0
    for word in text.split(" "):
        rest, size = word, render.cells(word)
        if line and used + 1 + size <= columns:
            line, used = f"{line} {rest}", used + 1 + size
            continue
        if line:
            lines.append(line)
        while render.cells(rest) > columns:
            head = _head(rest, columns)
            lines.append(head)
            rest = rest[len(head) :]
        line, used = rest, render.cells(rest)
    return [*lines, line] if line or not lines else lines


def _head(text: str, columns: int) -> str:
    if text.isascii():
        return text[:columns]
    used = 0
    for position, char in enumerate(text):
        used += render.cells(char)
        if used > columns:
            return text[: max(position, 1)]
    return text


def of_memory(memory: Memory, links: Iterable[Link], now: int) -> list[str]:
    """Return a memory whole: its words, then each thing that is known about it."""
    content = memory.content
    times = (
        ("event", content.event_at),
        ("created", content.created_at),
        ("updated", content.updated_at if memory.version > 1 else None),
        ("valid from", content.valid_from),
        ("valid to", content.valid_to),
        ("expires", content.expires_at),
    )
    fields = [
        ("id", memory.id),
        ("type", content.type),
        ("owner", memory.owner_name),
        ("audience", audience_of(memory)),
        ("state", memory.state_at(now).replace("active", "")),
        ("summary", content.summary),
        ("tags", ", ".join(content.tags)),
        ("author", content.author),
        ("session", _session(memory)),
        ("source", ", ".join(f"{name} {_told(value)}" for name, value in content.source.items())),
        ("confidence", f"{content.confidence / THOUSAND:g}"),
        ("importance", f"{content.importance / THOUSAND:g}"),
        ("pinned", "yes" if content.pinned else ""),
        *((name, _time(at, now)) for name, at in times if at is not None),
        ("version", str(memory.version) if memory.version > 1 else ""),
        *((f"{link.relation}", _other_end(link, memory.id)) for link in links),
    ]
    about = [
        f"{render.paint(f'{name:<12}', render.DIM)} {render.one_line(value)}"
        for name, value in fields
        if value
    ]
    return [render.plain(memory.text.rstrip("\n")), "", *about]


def _told(value: object) -> str:
    if isinstance(value, str):
        return value
    from json import dumps

    return dumps(value, ensure_ascii=False)


def _session(memory: Memory) -> str:
    session, position = memory.content.session, memory.content.position
    return f"{session}, at {position}" if session and position is not None else session


def _time(at: int, now: int) -> str:
    return f"{moment.shown(at)} UTC ({moment.age(at, now)})"


def _other_end(link: Link, identifier: str) -> str:
    return f"→ {link.dst}" if link.src == identifier else f"← {link.src}"
