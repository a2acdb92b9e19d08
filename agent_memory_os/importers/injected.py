"""What a program put into a message is taken out of it again.

Agents are sent reminders, recalled memories and editor states inside the user's words, between
tags. Only whole pairs are taken out, each in one pass over the text: words about such a tag stay.
A context pack of our own goes whatever the format, so that memory does not feed on itself.
"""

from __future__ import annotations

from collections.abc import Sequence

RECALLED = "recalled-memories"
"""The tag around a context pack."""

_AFTER_NAME = frozenset({">", " ", "\n"})


def without(text: str, tags: Sequence[str]) -> str:
    """Return ``text`` without its ``<tag>…</tag>`` blocks, packs, and blanks around it."""
    if "</" not in text:
        return text.strip()
    for tag in (RECALLED, *tags):
        if f"</{tag}" in text:
            text = _without(text, f"<{tag}", f"</{tag}>")
    return text.strip()


def _without(text: str, opening: str, closing: str) -> str:
    kept: list[str] = []
    start = 0
    while (begin := text.find(opening, start)) >= 0:
        inside = begin + len(opening)
        if text[inside : inside + 1] not in _AFTER_NAME:
            kept.append(text[start:inside])
            start = inside
            continue
        end = text.find(closing, inside)
        if end < 0:
            break
        kept.append(text[start:begin])
        start = end + len(closing)
    kept.append(text[start:])
    return "".join(kept)
