"""A memory: its fields, its limits, and the value of its content register.

The content row of the store *is* the value of the register ``memory.content``: :func:`to_value`
and :func:`from_value` are inverse, and the canonical bytes of the value decide its digest. A
field that is absent, empty or false is left out, so that a newer version may add fields without
changing the bytes of old memories. Fractions are integers in thousandths, times are milliseconds
of UTC.
"""

from __future__ import annotations

from collections.abc import Mapping

from agent_memory_os.errors import InvalidInput, InvalidTime, TooLarge
from agent_memory_os.model import canonical
from agent_memory_os.model.canonical import encode
from agent_memory_os.value import NamedTuple, cast

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
MAX_SUMMARY_BYTES = 65_536
MAX_SOURCE_BYTES = 65_536
MAX_SOURCE_DEPTH = 32
_LARGE_SOURCE = f"A source has at most {MAX_SOURCE_BYTES:,} bytes; this one has more."
MAX_TAGS = 64
MAX_LABEL = 200
"""Longest tag, author or session, in characters."""
MAX_REASON = 1000
"""Longest reason of an edit, in characters."""
MIN_TIME, MAX_TIME = -62_135_596_800_000, 253_402_300_799_999
"""The years 1 to 9999, in milliseconds of UTC."""

MAX_LIFE = 2**31 - 1
"""The last life of a memory: far more than anybody can begin, and each can still be ended."""

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


SHAPES: Mapping[str, str] = {
    "content": "text",
    "created_at": "integer",
    "updated_at": "integer",
    "type": "text",
    "summary": "text",
    "tags": "texts",
    "source": "object",
    "author": "text",
    "session": "text",
    "position": "integer",
    "event_at": "integer",
    "confidence": "thousandths",
    "importance": "thousandths",
    "pinned": "flag",
    "valid_from": "integer",
    "valid_to": "integer",
    "expires_at": "integer",
    "half_life_days": "count",
    "editor": "text",
    "reason": "text",
    "life": "odd",
}
"""The shape of each field (see ``canonical``); what has no value is ``None`` here."""

_WORDS = {
    "text": "is text",
    "integer": "is a whole number",
    "thousandths": "lies between 0 and 1",
    "flag": "is true or false",
    "texts": "are texts",
    "object": "is an object of JSON",
    "count": "is a whole number, 0 or more",
    "odd": "is an odd number, 1 or more",
}
_TIMES = [
    (name, Content._fields.index(name))
    for name in ("created_at", "updated_at", "event_at", "valid_from", "valid_to", "expires_at")
]


class Memory(NamedTuple):
    """A memory as a reader gets it.

    ``id`` is ``mem_…``, ``owner`` and ``owner_name`` the agent's id and local name. ``audience``
    holds the grants that the reader may know of, in people's form (``team:apollo``): all of them
    for the owner and the operator, and for anyone else those that reach it; ``grants`` are the same
    in the form of registers (``team:team_…``). ``state`` is ``active`` or ``forgotten``;
    ``version`` counts content changes from 1.

    Nothing here counts what others have: a row number or a stamp would tell by its gaps.
    """

    id: str
    owner: str
    owner_name: str
    content: Content
    audience: tuple[str, ...]
    state: str
    version: int
    grants: tuple[str, ...] = ()

    def state_at(self, now: int) -> str:
        """Return ``forgotten``, ``active`` (shown) or ``expired`` (or not valid) at an instant.

        What has expired is no longer offered; whoever may read it still can, by its id.
        """
        content = self.content
        begun = content.valid_from is None or content.valid_from <= now
        ends = (content.valid_to, content.expires_at)
        if self.state != "active" or (begun and all(end is None or end > now for end in ends)):
            return self.state
        return "expired"

    @property
    def text(self) -> str:
        """The words of the memory."""
        return self.content.content

    @property
    def confidence(self) -> float:
        """How sure its owner is of it, from 0 to 1."""
        return self.content.confidence / THOUSAND

    @property
    def importance(self) -> float:
        """How much it matters to its owner, from 0 to 1."""
        return self.content.importance / THOUSAND


_ALWAYS = object()
# The type is always written: a memory whose type was left out is not the same as a note.
_OMITTED = [
    _ALWAYS if name == "type" else Content._field_defaults.get(name, _ALWAYS)
    for name in Content._fields
]
"""The value of each field with which it is left out of the register's value."""

_NAMES = frozenset(Content._fields)
_USUAL = ("content", "created_at", "type", "updated_at")
_USUAL_NAMES = frozenset(_USUAL)
_is_integer = canonical.SHAPES["integer"]
_CHECKS = [canonical.SHAPES[SHAPES[name]] for name in Content._fields]
_BARE = tuple(Content._field_defaults[name] for name in Content._fields[4:])
_BARE_TYPES = tuple(map(type, _BARE))
_BARE_CHECKS = tuple((name, canonical.SHAPES[SHAPES[name]]) for name in Content._fields[:4])
_DEFAULTS = [Content._field_defaults.get(name, _ALWAYS) for name in Content._fields]


def to_value(content: Content) -> dict[str, object]:
    """Return the content register's value: each field that differs from its default."""
    value: dict[str, object] = {}
    for name, field, omitted in zip(Content._fields, content, _OMITTED, strict=True):
        if field is not omitted and field != omitted:
            value[name] = list(field) if isinstance(field, tuple) else field
    return value


