"""How results look to a person: colour, width, and text that cannot harm a terminal.

Colour is used on a terminal only, and not where ``NO_COLOR`` is set. Text from memories is data:
control characters in it are shown and not sent, so that no memory moves the cursor, changes the
title or hides a line.
"""

from __future__ import annotations

import os
import sys
from functools import cache

from agent_memory_os.text.pattern import pattern
from agent_memory_os.value import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import TextIO

BOLD = "1"
DIM = "2"
RED = "31"
GREEN = "32"
YELLOW = "33"
CYAN = "36"

SHORT_ID = 14
"""Characters of an id in tables: ``mem_`` and ten more, enough to find it again."""

LONGEST_LINE = 2000
"""Characters of a memory that a table shows at most."""

_ID = "mem_"
_PIPE_WIDTH = 100
_NARROWEST = 40
_LABELS = {"error": RED, "warning": YELLOW, "note": CYAN}


@cache
def is_coloured(stream: TextIO) -> bool:
    """Say whether a stream is a terminal that takes colour."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return stream.isatty()


def paint(text: str, code: str, stream: TextIO | None = None) -> str:
    """Return text in a colour or weight, where the stream (the standard output) shows it."""
    if not text or not is_coloured(stream or sys.stdout):
        return text
    return f"\x1b[{code}m{text}\x1b[0m"


def label(word: str, stream: TextIO) -> str:
    """Return the word that a line of a message begins with."""
    return paint(f"{word}:", _LABELS[word], stream)


@cache
def width() -> int:
    """Return how many columns a line has: the terminal's, ``COLUMNS``, or a hundred."""
    try:
        columns = int(os.environ.get("COLUMNS", "")) or 0
    except ValueError:
        columns = 0
    if not columns and sys.stdout.isatty():
        try:
            columns = os.get_terminal_size(sys.stdout.fileno()).columns
        except (OSError, ValueError):
            columns = 0
    return max(columns or _PIPE_WIDTH, _NARROWEST)


def is_cut() -> bool:
    """Say whether long cells are cut to the width: not where another program reads them."""
    return sys.stdout.isatty() or bool(os.environ.get("COLUMNS"))


def plain(text: str) -> str:
    """Return text whose control characters are shown as such; lines and tabs stay."""
    if text.isascii() and text.isprintable():
        return text
    return text.translate(_controls())


@cache
def _controls() -> dict[int, str]:
    shown = {code: f"\\x{code:02x}" for code in (*range(0x20), *range(0x7F, 0xA0))}
    for kept in "\n\t":
        del shown[ord(kept)]
    # Marks of direction and separators of lines, which reorder or break what stands around them.
    marks = (0x061C, 0x200E, 0x200F, *range(0x2028, 0x202F), *range(0x2066, 0x206A))
    return shown | {code: f"\\u{code:04x}" for code in marks}


def one_line(text: str) -> str:
    """Return text on one line, with single spaces."""
    return plain(" ".join(text.split()))


def cells(text: str) -> int:
    """Return how many columns of a terminal a text takes: two for each wide character."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(
        0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1 for char in text
    )


def cut(text: str, most: int) -> str:
    """Return text in at most that many columns, with an ellipsis where something was cut off."""
    if cells(text) <= most:
        return text
    taken, kept = 0, 0
    for char in text:
        taken += cells(char)
        if taken > most - 1:
            break
        kept += 1
    return text[:kept].rstrip() + "…"


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun: ``1 memory``, ``1,200 memories``."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def short(identifier: str) -> str:
    """Return the beginning of an id that is enough to find it again."""
    return identifier[:SHORT_ID]


def shortened(text: str) -> str:
    """Return a sentence for people, with the ids of memories in it as tables show them."""
    if _ID not in text:
        return text
    return pattern(rf"\b({_ID}[a-z2-7]{{{SHORT_ID - len(_ID)}}})[a-z2-7]{{22}}\b").sub(r"\1", text)
