"""What a memory may hold, applied to what other programs wrote.

A finding is cleaned (line ends, NUL, lone surrogates), its labels are cut to what a memory takes,
and one whose words are too many is skipped and reported: nothing of a foreign file is cut in its
words without a word about it.
"""

from __future__ import annotations

import hashlib
import re
from functools import cache

from agent_memory_os.importers.base import Found, Skipped
from agent_memory_os.model.memory import MAX_CONTENT_BYTES, MAX_LABEL, MAX_TAGS

MAX_SUMMARY = 300
_MAX_SOURCE_TEXT = 1000
_MAX_LIST = 50
_MAX_LISTED = 200


def fit(found: Found, place: str) -> Found | Skipped:
    """Return ``found`` as a memory can hold it, or why it cannot be held."""
    content = clean(found.content).strip()
    if not content:
        return Skipped(place, "nothing but blanks")
    if len(content.encode()) > MAX_CONTENT_BYTES:
        return Skipped(place, "a text of more than 1 MiB, which is more than a memory holds")
    tags = dict.fromkeys(label(tag) for tag in found.tags)
    return found._replace(
        key=clean(found.key),
        content=content,
        summary=clean(found.summary).strip()[:MAX_SUMMARY],
        tags=tuple(tag for tag in tags if tag)[:MAX_TAGS],
        author=label(found.author),
        session=label(found.session),
        source={name: _provenance(value) for name, value in found.source.items() if value},
    )


def clean(text: str) -> str:
    """Return ``text`` with plain line ends, without NUL, and with ``�`` for lone surrogates."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if "\0" in text:
        text = text.replace("\0", "")
    if text.isascii():
        return text
    return _surrogates().sub("�", text)


def label(text: str) -> str:
    """Return a tag, an author or a session on one line and no longer than a memory takes."""
    return " ".join(clean(text).split())[:MAX_LABEL].strip()


def text_of(value: object) -> str:
    """Return ``value`` if it is text, else nothing."""
    return value if isinstance(value, str) else ""


def digest(text: str) -> str:
    """Return 128 bits of the SHA-256 of a text, in hex: what names it where it has no id."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:32]


def _provenance(value: object) -> object:
    if isinstance(value, str):
        return clean(value)[:_MAX_SOURCE_TEXT]
    if isinstance(value, (list, tuple)):
        return [clean(str(item))[:_MAX_LISTED] for item in value[:_MAX_LIST]]
    return value


@cache
def _surrogates() -> re.Pattern[str]:
    return re.compile("[\ud800-\udfff]")