def usual_bytes(value: Mapping[str, object]) -> bytes | None:
    """Return the canonical bytes of a value that says nothing but its words, its type and when.

    Most say no more, and need no general encoder. ``None`` for any other.
    """
    if not is_usual(value):
        return None
    content, created, kind, updated = map(value.__getitem__, _USUAL)
    if not (type(content) is type(kind) is str and _is_integer(created) and _is_integer(updated)):
        return None
    return said_bytes(content, cast("int", created), kind, cast("int", updated))


def is_usual(value: Mapping[str, object]) -> bool:
    """Say whether a value has the fields that each has, and no more."""
    return value.keys() == _USUAL_NAMES


def said_bytes(content: str, created: int, kind: str, updated: int) -> bytes:
    """Return the canonical bytes of the value that says these words, this type and when alone."""
    words, kind = canonical.encode_text(content), canonical.encode_text(kind)
    text = f'{{"content":{words},"created_at":{created},"type":{kind},"updated_at":{updated}}}'
    return text.encode()


def from_value(value: Mapping[str, object]) -> tuple[Content, dict[str, object]]:
    """Return the content of a register's value, and the fields that this version does not know."""
    if value.keys() <= _NAMES and "tags" not in value:
        return Content(**value), {}  # type: ignore[arg-type]
    known = {name: value[name] for name in Content._fields if name in value}
    if "tags" in known:
        known["tags"] = tuple(known["tags"])  # type: ignore[arg-type]
    unknown = {name: field for name, field in value.items() if name not in Content._fields}
    return Content(**known), unknown  # type: ignore[arg-type]


def circumstances(content: Content) -> dict[str, object]:
    """Return what two memories of one owner share that say exactly the same.

    How a memory is filed (tags, summary, weights, a pin) is no part of what it says; from when
    until when it holds is: else what should last could be taken for what is about to end.
    """
    return {
        "content": content.content,
        "type": content.type,
        "author": content.author or None,
        "session": content.session or None,
        "position": content.position,
        "event_at": content.event_at,
        "valid_from": content.valid_from,
        "valid_to": content.valid_to,
        "expires_at": content.expires_at,
    }


def check(content: Content) -> Content:
    """Return ``content``; raise :class:`InvalidInput` or :class:`TooLarge` for its first fault."""
    # By the types too: a flag is equal to a number.
    rest = content[4:]
    if rest == _BARE and (*map(type, rest),) == _BARE_TYPES:
        return _check_bare(content)
    _check_shapes(content)
    _check_text(content)
    _check_labels(content)
    _check_times(content)
    return content


def _check_bare(content: Content) -> Content:
    """Check what says nothing but its words, its type and when: most do no more."""
    for field, (name, check) in zip(content, _BARE_CHECKS, strict=False):
        if not check(field):
            raise InvalidInput(f"The {name} of a memory {_WORDS[SHAPES[name]]}.")
    _check_text(content)
    for name, at in (("created_at", content.created_at), ("updated_at", content.updated_at)):
        if not MIN_TIME <= at <= MAX_TIME:
            raise InvalidTime(f"The {name} of a memory lies in the years 1 to 9999.")
    return content


def _check_shapes(content: Content) -> None:
    for place, (field, default) in enumerate(zip(content, _DEFAULTS, strict=True)):
        if field is not default and not _CHECKS[place](field):
            name = Content._fields[place]
            raise InvalidInput(f"The {name} of a memory {_WORDS[SHAPES[name]]}.")
    if content.life > MAX_LIFE:
        raise InvalidInput("The life of a memory is a number that nobody can have come to.")


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
    if len(content.summary.encode()) > MAX_SUMMARY_BYTES:
        raise TooLarge(f"A summary has at most {MAX_SUMMARY_BYTES:,} bytes; this one has more.")
    if content.source and len(encode(content.source, MAX_SOURCE_DEPTH)) > MAX_SOURCE_BYTES:
        raise TooLarge(_LARGE_SOURCE)


def check_count(source: object) -> None:
    """Raise :class:`TooLarge` for a source of so many values that they cannot have room in it.

    Each takes two bytes at least; so it is known before all of them are looked at.
    """
    level, seen = [source], 0
    for _ in range(MAX_SOURCE_DEPTH):
        inner: list[object] = []
        for value in level:
            if isinstance(value, (Mapping, list, tuple)):
                seen += len(value)
                if 2 * seen > MAX_SOURCE_BYTES:
                    raise TooLarge(_LARGE_SOURCE)
                inner.extend(value.values() if isinstance(value, Mapping) else value)
        level = inner


def _check_labels(content: Content) -> None:
    if len(content.tags) > MAX_TAGS:
        raise TooLarge(f"A memory has at most {MAX_TAGS} tags; this one has {len(content.tags)}.")
    for name, label in _labels(content):
        if len(label) > MAX_LABEL:
            raise TooLarge(f"A {name} has at most {MAX_LABEL} characters; one here is longer.")
    if len(content.reason) > MAX_REASON:
        raise TooLarge(f"A reason has at most {MAX_REASON:,} characters; this one is longer.")
    if any(not tag.strip() for tag in content.tags):
        raise InvalidInput("A tag needs at least one character.")


def _labels(content: Content) -> list[tuple[str, str]]:
    labels = [("author", content.author), ("session", content.session)]
    return labels + [("tag", tag) for tag in content.tags]


def _check_times(content: Content) -> None:
    for name, place in _TIMES:
        at = cast("int | None", content[place])
        if at is not None and not MIN_TIME <= at <= MAX_TIME:
            raise InvalidTime(f"The {name} of a memory lies in the years 1 to 9999.")
    start, end = content.valid_from, content.valid_to
    if start is not None and end is not None and end <= start:
        raise InvalidInput("The end of validity must come after its start.")
