"""Markdown to pieces that make sense alone.

A text is first cut into blocks: headings, bullets (with what is nested in them), numbered lists,
fenced code and paragraphs. Blocks then become pieces under their path of headings:

* a bullet is a piece; a numbered list is one piece, since its steps belong together;
* paragraphs and code between lists are one piece, up to :data:`PIECE` characters;
* a line ``@path``, by which some programs import another file, is a piece;
* a paragraph that ends with a colon leads what follows: it stays with the code after it, and is
  told with each bullet or with the numbered list after it.

Fenced code is never cut, and nothing inside it is taken for a heading or a bullet. Comments are
left out. Each step is one pass over the text, and pieces are yielded as they end.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from typing import NamedTuple

PIECE = 1200
"""Paragraphs of one section are kept together up to this many characters."""

MAX_LEAD = 200
_MAX_HEADING = 120
_NESTED = 2

_MARKER = re.compile(r"([ \t]*)(?:([-*+•])|(\d{1,9})[.)])(?:[ \t]+|$)")
_BREAK = re.compile(r" {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$")
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})([^`]*)$")

_IMPORT = re.compile(r"\s*(?:[-*+]\s+)?@((?:~|\.{0,2}/|[\w.-]+/|[\w-]+\.)\S{0,300})\s*")


class Block(NamedTuple):
    """A block as it stands: ``heading``, ``bullet``, ``steps``, ``code`` or ``text``.

    ``level`` is a heading's, 1 to 6; ``line`` counts from 1.
    """

    kind: str
    line: int
    text: str
    level: int = 0


class Piece(NamedTuple):
    """A piece, the headings above it from the outermost, and the paragraph that leads to it."""

    kind: str
    line: int
    text: str
    headings: tuple[str, ...]
    lead: str = ""


def pieces(blocks: Iterator[Block]) -> Iterator[Piece]:
    """Yield the pieces of a text."""
    path: dict[int, str] = {}
    group = _Group()
    lead = ""
    for block in blocks:
        headings = tuple(path.values())
        if imports(block.text):
            yield from group.take(headings)
            yield Piece("import", block.line, block.text, headings)
        elif block.kind in {"text", "code"}:
            lead = ""
            if group.size + len(block.text) > PIECE and not group.leads():
                yield from group.take(headings)
            group.add(block)
        elif block.kind == "heading":
            lead = ""
            yield from group.take(headings)
            path = {level: title for level, title in path.items() if level < block.level}
            path[block.level] = block.text[:_MAX_HEADING]
        else:
            lead = group.pop() if group.leads() else lead
            yield from group.take(headings)
            text = unmarked(block.text) if block.kind == "bullet" else block.text
            yield Piece(block.kind, block.line, text, headings, _as_heading(lead))
            lead = lead if block.kind == "bullet" else ""
    yield from group.take(tuple(path.values()))


def imports(text: str) -> list[str]:
    """Return the files that are imported, where the text is nothing but imports of files."""
    if not text.lstrip("-*+ \t").startswith("@"):
        return []
    matches = [_IMPORT.fullmatch(line) for line in text.split("\n")]
    return [match[1] for match in matches if match] if all(matches) else []


class _Group:
    """Paragraphs and code that become one piece."""

    def __init__(self) -> None:
        self.size = 0
        self._blocks: list[Block] = []

    def add(self, block: Block) -> None:
        self._blocks.append(block)
        self.size += len(block.text)

    def leads(self) -> bool:
        """Say whether the last of them leads to what follows."""
        return bool(self._blocks) and _leads(self._blocks[-1])

    def pop(self) -> str:
        block = self._blocks.pop()
        self.size -= len(block.text)
        return block.text

    def take(self, headings: tuple[str, ...]) -> Iterator[Piece]:
        taken, self._blocks, self.size = self._blocks, [], 0
        if taken:
            kind = "code" if taken[0].kind == "code" else "text"
            text = "\n\n".join(block.text for block in taken)
            yield Piece(kind, taken[0].line, text, headings)


def _leads(block: Block) -> bool:
    return block.kind == "text" and len(block.text) <= MAX_LEAD and _ends_with_colon(block.text)


def _ends_with_colon(text: str) -> bool:
    return text.rstrip("*_ ").endswith((":", "："))


def _as_heading(lead: str) -> str:
    return " ".join(lead.split()).strip("*_ ").rstrip(":： ")


def unmarked(bullet: str) -> str:
    """Return a bullet without its marker, and what is nested in it without that much indent."""
    first, *rest = bullet.split("\n")
    match = _MARKER.match(first)
    width = match.end() if match else 0
    return "\n".join([first[width:], *(_dedented(line, width) for line in rest)]).strip()


def _dedented(line: str, width: int) -> str:
    return line[min(width, _indent(line)) :]


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" \t"))


def blocks(text: str) -> Iterator[Block]:
    """Yield the blocks of a text, in order; blank lines, breaks and comments are none."""
    return _Cutter().cut(text)


class _Cutter:
    """The block that is open, while the lines of a text pass by."""

    def __init__(self) -> None:
        self._kind = ""
        self._line = 0
        self._held: list[str] = []
        self._fence = ""
        self._base = 0
        self._is_after_blank = False

    def cut(self, text: str) -> Iterator[Block]:
        number = 0
        for number, ended in enumerate(io.StringIO(text), 1):
            line = ended.rstrip("\n")
            if self._fence:
                yield from self._in_fence(line)
            elif self._kind == "comment" or line.lstrip().startswith("<!--"):
                yield from self._comment(number, line)
            elif not line.strip():
                yield from self._blank()
            else:
                yield from self._words(number, line)
                self._is_after_blank = False
        yield from self._close()

    def _in_fence(self, line: str) -> Iterator[Block]:
        self._held.append(line)
        mark = line.strip()
        if mark.startswith(self._fence) and not mark.strip(self._fence[0]):
            self._fence = ""
            if self._kind == "code":
                yield from self._close()

    def _comment(self, number: int, line: str) -> Iterator[Block]:
        if self._kind != "comment":
            yield from self._open("comment", number)
        self._held.append(line)
        _, end, rest = line.partition("-->")
        if end:
            self._held.clear()
            yield from self._close()
            if rest.strip():
                yield from self._words(number, rest.strip())

    def _blank(self) -> Iterator[Block]:
        self._is_after_blank = True
        if self._kind in {"bullet", "steps"}:
            self._held.append("")
        else:
            yield from self._close()

    def _words(self, number: int, line: str) -> Iterator[Block]:
        if fence := _FENCE.match(line):
            yield from self._open_fence(number, line, fence[1])
        elif heading := _heading(line):
            yield from self._close()
            yield Block("heading", number, heading[1], heading[0])
        elif self._kind == "text" and len(self._held) == 1 and _is_underline(line):
            yield Block("heading", self._line, self._held.pop().strip(), 1)
            self._kind = ""
        elif _BREAK.match(line):
            yield from self._close()
        elif marker := _MARKER.match(line):
            yield from self._item(number, line, marker)
        else:
            yield from self._text(number, line)

    def _open_fence(self, number: int, line: str, fence: str) -> Iterator[Block]:
        if not self._takes_in(line):
            yield from self._open("code", number)
        self._held.append(line)
        self._fence = fence

    def _takes_in(self, fence: str) -> bool:
        """Say whether code that begins here belongs to the item that is open."""
        if self._kind not in {"bullet", "steps"}:
            return False
        is_nested = _indent(fence) >= self._base + _NESTED
        return is_nested or (not self._is_after_blank and _ends_with_colon(self._held[-1]))

    def _item(self, number: int, line: str, marker: re.Match[str]) -> Iterator[Block]:
        kind = "bullet" if marker[2] else "steps"
        indent = len(marker[1].expandtabs(4))
        in_list = self._kind in {"bullet", "steps"}
        is_nested = in_list and indent >= self._base + _NESTED
        is_next_step = kind == self._kind == "steps"
        # A number at the start of a line goes on with a paragraph, unless it is the first step.
        is_no_item = kind == "steps" and self._kind == "text" and marker[3] != "1"
        if is_nested or is_next_step or is_no_item:
            self._held.append(line)
            return
        yield from self._open(kind, number)
        self._base = indent
        self._held.append(line)

    def _text(self, number: int, line: str) -> Iterator[Block]:
        in_list = self._kind in {"bullet", "steps"}
        goes_on = in_list and (not self._is_after_blank or _indent(line) > self._base)
        if not goes_on and self._kind != "text":
            yield from self._open("text", number)
        self._held.append(line)

    def _open(self, kind: str, number: int) -> Iterator[Block]:
        yield from self._close()
        self._kind, self._line = kind, number

    def _close(self) -> Iterator[Block]:
        text = "\n".join(self._held).strip("\n")
        # A comment that never ends is no comment: its words are not lost.
        kind = "text" if self._kind == "comment" else self._kind
        self._kind, self._held, self._fence = "", [], ""
        if text.strip():
            yield Block(kind, self._line, text)


def _heading(line: str) -> tuple[int, str] | None:
    mark = line.lstrip(" ")
    level = len(mark) - len(mark.lstrip("#"))
    rest = mark[level:]
    if not 1 <= level <= 6 or (rest and rest[0] not in " \t"):  # noqa: PLR2004 - levels of Markdown
        return None
    title = rest.strip()
    return level, title.rstrip("#").strip() or title


def _is_underline(line: str) -> bool:
    mark = line.strip()
    return len(mark) > 1 and not mark.strip("=")
