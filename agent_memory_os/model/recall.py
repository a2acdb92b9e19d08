"""The values that flow through recall: request, candidates, hits and the context pack.

A candidate provider names memories and says why, in features that are scaled within the query;
it never carries content, and raw scores of unlike origin never meet. A stage is a function from
one :class:`RecallState` to the next. Only ``gather`` and ``admit`` touch the database.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from agent_memory_os.errors import InvalidInput
from agent_memory_os.model.canonical import fits
from agent_memory_os.model.memory import MAX_TAGS, TYPES, Memory, type_names
from agent_memory_os.model.principal import Principal
from agent_memory_os.value import NamedTuple

TimeSpan = tuple[int | None, int | None]
"""A half-open interval ``[since, until)`` in milliseconds of UTC; ``None`` leaves an end open."""


class Filter(NamedTuple):
    """What memories are narrowed by; times are half-open, in milliseconds of UTC.

    Any of ``types``, all of ``tags``; ``owner`` is an agent's id or name. ``time_field`` is
    ``created``, ``updated``, ``event`` (else created) or ``valid`` (else event, else created).
    ``state`` is ``active`` (shown now), ``expired`` (expired, or outside its validity),
    ``forgotten`` (one's own, within the days of undo) or ``all`` (active and expired).
    """

    types: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    owner: str | None = None
    author: str | None = None
    session: str | None = None
    pinned: bool | None = None
    since: int | None = None
    until: int | None = None
    time_field: str = "created"
    state: str = "active"


TIME_FIELDS = ("created", "updated", "event", "valid")
STATES = ("active", "expired", "forgotten", "all")


_SHAPES = {
    "types": ("texts", "are words, such as note"),
    "tags": ("texts", "are words"),
    "owner": ("text", "is the id or name of an agent"),
    "author": ("text", "is text"),
    "session": ("text", "is text"),
    "pinned": ("flag", "is true or false"),
    "since": ("integer", "is a time in milliseconds"),
    "until": ("integer", "is a time in milliseconds"),
}

MAX_NAMED = MAX_TAGS
"""So many tags narrow at once: no memory has more."""


def check_filter(wanted: Filter) -> Filter:
    """Return a filter, or raise :class:`InvalidInput` for a word that it does not know."""
    for name, (shape, words) in _SHAPES.items():
        value = getattr(wanted, name)
        if value != Filter._field_defaults[name] and not fits(value, shape):
            raise InvalidInput(f"What is narrowed by: {name} {words}.")
    if len(wanted.tags) > MAX_NAMED or len(wanted.types) > MAX_NAMED:
        raise InvalidInput(f"What is narrowed by: at most {MAX_NAMED} tags, and as many types.")
    for name in wanted.types:
        if name not in TYPES:
            raise InvalidInput(f"There is no type {name!r}; the types are {type_names}.")
    if wanted.time_field not in TIME_FIELDS:
        raise InvalidInput(f"A time is one of {', '.join(TIME_FIELDS)}, not {wanted.time_field!r}.")
    if wanted.state not in STATES:
        raise InvalidInput(f"A state is one of {', '.join(STATES)}, not {wanted.state!r}.")
    return wanted


class RecallRequest(NamedTuple):
    """What is looked for. ``now`` is the caller's clock in milliseconds of UTC.

    ``types`` and ``tags`` narrow by equality (any of the types, all of the tags). ``span`` filters
    on ``time_field`` (created, updated, event or valid). ``pinned`` and ``recent`` ask for those
    providers too; without them only what matches the query is found.
    """

    query: str
    now: int
    limit: int = 10
    types: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    owner: str | None = None
    span: TimeSpan = (None, None)
    time_field: str = "created"
    pinned: bool = False
    recent: bool = False
    author: str | None = None
    session: str | None = None

    @property
    def filter(self) -> Filter:
        """What the request narrows by."""
        return Filter(
            types=self.types,
            tags=self.tags,
            owner=self.owner,
            author=self.author,
            session=self.session,
            since=self.span[0],
            until=self.span[1],
            time_field=self.time_field,
        )


class Candidate(NamedTuple):
    """A memory that one provider proposes.

    ``memory`` is the local row number, ``rank`` counts from 1 in the provider's own order, and
    each feature is scaled by its best in the query, so it lies in ``[0, 1]``.
    """

    memory: int
    rank: int
    provider: str
    features: Mapping[str, float]


class Fused(NamedTuple):
    """A candidate after fusion: the union of its features, and their weighted sum."""

    memory: int
    relevance: float
    features: Mapping[str, float]
    providers: tuple[str, ...]


class Hit(NamedTuple):
    """A memory that was admitted, its score, and the reasons for it.

    ``marks`` are words that a reader should see beside it: ``superseded``, ``supersedes``,
    ``proposal``, ``contested``, ``conflict``, ``duplicate``, and ``pinned`` or ``recent`` for what
    was only asked for and matches nothing. ``parts`` are the named addends of ``score``.
    """

    memory: Memory
    score: float
    parts: Mapping[str, float]
    providers: tuple[str, ...]
    marks: tuple[str, ...] = ()


class Supersession(NamedTuple):
    """``newer`` supersedes ``older`` (ids), asserted by the older one's owner or not."""

    newer: str
    older: str
    by_owner: bool


class Admitted(NamedTuple):
    """A fused candidate that was read again through the gate, with its memory."""

    fused: Fused
    memory: Memory


class RecallState(NamedTuple):
    """One step of recall: what came in, what is known so far, and the notes for ``explain``.

    ``wants_superseded`` tells whether what its owner has superseded counts to the request's limit.
    """

    request: RecallRequest
    principal: Principal
    terms: tuple[str, ...] = ()
    candidates: tuple[Candidate, ...] = ()
    fused: tuple[Fused, ...] = ()
    admitted: tuple[Admitted, ...] = ()
    supersessions: tuple[Supersession, ...] = ()
    hits: tuple[Hit, ...] = ()
    notes: tuple[str, ...] = ()
    wants_superseded: bool = True


Stage = Callable[[RecallState], RecallState]


class Decision(NamedTuple):
    """Why one hit is in a context pack or not.

    ``outcome`` is ``in``, ``truncated``, ``duplicate``, ``superseded``, ``too_large`` or
    ``no_room``; ``tokens`` is what its line costs, or would have cost.
    """

    memory_id: str
    outcome: str
    reason: str
    tokens: int


class ContextPack(NamedTuple):
    """A prompt-ready text, what it costs, and the decision for every hit.

    ``text`` is empty when nothing was found, and when nothing of it is in: then ``notes`` say why.
    ``tokens`` never exceeds ``budget``.
    """

    text: str
    tokens: int
    budget: int
    hits: tuple[Hit, ...]
    decisions: tuple[Decision, ...]
    notes: tuple[str, ...] = ()
