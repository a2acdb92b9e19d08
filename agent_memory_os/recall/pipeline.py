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
    superseded: dict[tuple[int, int], Supersession] = {}
    said: set[str] = set()
    for start in range(0, len(state.fused), wanted):
        best = state.fused[start : start + wanted]
        held = memories.admitted(snapshot, gate, [one.memory for one in best])
        admitted += [Admitted(one, held[one.memory]) for one in best if one.memory in held]
        superseded |= _supersessions(snapshot, gate, held)
        gone = set() if state.wants_superseded else _replaced(superseded.values())
        said.update(memory.text for row, memory in held.items() if row not in gone)
        if len(said) >= wanted:
            break
    found = list(superseded.values())
    return state._replace(
        admitted=(*admitted, *_replacements(snapshot, gate, state, admitted, found)),
        supersessions=tuple(found),
    )


def _replaced(superseded: Iterable[Supersession]) -> set[int]:
    return {item.older for item in superseded if item.by_owner}


def _supersessions(
    snapshot: Snapshot, gate: Gate, rows: Iterable[int]
) -> dict[tuple[int, int], Supersession]:
    """Return what supersedes these rows, and what supersedes that, as far as it may be read."""
    found: dict[tuple[int, int], Supersession] = {}
    wanted = list(rows)
    while wanted:
        asserted = links.supersessions(snapshot, gate, wanted)
        fresh = [item for item in asserted if (item.newer, item.older) not in found]
        for item in fresh:
            # Several may say so: the owner's word counts, whoever else proposes the same.
            place = (item.newer, item.older)
            by_owner = item.asserted_by in (item.owner, OPERATOR)
            by_owner = by_owner or (place in found and found[place].by_owner)
            found[place] = Supersession(*place, by_owner)
        wanted = [item.newer for item in fresh]
    return found


def _replacements(
    snapshot: Snapshot,
    gate: Gate,
    state: RecallState,
    admitted: list[Admitted],
    superseded: list[Supersession],
) -> list[Admitted]:
    """Return what replaces an admitted memory without being found itself, in its place.

    Else a question in the words of the older one would be answered with nothing, or with it. What
    the request narrows by holds for it too.
    """
    places = {one.memory.row: one.fused for one in admitted}
    more: dict[int, Fused] = {}
    for item in superseded:
        fused = places.get(item.older) or more.get(item.older)
        if item.by_owner and fused is not None and item.newer not in places:
            more.setdefault(item.newer, fused._replace(memory=item.newer))
    if not more:
        return []
    passed = [row[0] for row in memories.contexts(snapshot, gate, filter_of(state), more)]
    held = memories.admitted(snapshot, gate, passed)
    return [Admitted(fused, held[row]) for row, fused in more.items() if row in held]
