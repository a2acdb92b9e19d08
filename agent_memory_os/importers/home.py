"""The Markdown files in which agents keep what they remember, one memory an entry.

Entries are divided by lines of ``§`` (as Hermes does) or are the pieces of the text
(:mod:`section`). The path of headings becomes the summary. A piece that would not be understood
alone is told with its heading: of ``- tabs`` under ``## Style`` the memory is ``Style: tabs``.
Its type follows what it says of itself (``(decided 2026-10-01)``), then the words of its headings,
then the file. An entry that is marked as superseded is passed by: what took its place is there too.

The key is the file's relative path, a hash of the words, and a number from the second time that
the same words stand in one file.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import NamedTuple

from agent_memory_os.importers import front, mention, section, stream
from agent_memory_os.importers.base import Finding, Found, Ignored, Skipped
from agent_memory_os.importers.fit import digest, fit
from agent_memory_os.importers.moment import Mark, mark

_DIVIDER = "§"
_SHORT = 60  # bytes: some ten words of English, and twenty characters of Chinese

_TYPE_WORDS = (
    ("warning", r"\b(?:warn|gotcha|pitfall|never|avoid|do not|don.?t|caution|known issue|failure)"),
    ("warning", "注意|警告|禁止|陷阱|教训|踩坑"),
    ("decision", r"\b(?:decision|decided|adr)|决定|决策"),
    ("preference", r"\b(?:prefer|style|convention|tone|taste|formatting)|偏好|风格|规范|习惯|喜好"),
    (
        "environment",
        r"\b(?:environment|infrastructure|server|host|machine|network)|环境|服务器|主机",
    ),
    (
        "fact",
        r"\b(?:architecture|overview|structure|layout|about|knowledge|facts?\b)|架构|结构|概况",
    ),
    (
        "procedure",
        r"\b(?:command|set ?up|install|build|test|deploy|release|workflow|how to|steps?\b)",
    ),
    (
        "procedure",
        r"\b(?:runn?ing|run\b|procedure|checklist|process)|命令|安装|部署|发布|流程|步骤|操作",
    ),
)


class Home(NamedTuple):
    """How one file is read.

    ``type`` is that of entries that do not say otherwise; ``is_fixed`` keeps headings from saying
    so. ``title`` is a heading that says no more than the file's name. ``event_at`` and ``session``
    are those of a day's notes. Sections under a heading of ``left_out`` are passed by.
    """

    type: str
    is_fixed: bool = False
    titles: frozenset[str] = frozenset()
    event_at: int | None = None
    session: str = ""
    left_out: frozenset[str] = frozenset()


class Names:
    """The keys of one file: the same words get the same key, and a number when they come again."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._seen: dict[str, int] = {}

    def key(self, words: str) -> str:
        """Return the key of the next entry with these words."""
        name = digest(words)
        count = self._seen[name] = self._seen.get(name, 0) + 1
        return f"{self._file}#{name}" + (f"#{count}" if count > 1 else "")


def read(source: stream.Source, format_: str, home: Home) -> Iterator[Finding]:
    """Yield the entries of one file."""
    for text in stream.text(source):
        if isinstance(text, Skipped):
            yield text
        else:
            findings = _Reading(source, format_, home).read(text)
            yield from stream.followed(source, text, findings)


class _Reading:
    def __init__(self, source: stream.Source, format_: str, home: Home) -> None:
        self._source = source
        self._format = format_
        self._home = home
        self._names = Names(source.file)
        self._position = 0

    def read(self, text: str) -> Iterator[Finding]:
        matter = front.split(text)
        if f"\n{_DIVIDER}" in text or text.startswith(_DIVIDER):
            entries = divided(matter.body)
        else:
            entries = section.pieces(section.blocks(matter.body))
        for entry in entries:
            yield from self._findings(entry._replace(line=entry.line + matter.line - 1))

    def _findings(self, entry: section.Piece) -> Iterator[Finding]:
        place = self._source.place(entry.line)
        headings = self._headings(entry)
        if not self._home.left_out.isdisjoint(heading.casefold() for heading in headings):
            return
        if _noise().match(entry.text):
            return
        if imports := section.imports(entry.text):
            for imported in imports:
                yield Ignored(place, f"imports {imported}; name that file to import it")
        elif (said := mark(entry.text)).is_superseded:
            yield Ignored(place, "marked as superseded")
        else:
            yield fit(self._found(entry, headings, said), place)

    def _headings(self, entry: section.Piece) -> tuple[str, ...]:
        headings = tuple(heading for heading in entry.headings if heading)
        if headings and headings[0].casefold() in self._home.titles:
            return headings[1:]
        return headings

    def _found(self, entry: section.Piece, headings: tuple[str, ...], said: Mark) -> Found:
        home, content = self._home, _told(entry, headings)
        if home.session:
            self._position += 1
        return Found(
            key=self._names.key(content),
            content=content,
            source={
                "format": self._format,
                "file": self._source.file,
                "line": entry.line,
                "links": mention.links(entry.text),
            },
            type="decision" if said.is_decision else self._type(entry, headings),
            summary=" › ".join(headings),
            session=home.session,
            position=self._position - 1 if home.session else None,
            event_at=home.event_at if said.event_at is None else said.event_at,
        )

    def _type(self, entry: section.Piece, headings: tuple[str, ...]) -> str:
        if self._home.is_fixed:
            return self._home.type
        for heading in (entry.lead, *reversed(headings)):
            if type_ := _type_of(heading):
                return type_
        return "procedure" if entry.kind == "steps" else self._home.type


def divided(text: str) -> Iterator[section.Piece]:
    """Yield the entries between lines of ``§``."""
    held: list[str] = []
    start = 1
    for number, line in enumerate(io.StringIO(text), 1):
        if line.strip() != _DIVIDER:
            held.append(line)
            continue
        yield from _entry(held, start)
        held, start = [], number + 1
    yield from _entry(held, start)


def _entry(lines: list[str], start: int) -> Iterator[section.Piece]:
    blanks = next((count for count, line in enumerate(lines) if line.strip()), len(lines))
    if text := "".join(lines).strip():
        yield section.Piece("text", start + blanks, text, ())


def _told(entry: section.Piece, headings: tuple[str, ...]) -> str:
    heading = entry.lead or (headings[-1] if headings else "")
    is_list = entry.kind in {"steps", "code"}
    if not heading or not (
        is_list or entry.lead or len(entry.text.encode("utf-8", "replace")) < _SHORT
    ):
        return entry.text
    return f"{heading}:\n{entry.text}" if is_list else f"{heading}: {entry.text}"


@lru_cache(maxsize=512)
def _type_of(heading: str) -> str:
    """Return the type that the words of a heading speak of, else nothing."""
    return next((type_ for type_, pattern in _types() if pattern.search(heading)), "")


@cache
def _types() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((type_, re.compile(words, re.IGNORECASE)) for type_, words in _TYPE_WORDS)


@cache
def _noise() -> re.Pattern[str]:
    """Entries that are no memory: a pointer to a file, a session's name, what a file is for."""
    return re.compile(
        r"\[[^\]\n]{1,200}\]\([^)\s]{1,300}\.md\)[^\n]*$"
        r"|\*\*(?:Session Key|Session ID|Source)\*\*:[^\n]*$"
        r"|scope: [^\n]*\napplies_to: [^\n]*$"
        r"|v\d{1,3}$"
    )
