"""The newest memories: proposed only where they are asked for."""

from __future__ import annotations

from collections.abc import Sequence

from agent_memory_os.model.recall import Candidate, RecallState
from agent_memory_os.recall.providers.base import filter_of, newest_first
from agent_memory_os.store.database import Snapshot
from agent_memory_os.store.gate import Gate


def candidates(
    snapshot: Snapshot, gate: Gate, state: RecallState, limit: int
) -> Sequence[Candidate]:
    """Return the newest memories, if the request asks for them."""
    if not state.request.recent:
        return ()
    from agent_memory_os.store.memory import page  # most searches do not ask for it

    rows = page.recent(snapshot, gate, filter_of(state), limit)
    return newest_first(rows, "recent")
