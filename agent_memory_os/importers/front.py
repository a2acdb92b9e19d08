"""The front matter of a note: the few things of YAML that people and agents write there.

``key: value``, quoted text, ``[a, b]``, lists with ``-``, one level of nested keys, and folded
text (``>``, ``|``). Deeper nesting is left out. What does not end, or has a line that is none of
these, is no front matter but words of the note: nothing is lost of a text between two rules.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

MAX_LINES = 200

_KEY = re.compile(r"([\w][\w .-]{0,63}):(?:[ \t]+(.*))?$")
_FOLDED = re.compile(r"[>|][+-]?\d?$")

Value = str | list[str] | dict[str, str]


class Front(NamedTuple):
    """The fields of a front matter, the text below it, and that text's first line, from 1."""

    fields: Mapping[str, Value]
    body: str
    line: int

    def word(self, *names: str) -> str:
        """Return the first of these fields that is text, else nothing."""
        for name in names:
            value = self.fields.get(name, "")
            if isinstance(value, str) and value:
                return value
        return ""

    def words(self, name: str) -> tuple[str, ...]:
        """Return a list of words, however it is written."""
        value = self.fields.get(name, "")
        if isinstance(value, str):
            value = _listed(value) if "," in value else value.split()
        return tuple(word for item in value if (word := item.strip().lstrip("#")))

    def nested(self, name: str, key: str) -> str:
        """Return ``key`` of the nested field ``name``, else nothing."""
        value = self.fields.get(name, "")
        return value.get(key, "") if isinstance(value, dict) else ""


def split(text: str) -> Front:
    """Return the front matter of a text and what follows it."""
    if not text.startswith("---"):
        return Front({}, text, 1)
    start = text.find("\n") + 1
    if not start or text[:start].strip() != "---":
        return Front({}, text, 1)
    held: list[str] = []
    end = start
    while end < len(text) and len(held) < MAX_LINES:
        stop = text.find("\n", end)
        stop = len(text) if stop < 0 else stop
        line = text[end:stop]
        end = stop + 1
        if line.rstrip() in {"---", "..."}:
            fields = _fields(held)
            return _below(fields, text[end:], len(held) + 3) if fields else Front({}, text, 1)
        held.append(line)
    return Front({}, text, 1)


def _below(fields: dict[str, Value], body: str, line: int) -> Front:
    words = body.lstrip()
    blanks = body[: len(body) - len(words)]
    start = blanks.rfind("\n") + 1
    return Front(fields, body[start:], line + blanks.count("\n"))


def _fields(lines: list[str]) -> dict[str, Value]:
    fields: dict[str, Value] = {}
    name = ""
    for line in lines:
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        match = _KEY.match(line)
        if match:
            name = match[1].strip().casefold()
            fields[name] = _value((match[2] or "").strip())
        elif name and line[0] in " \t-":
            fields[name] = _more(fields[name], line.strip())
        else:
            return {}
    return {name: "" if value == _OPEN else value for name, value in fields.items()}


_OPEN = "\0"  # a value that begins on the next line


def _value(text: str) -> Value:
    if not text or _FOLDED.match(text):
        return _OPEN
    if text.startswith("[") and text.endswith("]"):
        return _listed(text[1:-1])
    return _unquoted(text)


def _more(value: Value, line: str) -> Value:
    if line.startswith("- "):
        item = _unquoted(line[2:].strip())
        return [*value, item] if isinstance(value, list) else [item]
    match = _KEY.match(line)
    if match and (isinstance(value, dict) or value == _OPEN):
        nested = dict(value) if isinstance(value, dict) else {}
        nested[match[1].strip().casefold()] = _unquoted((match[2] or "").strip())
        return nested
    if isinstance(value, str):
        return line if value == _OPEN else f"{value} {line}"
    return value


def _listed(text: str) -> list[str]:
    return [_unquoted(item.strip()) for item in text.split(",") if item.strip()]


def _unquoted(text: str) -> str:
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        return text[1:-1]
    return text.partition(" #")[0].rstrip()
