"""Private keys in their armour of `-----BEGIN …-----` and `-----END …-----`.

A key is found whole, and also where its end was cut off (then what is still base64 behind its
beginning belongs to it) or its beginning (then the lines of base64 before its end do). Line ends
may be real ones or spelt out, as in JSON. An armour around nothing that could be a key, such as
"...", is left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from agent_memory_os.text.pattern import pattern

_MARKER = r"-----(BEGIN|END) [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
_CODED = "[A-Za-z0-9+/=]+"
_REST = (
    r"(?:\s*+[A-Za-z-]{1,20}+: [^\n\\]*+)*+"  # headers
    r"(?P<lines>(?:(?:\s|\\[nr])*+[A-Za-z0-9+/=]{12,}+)*+)"
    r"(?:(?:\s|\\[nr])++[A-Za-z0-9+/=]++(?=\s*+\Z))?+"  # a line that the text ends in
)
_LINE = 16
_LONGEST = 16_384


def find(text: str) -> Iterator[tuple[int, int]]:
    """Yield where each private key begins and ends."""
    begun: re.Match[str] | None = None
    done = 0
    for marker in pattern(_MARKER).finditer(text):
        if marker[1] == "BEGIN":
            if begun:
                yield from _without_end(text, begun, marker.start())
            begun, done = marker, marker.end()
        elif begun:
            if _is_key(text[begun.end() : marker.start()]):
                yield begun.start(), marker.end()
            begun, done = None, marker.end()
        else:
            begin = _first_line(text, done, marker.start())
            if begin < marker.start():
                yield begin, marker.end()
            done = marker.end()
    if begun:
        yield from _without_end(text, begun, len(text))


def _is_key(body: str) -> bool:
    """Whether a body holds a line that is long enough, or only lines, and a digit in them."""
    lines = pattern(_CODED).findall(body)
    is_bare = not pattern(_CODED).sub("", body).strip("\\ \t\r\n")
    has_digit = pattern(r"\d").search(body)
    return max(map(len, lines), default=0) >= _LINE or bool(is_bare and has_digit)


def _without_end(text: str, begun: re.Match[str], limit: int) -> Iterator[tuple[int, int]]:
    rest = pattern(_REST).match(text, begun.end(), limit)
    if rest and rest["lines"]:
        yield begun.start(), rest.end()


def _first_line(text: str, floor: int, end: int) -> int:
    """Where the lines begin that lead up to an end without a beginning; the last may be short."""
    begin = first = end
    lines = list(pattern(_CODED).finditer(text, max(floor, end - _LONGEST), end))
    for line in reversed(lines):
        is_long = len(line[0]) >= _LINE
        if text[line.end() : begin].strip("\\ \t\r\n") or not (is_long or begin == end):
            break
        begin = line.start()
        first = begin if is_long else first
    return first
