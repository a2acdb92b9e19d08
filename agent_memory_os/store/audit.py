"""The audit: who acted with the operator's view, and what was removed for good."""

from __future__ import annotations

from agent_memory_os.store.database import Snapshot, Transaction
from agent_memory_os.store.queries import Queries
from agent_memory_os.value import NamedTuple

_sql = Queries("audit")


class Line(NamedTuple):
    """One act: when, by whom, what, on which id, and a few words that hold no content."""

    seq: int
    at: int
    actor: str
    action: str
    object: str
    detail: str


def add(
    transaction: Transaction, actor: str, action: str, object_id: str, detail: str = ""
) -> None:
    """Write one line."""
    transaction.execute(_sql["add"], (transaction.now, actor, action, object_id, detail))


def newest(snapshot: Snapshot, limit: int) -> list[Line]:
    """Return the last lines, newest first: for the operator."""
    return [Line(*row) for row in snapshot.rows(_sql["newest"], (limit,))]
