"""Named queries: SQL lives in files beside the rows that it serves.

A file has sections that begin with ``-- name: purpose``. ``{{gate}}`` in a query stands for the
fragment of that name in ``fragment.sql``, so that the gate is written once. Where it says
``{{?way}}``, the query has forms: the one with ``way="few"`` takes in the fragment ``way_few``.
Files are read when a query of theirs is first asked for.
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

    def form(self, name: str, **choices: str) -> str:
        """Return the form of a query that some choices make; unknown ones are a :class:`KeyError`.

        A form has a plan of its own: what is chosen is part of the text, and no parameter.
        """
        return _form(self._noun, name, tuple(choices.items()))


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


@cache
def _form(noun: str, name: str, choices: tuple[tuple[str, str], ...]) -> str:
    body, fragments = _sections(noun)[name], _sections(_FRAGMENTS)
    for place, choice in choices:
        body = body.replace("{{?" + place + "}}", fragments[f"{place}_{choice}"])
    return body


def _expand(body: str, fragments: dict[str, str]) -> str:
    # A fragment may itself take in another one; what is to be chosen is left.
    head, start, rest = body.partition("{{")
    if not start:
        return body
    name, _, tail = rest.partition("}}")
    taken = "{{" + name + "}}" if name.startswith("?") else _expand(fragments[name], fragments)
    return head + taken + _expand(tail, fragments)
