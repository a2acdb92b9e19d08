"""Reading the audit: who acted beyond what an agent may, and what was removed for good.

The operator reads all of it, and that is written to it like every use of the operator's view. An
agent reads of its own acts, as far as it may still read what they were on, or has erased it.
"""

from __future__ import annotations

from agent_memory_os.errors import InvalidInput
from agent_memory_os.model.canonical import fits
from agent_memory_os.model.memory import MAX_TIME, MIN_TIME
from agent_memory_os.service.context import OPERATOR
from agent_memory_os.service.memory.find import check_limit
from agent_memory_os.service.named import find_owner
from agent_memory_os.service.upkeep.report import AuditEntry, AuditFilter, AuditPage
from agent_memory_os.store import audit
from agent_memory_os.store.audit import Place, Wanted
from agent_memory_os.store.database import Snapshot
from agent_memory_os.store.gate import Gate


def page(snapshot: Snapshot, gate: Gate, wanted: AuditFilter, limit: int, cursor: str) -> AuditPage:
    """Return a page of what the gate's principal may know, newest first."""
    narrow = _checked(snapshot, wanted)
    found = audit.page(snapshot, gate, narrow, limit + 1, _read_cursor(cursor))
    shown = found[:limit]
    following = ""
    if len(found) > limit:
        following = _write_cursor(audit.place_behind(snapshot, gate, narrow, shown[-1]))
    return AuditPage(tuple(AuditEntry(*line[1:]) for line in shown), following)


def check(wanted: AuditFilter, limit: int) -> None:
    """Raise :class:`InvalidInput` for a page that cannot be asked for."""
    check_limit(limit)
    for name, shape in (("agent", "text"), ("action", "text")):
        if getattr(wanted, name) is not None and not fits(getattr(wanted, name), shape):
            raise InvalidInput(f"What is narrowed by: {name} is text.")
    for name in ("since", "until"):
        if getattr(wanted, name) is not None and not fits(getattr(wanted, name), "integer"):
            raise InvalidInput(f"What is narrowed by: {name} is a time in milliseconds.")


def _checked(snapshot: Snapshot, wanted: AuditFilter) -> Wanted:
    actor = wanted.agent
    if actor not in (None, OPERATOR):
        actor = find_owner(snapshot, actor).id
    return Wanted(actor, wanted.action, wanted.since, wanted.until)


def _write_cursor(place: Place) -> str:
    return f"{place.at:x}.{place.older:x}"


def _read_cursor(cursor: str) -> Place | None:
    if not cursor:
        return None
    at, _, older = cursor.partition(".")
    try:
        place = Place(int(at, 16), int(older, 16))
    except ValueError:
        place = Place(MAX_TIME + 1, 0)
    if not (MIN_TIME <= place.at <= MAX_TIME and 0 <= place.older <= MAX_TIME):
        raise InvalidInput("That is no cursor; take it from the page before.")
    return place
