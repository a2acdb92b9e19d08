"""Plain notes: a short one is one memory, a long one is one memory a section.

The front matter gives title, tags, type and date; tags and links in the text count too. A section
of a long note keeps its heading, and a section that is long itself is cut between its paragraphs.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import NamedTuple

from agent_memory_os.importers import front, mention, section, stream
from agent_memory_os.importers.base import Finding, Found, Skipped
from agent_memory_os.importers.fit import fit
from agent_memory_os.importers.home import Names
from agent_memory_os.importers.moment import date_in_name, moment
from agent_memory_os.model.memory import TYPES

WHOLE = 2000
"""A note, or a section of a longer one, of up to this many characters is one memory."""


class _Part(NamedTuple):
    line: int
    text: str
    headings: tuple[str, ...]


def read(source: stream.Source, format_: str) -> Iterator[Finding]:
    """Yield the memories of one note."""
    for text in stream.text(source):
        if isinstance(text, Skipped):
            yield text
        else:
            yield from stream.followed(source, text, _findings(source, format_, text))


def _findings(source: stream.Source, format_: str, text: str) -> Iterator[Finding]:
    matter = front.split(text)
    names = Names(source.file)
    for part in _parts(matter):
        found = _found(source, format_, matter, part)
        yield fit(found._replace(key=names.key(part.text)), source.place(part.line))


def _parts(matter: front.Front) -> Iterator[_Part]:
    body = matter.body.strip()
    if not body:
        described = matter.word("description", "summary")
        yield from [_Part(1, described, ())] if described else []
    elif len(body) <= WHOLE:
        if any(block.kind != "heading" for block in section.blocks(body)):
            yield _Part(matter.line, body, ())
    else:
        for part in _sections(section.blocks(matter.body)):
            yield part._replace(line=part.line + matter.line - 1)


def _sections(blocks: Iterator[section.Block]) -> Iterator[_Part]:
    path: dict[int, str] = {}
    held: list[section.Block] = []
    size = 0
    for block in blocks:
        headings = tuple(path.values())
        if block.kind == "heading":
            yield from _part(held, headings)
            path = {level: title for level, title in path.items() if level < block.level}
            path[block.level] = block.text
            held, size = [], 0
        elif size and size + len(block.text) > WHOLE:
            yield from _part(held, headings)
            held, size = [], 0
        held.append(block)
        size += len(block.text)
    yield from _part(held, tuple(path.values()))


def _part(held: list[section.Block], headings: tuple[str, ...]) -> Iterator[_Part]:
    if any(block.kind != "heading" for block in held):
        yield _Part(held[0].line, _joined(held), headings)


def _joined(blocks: list[section.Block]) -> str:
    lines: list[str] = []
    before = ""
    for block in blocks:
        gap = "" if not lines or before == block.kind == "bullet" else "\n"
        lead = "#" * block.level + " " if block.level else ""
        lines.append(f"{gap}{lead}{block.text}")
        before = block.kind
    return "\n".join(lines)


def _found(source: stream.Source, format_: str, matter: front.Front, part: _Part) -> Found:
    name = os.path.splitext(os.path.basename(source.file))[0]
    title = matter.word("title", "name")
    headings = part.headings if part.headings[:1] == (title,) else (title, *part.headings)
    if not part.headings:
        headings = (title, matter.word("description"))
    type_ = matter.word("type").casefold()
    return Found(
        key="",
        content=part.text,
        source={
            "format": format_,
            "file": source.file,
            "line": part.line,
            "links": mention.links(part.text),
        },
        type=type_ if type_ in TYPES else "note",
        summary=" › ".join(heading for heading in headings if heading) or name,
        tags=(*matter.words("tags"), *mention.tags(part.text)),
        event_at=_date(matter, name),
    )


def _date(matter: front.Front, name: str) -> int | None:
    written = matter.word("date", "created", "created_at", "timestamp")
    dates = (moment(written), moment(matter.nested("generated", "at")), date_in_name(name))
    return next((date for date in dates if date is not None), None)
