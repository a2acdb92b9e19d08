"""Finding memories without a query: by id, page by page, and around a moment."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from agent_memory_os.errors import InvalidInput, TooLarge
from agent_memory_os.model.identifier import PREFIXES, kind_of
from agent_memory_os.model.memory import MAX_TIME, MIN_TIME, Memory
from agent_memory_os.model.recall import Filter, check_filter
from agent_memory_os.service.memory.right import find
from agent_memory_os.store import memories
from agent_memory_os.store.database import Snapshot
from agent_memory_os.store.gate import Gate, narrowed
from agent_memory_os.store.memory import page as pages
from agent_memory_os.value import NamedTuple

MAX_PAGE = 1000
_SHORTEST_PREFIX = 8
_PREFIX = PREFIXES["memory"]
_AFTER_ALL = 2**62

NO_CURSOR = "That is no cursor; take it from the page before."


class Page(NamedTuple):
    """Some memories, and the cursor of the page after them (empty: there is none)."""

    memories: tuple[Memory, ...]
    following: str


class Moment(NamedTuple):
    """A memory in a timeline, and the instant that it stands at."""

    at: int
    memory: Memory


def full_id(snapshot: Snapshot, gate: Gate, text: str) -> str:
    """Return the whole id that ``text`` begins, among the memories that the gate lets through.

    What is no id and begins none is returned as it is: it will not be found.
    """
    if kind_of(text) is not None or not text.startswith(_PREFIX):
        return text
    if len(text) < len(_PREFIX) + _SHORTEST_PREFIX:
        raise InvalidInput(
            f"{text!r} is too little of an id: write {_PREFIX} and at least {_SHORTEST_PREFIX} "
            "characters more."
        )
    found = memories.ids_from(snapshot, gate, text)
    if len(found) > 1:
        raise InvalidInput(f"{text} begins more than one id; write more of it.")
    return found[0] if found else text


def page(snapshot: Snapshot, gate: Gate, wanted: Filter, limit: int, cursor: str) -> Page:
    """Return a page of memories, newest first; paging is stable while others write."""
    before_at, before_id = _read_cursor(cursor)
    parameters = {
        **narrowed(gate, wanted, snapshot.now),
        "state": wanted.state,
        "before_at": _AFTER_ALL if before_at is None else before_at,
        "before_id": before_id,
        "limit": limit + 1,
    }
    found = pages.page(snapshot, gate, parameters)
    shown = found[:limit]
    more = len(found) > limit
    return Page(tuple(shown), _write_cursor(shown[-1]) if more else "")


def timeline(
    snapshot: Snapshot,
    gate: Gate,
    around: str | int,
    wanted: Filter,
    limit: int,
    window: int | None = None,
) -> tuple[Moment, ...]:
    """Return up to ``limit`` memories around a memory or an instant, oldest first.

    Half of them come before it (the memory itself among them), half after, and where one side has
    fewer the other is not stretched. None is further away than ``window`` milliseconds.
    """
    parameters = narrowed(gate, wanted, snapshot.now)
    at, memory_id = _anchor(snapshot, gate, around, parameters)
    parameters |= {"at": at, "at_id": memory_id} | _within(wanted, at, window)
    earlier = pages.moments(snapshot, gate, "before", {**parameters, "limit": limit - limit // 2})
    later = pages.moments(snapshot, gate, "after", {**parameters, "limit": limit // 2})
    return tuple(Moment(*item) for item in [*reversed(earlier), *later])


def _within(wanted: Filter, at: int, window: int | None) -> dict[str, object]:
    """Return the span of time that both the filter and a window around an instant leave open."""
    if window is None:
        return {}
    since, until = at - window, at + window + 1
    return {
        "since": since if wanted.since is None else max(since, wanted.since),
        "until": until if wanted.until is None else min(until, wanted.until),
    }


def _anchor(
    snapshot: Snapshot, gate: Gate, around: str | int, parameters: dict[str, object]
) -> tuple[int, str]:
    if isinstance(around, int):
        return around, ""
    memory = find(snapshot, gate, full_id(snapshot, gate, around))
    content = memory.content
    happened = content.created_at if content.event_at is None else content.event_at
    instants = {
        "updated": content.updated_at,
        "event": happened,
        "valid": happened if content.valid_from is None else content.valid_from,
    }
    return instants.get(str(parameters["time_field"]), content.created_at), memory.id


def check(wanted: Filter, limit: int, window: int | None = None) -> None:
    """Raise :class:`InvalidInput` for a page or a timeline that cannot be asked for."""
    check_limit(limit)
    check_filter(wanted)
    if window is not None and (type(window) is not int or not 0 <= window <= MAX_TIME):
        raise InvalidInput(f"A window is a span of milliseconds, not {window!r}.")


def check_limit(limit: int) -> None:
    """Raise :class:`InvalidInput` for a number of entries that no page has."""
    if type(limit) is not int or not 1 <= limit <= MAX_PAGE:
        raise InvalidInput(f"A limit lies between 1 and {MAX_PAGE}, not {limit!r}.")


def check_many(memory_ids: Iterable[str]) -> list[str]:
    """Return ids that are to be done with at once; raise :class:`TooLarge` for too many of them.

    Nobody else writes meanwhile.
    """
    wanted = list(islice(memory_ids, MAX_PAGE + 1))
    if len(wanted) > MAX_PAGE:
        raise TooLarge(f"At most {MAX_PAGE:,} memories are erased at once; nothing was erased.")
    return wanted


def _write_cursor(memory: Memory) -> str:
    # A cursor goes to the reader, so it holds only what the reader has: no row number, which would
    # tell how many memories there are that it may not see.
    return f"{memory.content.created_at:x}.{memory.id.removeprefix(_PREFIX)}"


def _read_cursor(cursor: str) -> tuple[int | None, str]:
    if not cursor:
        return None, ""
    at, _, rest = cursor.partition(".")
    memory_id = _PREFIX + rest
    try:
        before_at = int(at, 16)
    except ValueError:
        memory_id = ""
        before_at = 0
    if kind_of(memory_id) is None or not MIN_TIME <= before_at <= MAX_TIME:
        raise InvalidInput(NO_CURSOR)
    return before_at, memory_id
