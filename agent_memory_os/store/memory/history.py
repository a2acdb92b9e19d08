"""The history of memories in the store: earlier versions, and who was granted what and when.

The readers are for a caller that has read the memory itself through the gate.
"""

from __future__ import annotations

import json

from agent_memory_os.errors import UsageError
from agent_memory_os.model.canonical import encode
from agent_memory_os.model.memory import Content, check, from_value
from agent_memory_os.store.database import Row, Snapshot, Transaction
from agent_memory_os.store.file.value import VALUE_ERRORS, WrongValue, fit
from agent_memory_os.store.memories import place_of, scope_name
from agent_memory_os.store.queries import Queries
from agent_memory_os.value import NamedTuple

_sql = Queries("memory")


class GrantSpan(NamedTuple):
    """From when until when a scope was in the audience (``until`` None: it is), and who did it."""

    scope: str
    name: str
    since: int
    until: int | None
    granted_by: str
    revoked_by: str | None


def past_versions(snapshot: Snapshot, memory_id: str) -> list[tuple[int, int, int, Content]]:
    """Return number, since, until and content of each superseded version: behind a gate already."""
    return [
        (number, since, until, content_of(value))
        for number, value, since, until in (
            fit(row, "itii") for row in snapshot.rows(_sql["versions"], (memory_id,))
        )
    ]


def content_of(text: str) -> Content:
    """Return the content that an earlier version is kept as; raise :class:`WrongValue` of none."""
    try:
        return check(from_value(json.loads(text))[0])
    except (*VALUE_ERRORS, UsageError) as error:
        raise WrongValue("an earlier version is no content") from error


def grant_spans(snapshot: Snapshot, memory_id: str) -> list[GrantSpan]:
    """Return every span of every scope that was ever in the audience: for a checked caller."""
    return [
        GrantSpan(scope, scope_name(snapshot, scope, kind, ref), *rest)
        for scope, kind, ref, *rest in snapshot.rows(_sql["grant_spans"], (memory_id,))
    ]


def put_history(transaction: Transaction, memory_id: str, versions: list[Row]) -> None:
    """Keep the earlier versions that a memory came with: number, value, since, until of each."""
    place = place_of(transaction, memory_id) if versions else None
    if place is None:
        return
    for number, value, since, until in versions:
        text = encode(value).decode()
        transaction.execute(_sql["keep_version"], (place.row, number, text, since, until))
    last = max(number for number, *_ in versions)
    transaction.execute(_sql["set_version"], (last + 1, place.row))
