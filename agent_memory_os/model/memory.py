"""A memory: its fields, its limits, and the value of its content register.

The content row of the store *is* the value of the register ``memory.content``: :func:`to_value`
and :func:`from_value` are inverse, and the canonical bytes of the value decide its digest. A
field that is absent, empty or false is left out, so that a newer version may add fields without
changing the bytes of old memories. Fractions are integers in thousandths, times are milliseconds
of UTC.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from agent_memory_os.errors import InvalidInput, TooLarge

TYPES = (
    "preference",
    "fact",
    "procedure",
    "environment",
    "decision",
    "warning",
    "note",
    "event",
    "snapshot",
)
"""The types of a memory; the type decides how fast it goes stale."""

MAX_CONTENT_BYTES = 1_048_576
MAX_SOURCE_BYTES = 65_536
MAX_TAGS = 64
MAX_LABEL = 200
"""Longest tag, author or session, in characters."""

THOUSAND = 1000
DEFAULT_CONFIDENCE = 800
DEFAULT_IMPORTANCE = 500

type_names = ", ".join(TYPES)


class Content(NamedTuple):
    """What the owner wrote: the value of the content register, in full.

    ``confidence`` and ``importance`` are thousandths (0 to 1000). ``position`` is the order in
    ``session``. ``editor`` is the agent id of the latest edit where it is not the owner's own,
    and ``reason`` says why. ``life`` is the causal length that this content belongs to (1, 3, …).
    """

    content: str
    created_at: int
    updated_at: int
    type: str = "note"
    summary: str = ""
    tags: tuple[str, ...] = ()
    source: Mapping[str, object] = {}
    author: str = ""
    session: str = ""
    position: int | None = None
    event_at: int | None = None
    confidence: int = DEFAULT_CONFIDENCE
    importance: int = DEFAULT_IMPORTANCE
    pinned: bool = False
    valid_from: int | None = None
    valid_to: int | None = None
    expires_at: int | None = None
    half_life_days: int | None = None
    editor: str = ""
    reason: str = ""
    life: int = 1


class Memory(NamedTuple):
    """A memory as a reader gets it.

    ``row`` is the local row number (never shown), ``id`` is ``mem_…``, ``owner`` and ``owner_name``
    the agent's id and local name. ``audience`` holds the grants that the reader may know of, in
    people's form (``team:apollo``): all of them for the owner and the operator, and for anyone else
    those that reach it; ``grants`` are the same in the form of registers (``team:team_…``).
    ``state`` is ``active`` or ``forgotten``; ``version`` counts content changes from 1.
    """

    row: int
    id: str
    owner: str
    owner_name: str
    content: Content
    audience: tuple[str, ...]
    state: str
    version: int
    stamp: int
    grants: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The words of the memory."""
        return self.content.content


_DEFAULTS: dict[str, object] = {**Content._field_defaults, "type": None}
# The type is always written: a memory whose type was left out is not the same as a note.

_NOT_EMPTY = frozenset(Content._fields) - frozenset(Content._field_defaults)


def to_value(content: Content) -> dict[str, object]:
    """Return the content register's value: each field that differs from its default."""
    value: dict[str, object] = {}
    for name, field in zip(Content._fields, content, strict=True):
        if name in _NOT_EMPTY or field != _DEFAULTS[name]:
            value[name] = list(field) if isinstance(field, tuple) else field
    return value


def from_value(value: Mapping[str, object]) -> tuple[Content, dict[str, object]]:
    """Return the content of a register's value, and the fields that this version does not know."""
    known = {name: value[name] for name in Content._fields if name in value}
    if "tags" in known:
        known["tags"] = tuple(known["tags"])  # type: ignore[arg-type]
    unknown = {name: field for name, field in value.items() if name not in Content._fields}
    return Content(**known), unknown  # type: ignore[arg-type]


def check(content: Content) -> Content:
    """Return ``content``; raise :class:`InvalidInput` or :class:`TooLarge` for its first fault."""
    _check_text(content)
    _check_labels(content)
    _check_numbers(content)
    return content


def _check_text(content: Content) -> None:
    if not content.content.strip():
        raise InvalidInput("A memory needs some content; this one is empty.")
    size = len(content.content.encode())
    if size > MAX_CONTENT_BYTES:
        raise TooLarge(
            f"A memory holds at most {MAX_CONTENT_BYTES:,} bytes; this one has {size:,}. Split it."
        )
    if content.type not in TYPES:
        raise InvalidInput(f"There is no type {content.type!r}; the types are {type_names}.")


def _check_labels(content: Content) -> None:
    if len(content.tags) > MAX_TAGS:
        raise TooLarge(f"A memory has at most {MAX_TAGS} tags; this one has {len(content.tags)}.")
    for name, label in _labels(content):
        if len(label) > MAX_LABEL:
            raise TooLarge(f"A {name} has at most {MAX_LABEL} characters; one here is longer.")
    if any(not tag.strip() for tag in content.tags):
        raise InvalidInput("A tag needs at least one character.")


def _labels(content: Content) -> list[tuple[str, str]]:
    labels = [("author", content.author), ("session", content.session)]
    return labels + [("tag", tag) for tag in content.tags]


def _check_numbers(content: Content) -> None:
    for name in ("confidence", "importance"):
        if not 0 <= getattr(content, name) <= THOUSAND:
            raise InvalidInput(f"The {name} lies between 0 and 1.")
    start, end = content.valid_from, content.valid_to
    if start is not None and end is not None and end <= start:
        raise InvalidInput("The end of validity must come after its start.")
    if content.half_life_days is not None and content.half_life_days < 0:
        raise InvalidInput("A half-life is a number of days, 0 for none.")
