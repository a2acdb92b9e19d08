"""Memories by their words: the rarest terms of the question first, all of it inside the gate.

How often each term occurs is counted in the reader's scopes. The memories that have the rarest
terms are gathered while no more than :data:`POSTINGS` rows are touched, and weighed by which terms
they have; of the best of them, and of their neighbours in session, every word is read, and
``score`` gives the features. A question of none but common terms is answered by the memories that
have all of them, then all but the commonest, and so on.

A row passes the gate and the filters before the best are cut, so that what is hidden, expired or
filtered out never takes the place of what is asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from heapq import nlargest
from math import log

from agent_memory_os.model.recall import Candidate, Filter, RecallState
from agent_memory_os.recall.providers.base import filter_of
from agent_memory_os.recall.score import Document, Question, Statistics, score
from agent_memory_os.store import lexical, memories
from agent_memory_os.store.database import Row, Snapshot
from agent_memory_os.store.gate import Gate
from agent_memory_os.text.dates import find_dates

POSTINGS = 6_000
"""How many rows a question takes out of the index; the rest it counts or intersects in there."""

POOL = 200
"""How many memories are read and scored."""

ENOUGH = 20
"""With fewer candidates than this, commoner terms are taken in too."""

NEIGHBOURS = 50
"""Of how many of the best the neighbours in session are scored as well."""

_CHUNK = 2 * POOL


def candidates(
    snapshot: Snapshot, gate: Gate, state: RecallState, limit: int
) -> Sequence[Candidate]:
    """Return the memories that have terms of the question, with their features, best BM25 first."""
    if not state.terms or not gate.scopes:
        return ()
    frequencies = {term: lexical.frequency(snapshot, gate, term) for term in state.terms}
    present = sorted((count, term) for term, count in frequencies.items() if count)
    if not present:
        return ()
    documents, words = lexical.totals(snapshot, gate)
    partial = _partial(snapshot, gate, present, documents)
    wanted = filter_of(state)
    rows = _best(snapshot, gate, wanted, partial, max(POOL, limit))
    pool = _with_neighbours(snapshot, gate, wanted, memories.contexts(snapshot, rows), partial)
    statistics = Statistics(documents, words / max(documents, 1), frequencies)
    return score(_question(state), [_document(row) for row in pool], statistics)


def _partial(
    snapshot: Snapshot, gate: Gate, present: list[tuple[int, str]], documents: int
) -> dict[int, float]:
    """Return rows with the summed weight of those of their terms that were looked up."""
    weights = {term: log(1.0 + documents / count) for count, term in present}
    found: dict[int, float] = {}
    spent, rare, common = 0, [], []
    for count, term in present:
        if spent + count <= POSTINGS:
            spent += count
            rare.append(term)
            _add(found, lexical.matches(snapshot, gate, [[term]], count), weights[term])
        else:
            common.append(term)
    if len(found) > POOL:
        # Too many to read them all: the common terms decide, looked up among these rows alone.
        for term in common:
            _add(found, lexical.matches(snapshot, gate, [[term], rare], POSTINGS), weights[term])
    elif len(found) < ENOUGH and common:
        _add_common(snapshot, gate, common, weights, found)
    return found


def _add_common(
    snapshot: Snapshot,
    gate: Gate,
    common: list[str],
    weights: dict[str, float],
    found: dict[int, float],
) -> None:
    for size in range(len(common), 0, -1):
        together = [[term] for term in common[:size]]
        rows = lexical.matches(snapshot, gate, together, POSTINGS)
        for row in rows:
            found.setdefault(row, sum(weights[term] for term in common[:size]))
        if len(found) >= ENOUGH:
            return


def _add(found: dict[int, float], rows: Sequence[int], weight: float) -> None:
    for row in rows:
        found[row] = found.get(row, 0.0) + weight


def _best(
    snapshot: Snapshot, gate: Gate, wanted: Filter, partial: dict[int, float], limit: int
) -> list[int]:
    """Return the rows of the greatest weight that pass gate and filters, newest of equals."""
    ordered = sorted(partial, key=lambda row: (partial[row], row), reverse=True)
    best: list[int] = []
    for start in range(0, len(ordered), _CHUNK):
        chunk = ordered[start : start + _CHUNK]
        passed = memories.matching(snapshot, gate, wanted, chunk)
        best += [row for row in chunk if row in passed]
        if len(best) >= limit:
            break
    return best[:limit]


def _with_neighbours(
    snapshot: Snapshot, gate: Gate, wanted: Filter, pool: list[Row], partial: dict[int, float]
) -> list[Row]:
    """Return the pool with what stands beside its best in their sessions.

    Neighbours lend their words to ranking, so they pass the gate like everything else.
    """
    held = {row[0] for row in pool}
    best = nlargest(NEIGHBOURS, (row for row in pool if row[2]), key=lambda row: partial[row[0]])
    places = {
        (owner, session, position + step)
        for _, owner, session, position, *_ in best
        if position is not None
        for step in (-1, 1)
    }
    if not places:
        return pool
    beside = set(memories.at_places(snapshot, gate, sorted(places))) - held
    passed = memories.matching(snapshot, gate, wanted, beside)
    return pool + memories.contexts(snapshot, sorted(passed))


def _question(state: RecallState) -> Question:
    today = datetime.fromtimestamp(state.request.now / 1000, UTC).date()
    return Question(state.request.query, state.terms, find_dates(state.request.query, today))


def _document(row: Row) -> Document:
    number, owner, session, position, author, at, text, words = row
    key = f"{owner}\x1f{session}" if session else ""
    return Document(number, words.split(" "), text, key, position, author or "", at)
