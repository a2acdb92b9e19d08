"""What a note mentions: other notes (``[[note]]``) and tags (``#tag``)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

_FENCE = ("```", "~~~")


def links(text: str) -> list[str]:
    """Return the names in ``[[name]]``, ``[[name#part]]`` and ``[[name|alias]]``.

    What is embedded (``![[…]]``) is not one of them.
    """
    if "[[" not in text:
        return []
    names = (match[1].strip() for match in _link().finditer(text))
    return list(dict.fromkeys(name for name in names if name))


def tags(text: str) -> tuple[str, ...]:
    """Return the tags of a text, outside fenced and inline code, without ``#``."""
    if "#" not in text:
        return ()
    words = (match[1] for line in _prose(text) for match in _tag().finditer(line))
    kept = (word.rstrip("/-") for word in words if not _colour().fullmatch(word))
    return tuple(dict.fromkeys(word for word in kept if word))


def _prose(text: str) -> Iterable[str]:
    is_code = False
    for line in text.split("\n"):
        if line.lstrip().startswith(_FENCE):
            is_code = not is_code
        elif not is_code:
            yield line if "`" not in line else " ".join(line.split("`")[::2])


@cache
def _link() -> re.Pattern[str]:
    return re.compile(r"(?<!!)\[\[([^\[\]|#\n]{1,200})(?:[|#][^\[\]\n]{0,200})?\]\]")


@cache
def _tag() -> re.Pattern[str]:
    return re.compile(r"(?:(?<=\s)|^|(?<=[(（]))#([^\W\d_][\w/-]{0,99})")


@cache
def _colour() -> re.Pattern[str]:
    return re.compile(r"(?:[0-9a-fA-F]{3}){1,2}")
