"""Named queries: SQL lives in files beside the rows that it serves.

A file has sections that begin with ``-- name: purpose``. ``{{gate}}`` in a query stands for the
fragment of that name in ``fragment.sql``, so that the gate is written once. Files are read when a
query of theirs is first asked for.
"""

from __future__ import annotations

import os
from functools import cache

_FOLDER = os.path.join(os.path.dirname(__file__), "sql")
_FRAGMENTS = "fragment"


class Queries:
    """The queries of one file, by name."""

    def __init__(self, noun: str) -> None:
        self._noun = noun

    def __getitem__(self, name: str) -> str:
        """Return the text of a query; an unknown name is a :class:`KeyError`."""
        return _sections(self._noun)[name]


@cache
def _sections(noun: str) -> dict[str, str]:
    with open(os.path.join(_FOLDER, f"{noun}.sql"), encoding="utf-8") as file:
        parts = ("\n" + file.read()).split("\n-- name: ")[1:]
    sections = {}
    for part in parts:
        heading, _, body = part.partition("\n")
        sections[heading.split(":")[0].strip()] = body.strip()
    fragments = sections if noun == _FRAGMENTS else _sections(_FRAGMENTS)
    return {name: _expand(body, fragments) for name, body in sections.items()}


def _expand(body: str, fragments: dict[str, str]) -> str:
    # A fragment may itself take in another one.
    while "{{" in body:
        name = body.partition("{{")[2].partition("}}")[0]
        body = body.replace("{{" + name + "}}", fragments[name])
    return body
