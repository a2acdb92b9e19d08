"""Memories of a date that the question names: "what did we do yesterday?".

A memory is of the date of its event, else of the day on which it was created. The words that name
the date count as words that the memory has, and it has no other: what also says what is asked for
is found by its words, and stands above.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from agent_memory_os.model.recall import Candidate, RecallState
from agent_memory_os.recall.providers.base import filter_of
from agent_memory_os.store import memories
from agent_memory_os.store.database import Snapshot
from agent_memory_os.store.gate import Gate
from agent_memory_os.text.dates import DateSpan, find_dates
from agent_memory_os.text.segment import terms

PROVIDER = "dated"
_SPANS = 3


def candidates(
    snapshot: Snapshot, gate: Gate, state: RecallState, limit: int
) -> Sequence[Candidate]:
    """Return the newest memories of each date that the question names."""
    today = datetime.fromtimestamp(state.request.now / 1000, UTC).date()
    found: dict[int, Candidate] = {}
    for span in find_dates(state.request.query, today)[:_SPANS]:
        features = _features(state, span)
        edges = (span.start_ms, span.end_ms)
        for row in memories.dated(snapshot, gate, filter_of(state), edges, limit):
            found.setdefault(row, Candidate(row, len(found) + 1, PROVIDER, features))
    return tuple(found.values())


def _features(state: RecallState, span: DateSpan) -> dict[str, float]:
    naming = frozenset(terms(span.text)).intersection(state.terms)
    share = len(naming) / len(state.terms) if state.terms else 0.0
    return {"date": 1.0, "coverage": share, "breadth": share}
