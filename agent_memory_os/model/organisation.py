"""Agents, teams and projects: the values, and the rules for their names.

Names are local and for people; ids are what registers and grants hold. Two teams called apollo
are two teams. A project belongs to one team, and its members are members of the team.
"""

from __future__ import annotations

from agent_memory_os.errors import InvalidInput
from agent_memory_os.model.identifier import kind_of
from agent_memory_os.value import NamedTuple

MAX_NAME = 64
AGENT_KINDS = ("claude-code", "codex", "openclaw", "hermes", "cursor", "gemini", "custom")

_NAME = r"[^\W_](?:[\w.-]*\w)?"
_RESERVED = frozenset({"global", "private", "operator", "all", "none", "default"})


class Agent(NamedTuple):
    """An agent: ``id`` commits to ``account``; ``name`` is the local one."""

    id: str
    account: str
    name: str
    kind: str
    display_name: str
    notes: str
    state: str


class Team(NamedTuple):
    """A team: ``id`` commits to ``founder``; ``admin`` is the account that may change it."""

    id: str
    founder: str
    admin: str
    name: str
    notes: str
    state: str


class Project(NamedTuple):
    """A project of one team: ``id`` commits to the team's."""

    id: str
    team: str
    team_name: str
    name: str
    notes: str
    state: str


def is_called_like(shown: str, name: str) -> bool:
    """Say whether a name that is shown is another's with its account behind it (``apollo@sam``)."""
    return shown.partition("@")[0] == name and shown != name


def spelt(name: str) -> str:
    """Return a name as names are kept, however its accents were typed."""
    if name.isascii():
        return name
    import unicodedata

    return unicodedata.normalize("NFC", name)


def is_name(kind: str, name: str) -> bool:
    """Say whether something can be called so."""
    try:
        return check_name(kind, name) == name
    except InvalidInput:
        return False


def check_name(kind: str, name: str) -> str:
    """Return a legal name in NFC, or raise :class:`InvalidInput` that says what is wrong.

    A name has letters, digits, ``-``, ``_`` and ``.``, begins with a letter or digit, and does not
    look like an id or like a word of the audience grammar.
    """
    import re

    plain = spelt(name)
    if len(plain) > MAX_NAME or not re.fullmatch(_NAME, plain):
        shown = name if len(name) <= MAX_NAME else f"{name[:MAX_NAME]}…"
        raise InvalidInput(
            f"{shown!r} cannot be the name of {_a(kind)}: use letters, digits, '-', '_' and '.', "
            f"starting with a letter or digit, at most {MAX_NAME} characters."
        )
    if plain.casefold() in _RESERVED or kind_of(plain) is not None:
        raise InvalidInput(
            f"{name!r} cannot be the name of {_a(kind)}: the word has a meaning here."
        )
    return plain


def _a(kind: str) -> str:
    return f"an {kind}" if kind == "agent" else f"a {kind}"
