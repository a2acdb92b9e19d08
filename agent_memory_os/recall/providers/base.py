"""What a candidate provider is.

It is called inside the snapshot of the read, with the gate that was opened there for the principal,
and returns only rows that the gate lets through. What it needs of the request it takes from it; a
provider that was not asked for returns nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from agent_memory_os.model.recall import Candidate, Filter, RecallState
from agent_memory_os.store.database import Snapshot
from agent_memory_os.store.gate import Gate

Provider = Callable[[Snapshot, Gate, RecallState, int], Sequence[Candidate]]
"""``(snapshot, gate, state, limit) -> candidates``; the state has the request and its terms."""


def filter_of(state: RecallState) -> Filter:
    """Return what the request narrows by."""
    return state.request.filter


def newest_first(rows: Sequence[int], provider: str) -> tuple[Candidate, ...]:
    """Return candidates for rows in their order; the first has the feature 1, the last near 0."""
    count = len(rows)
    return tuple(
        Candidate(row, rank, provider, {provider: 1.0 - (rank - 1) / count})
        for rank, row in enumerate(rows, 1)
    )
