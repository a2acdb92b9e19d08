"""The audit: who acted with the operator's view, and what was removed for good.

The operator reads all of it. An agent reads of its own acts alone, and of those that were on a
memory which it may read now, or which it owned and erased.
"""

from __future__ import annotations

from agent_memory_os.model.memory import MAX_TIME, MIN_TIME
from agent_memory_os.store.database import Row, Snapshot, Transaction
from agent_memory_os.store.file.value import fit
from agent_memory_os.store.gate import Gate
from agent_memory_os.store.queries import Queries
from agent_memory_os.value import NamedTuple

_sql = Queries("audit")


class Line(NamedTuple):
    """One act: when, by whom (a name), what, on which id, and a few words that hold no content."""

    seq: int
    at: int
    actor: str
    action: str
    object: str
    detail: str


class Wanted(NamedTuple):
    """Which lines are wanted; ``actor`` is an agent's id, or the operator. Times are half-open."""

    actor: str | None = None
    action: str | None = None
    since: int | None = None
    until: int | None = None


class Place(NamedTuple):
    """Where a page goes on: at an instant, of which so many lines, the oldest, are still to come.

    It tells nothing of lines that its reader may not see, as the number of a line would.
    """

    at: int
    older: int


def add(
    transaction: Transaction, actor: str, action: str, object_id: str, detail: str = ""
) -> None:
    """Write one line."""
    transaction.execute(_sql["add"], (transaction.now, actor, action, object_id, detail))


def newest(snapshot: Snapshot) -> int:
    """Return when the last line was written, the beginning of time where there is none."""
    found: int | None = snapshot.value(_sql["newest"])
    return MIN_TIME if found is None else found


def latest(snapshot: Snapshot) -> int:
    """Return the number of the last line: for whoever waits for another one."""
    return int(snapshot.value(_sql["latest"]))


def lines(snapshot: Snapshot, since: int) -> list[Row]:
    """Return every line since an instant, for another state of the same node."""
    return snapshot.rows(_sql["lines"], (since,))


def take_over(transaction: Transaction, found: list[Row]) -> None:
    """Write those of some lines that are not here."""
    if found:
        here = set(lines(transaction, min(row[0] for row in found)))
        transaction.many(_sql["add"], [row for row in found if row not in here])


def page(
    snapshot: Snapshot, gate: Gate, wanted: Wanted, limit: int, place: Place | None
) -> list[Line]:
    """Return lines that the gate's principal may see, newest first, from a place on."""
    last_at, last_seq = MAX_TIME + 1, 0
    if place is not None:
        last_at, last_seq = place.at, _seq_at(snapshot, gate, wanted, place)
    since = MIN_TIME if wanted.since is None else wanted.since
    until = MAX_TIME + 1 if wanted.until is None else wanted.until
    parameters = {
        **_parameters(gate, wanted),
        "since": since,
        "until": min(until, last_at + 1),
        "last_at": last_at,
        "last_seq": last_seq,
        "limit": limit,
    }
    return [
        Line(*fit(row, "iitttt")) for row in snapshot.rows(_form("page", gate, wanted), parameters)
    ]


def place_behind(snapshot: Snapshot, gate: Gate, wanted: Wanted, line: Line) -> Place:
    """Return where a page goes on behind a line."""
    parameters = {**_parameters(gate, wanted), "at": line.at, "seq": line.seq}
    return Place(line.at, snapshot.value(_form("older", gate, wanted), parameters))


def _seq_at(snapshot: Snapshot, gate: Gate, wanted: Wanted, place: Place) -> int:
    if not place.older:
        return 0
    parameters = {**_parameters(gate, wanted), "at": place.at, "older": place.older}
    return snapshot.value(_form("place", gate, wanted), parameters) or 0


def _form(name: str, gate: Gate, wanted: Wanted) -> str:
    return _sql.form(
        name,
        actor="any" if wanted.actor is None else "one",
        action="any" if wanted.action is None else "one",
        reader="all" if gate.sight.principal.is_operator else "own",
    )


def _parameters(gate: Gate, wanted: Wanted) -> dict[str, object]:
    reader = gate.sight.principal.agent
    return {
        **gate.parameters,
        "actor": wanted.actor,
        "action": wanted.action,
        "reader": reader,
    }
