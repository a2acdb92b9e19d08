"""Recall as a visible list of stages.

``gather`` asks each provider inside the principal's scope, ``fuse`` weighs what they say, ``admit``
reads each row again through the gate, ``rank`` orders, ``arbitrate`` deals with duplicates, what is
superseded and what contradicts. Only ``gather`` and ``admit`` touch the snapshot.
"""

from __future__ import annotations

from collections.abc import Iterable

from agent_memory_os.model.recall import Admitted, Fused, RecallState, Stage, Supersession
from agent_memory_os.recall.arbitrate import arbitrate
from agent_memory_os.recall.fuse import fuse
from agent_memory_os.recall.providers import PROVIDERS
from agent_memory_os.recall.providers.base import filter_of
from agent_memory_os.recall.rank import rank
from agent_memory_os.store import links, memories
from agent_memory_os.store.database import Snapshot
from agent_memory_os.store.gate import Gate
from agent_memory_os.text.query import query_terms

SPARE = 10
"""How many more than the limit are admitted, so that duplicates and gone ones leave room."""

MULTIPLE = 2

Superseded = dict[tuple[int, int], Supersession]
"""What supersedes what, by the rows of the newer and the older memory."""

OPERATOR = "operator"
"""Who asserts a link for the account as a whole, and so for each of its agents."""


def stages(snapshot: Snapshot, gate: Gate) -> tuple[Stage, ...]:
    """Return the stages of recall, in order, for one principal in one snapshot."""

    def gather(state: RecallState) -> RecallState:
        return _gather(snapshot, gate, state)

    def admit(state: RecallState) -> RecallState:
        return _admit(snapshot, gate, state)

    return (gather, fuse, admit, rank, arbitrate)


def run(snapshot: Snapshot, gate: Gate, state: RecallState) -> RecallState:
    """Take a state through every stage."""
    for stage in stages(snapshot, gate):
        state = stage(state)
    return state


def _gather(snapshot: Snapshot, gate: Gate, state: RecallState) -> RecallState:
    state = state._replace(terms=tuple(query_terms(state.request.query)))
    wanted = state.request.limit * MULTIPLE + SPARE
    found = [
        candidate for provider in PROVIDERS for candidate in provider(snapshot, gate, state, wanted)
    ]
    return state._replace(candidates=tuple(found))


def _admit(snapshot: Snapshot, gate: Gate, state: RecallState) -> RecallState:
    """Read the best again through the gate, until they say as many different things as are wanted.

    What is said again, and what is superseded where that is not wanted, takes nobody's place.
    """
    wanted = state.request.limit * MULTIPLE + SPARE
    admitted: list[Admitted] = []
    superseded: Superseded = {}
    said: set[str] = set()
    for start in range(0, len(state.fused), wanted):
        best = state.fused[start : start + wanted]
        held = memories.admitted(snapshot, gate, [one.memory for one in best])
        admitted += [Admitted(one, held[one.memory]) for one in best if one.memory in held]
        superseded |= _supersessions(snapshot, gate, held)
        gone = set() if state.wants_superseded else _replaced(superseded)
        said.update(memory.text for row, memory in held.items() if row not in gone)
        if len(said) >= wanted:
            break
    return state._replace(
        admitted=(*admitted, *_replacements(snapshot, gate, state, admitted, superseded)),
        supersessions=tuple(superseded.values()),
    )


def _replaced(superseded: Superseded) -> set[int]:
    return {older for (_, older), item in superseded.items() if item.by_owner}


def _supersessions(snapshot: Snapshot, gate: Gate, rows: Iterable[int]) -> Superseded:
    """Return what supersedes these rows, and what supersedes that, as far as it may be read."""
    found: Superseded = {}
    wanted = list(rows)
    while wanted:
        asserted = links.supersessions(snapshot, gate, wanted)
        fresh = [item for item in asserted if (item.newer, item.older) not in found]
        for item in fresh:
            # Several may say so: the owner's word counts, whoever else proposes the same.
            place = (item.newer, item.older)
            by_owner = item.asserted_by in (item.owner, OPERATOR)
            by_owner = by_owner or (place in found and found[place].by_owner)
            found[place] = Supersession(item.newer_id, item.older_id, by_owner)
        wanted = [item.newer for item in fresh]
    return found


def _replacements(
    snapshot: Snapshot,
    gate: Gate,
    state: RecallState,
    admitted: list[Admitted],
    superseded: Superseded,
) -> list[Admitted]:
    """Return what replaces an admitted memory without being found itself, in its place.

    Else a question in the words of the older one would be answered with nothing, or with it. What
    the request narrows by holds for it too.
    """
    places = {one.fused.memory: one.fused for one in admitted}
    more: dict[int, Fused] = {}
    for (newer, older), item in superseded.items():
        fused = places.get(older) or more.get(older)
        if item.by_owner and fused is not None and newer not in places:
            more.setdefault(newer, fused._replace(memory=newer))
    if not more:
        return []
    passed = [row[0] for row in memories.contexts(snapshot, gate, filter_of(state), more)]
    held = memories.admitted(snapshot, gate, passed)
    return [Admitted(fused, held[row]) for row, fused in more.items() if row in held]
