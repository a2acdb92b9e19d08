"""Memories by their words: the rarest terms of the question first, all of it inside the gate.

How often each term occurs is counted in the reader's scopes. The memories that have the rarer
terms are gathered and weighed by which terms they have; of the best of them, and of their
neighbours in session, every word is read, and ``score`` gives the features. A question of none but
common terms is answered by the memories that have all of them, then all but the commonest, and so
on.

A row passes the gate and the filters before the best are cut, so that what is hidden, expired or
filtered out never takes the place of what is asked for. The newest rows of common terms are looked
at first without the filters, which is quick; where too few of them pass, the index is asked again
for those that do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from heapq import nlargest
from math import log

from agent_memory_os.model.recall import Candidate, Filter, RecallState
from agent_memory_os.recall.providers.base import filter_of
from agent_memory_os.recall.score import Document, Question, Statistics, score
from agent_memory_os.store import lexical, memories
from agent_memory_os.store.database import Row, Snapshot
from agent_memory_os.store.gate import Gate
from agent_memory_os.store.lexical import Reach
from agent_memory_os.text.dates import find_dates
from agent_memory_os.value import NamedTuple

POSTINGS = 1_000
"""How many rows a term may have to be taken out of the index; those of a commoner one are counted,
and intersected with the rarer ones, inside the index."""

SMALL = 10 * POSTINGS
"""With no more memories in scope than this, most terms are taken to be rare."""

POOL = 64
"""How many memories are read and scored; three times as many find no more among the first ten."""

ENOUGH = 20
"""With fewer candidates than this, commoner terms are taken in too."""

NEIGHBOURS = 12
"""Of how many of the best the neighbours in session are scored as well."""


def candidates(
    snapshot: Snapshot, gate: Gate, state: RecallState, limit: int
) -> Sequence[Candidate]:
    """Return the memories that have terms of the question, with their features, best BM25 first."""
    within = lexical.reach(snapshot, gate)
    if not state.terms or not within.scopes:
        return ()
    found = _looked_up(snapshot, within, state.terms)
    partial = _partial(snapshot, within, found)
    if not partial:
        return ()
    wanted = filter_of(state)
    most = max(POOL, limit)
    pool = _best(snapshot, gate, wanted, partial, most)
    if _is_short(pool, found, partial, most):
        _add_shown(snapshot, gate, within, wanted, found, partial)
        pool = _best(snapshot, gate, wanted, partial, most)
    pool += _neighbours(snapshot, gate, wanted, pool, partial)
    frequencies = {one.term: one.frequency for one in found}
    statistics = Statistics(within.documents, within.words / within.documents, frequencies)
    return score(_question(state), [_document(row) for row in pool], statistics)


_TEXT = 6
"""Where the text stands in a row of what ranking reads."""


class _Term(NamedTuple):
    """A term that occurs in scope: how often, and its rows where they are few."""

    frequency: int
    term: str
    rows: Sequence[int]


def _looked_up(snapshot: Snapshot, within: Reach, terms: Sequence[str]) -> list[_Term]:
    """Return the terms that occur, rarest first."""
    found = [one for term in terms if (one := _term(snapshot, within, term)).frequency]
    return sorted(found, key=lambda one: (one.frequency, one.term))


def _term(snapshot: Snapshot, within: Reach, term: str) -> _Term:
    """Return a term with its rows, if it is rare; the frequency of one that is nowhere is 0."""
    if within.documents <= SMALL:
        # Most terms are rare here: one look is enough for them, and no count.
        rows = lexical.matches(snapshot, within, [[term]], POSTINGS + 1)
        if len(rows) <= POSTINGS:
            return _Term(len(rows), term, rows)
    frequency = lexical.frequency(snapshot, within, term)
    if frequency > POSTINGS:
        return _Term(frequency, term, ())
    return _Term(frequency, term, lexical.matches(snapshot, within, [[term]], POSTINGS))


def _partial(snapshot: Snapshot, within: Reach, found: list[_Term]) -> dict[int, float]:
    """Return rows with the summed weight of those of their terms that were looked up."""
    weights = _weights(within, found)
    rare = [one for one in found if one.rows]
    common = _common(found)
    partial: dict[int, float] = {}
    for one in rare:
        _add(partial, one.rows, weights[one.term])
    if len(partial) > POOL:
        # Too many to read them all: the common terms decide, looked up among these rows alone.
        names = [one.term for one in rare]
        for term in common:
            rows = lexical.matches(snapshot, within, [[term], names], len(partial))
            _add(partial, rows, weights[term])
    elif len(partial) < ENOUGH and common:
        _add_common(snapshot, within, common, weights, partial)
    return partial


def _add_common(
    snapshot: Snapshot,
    within: Reach,
    common: list[str],
    weights: dict[str, float],
    partial: dict[int, float],
) -> None:
    for size in range(len(common), 0, -1):
        together = [[term] for term in common[:size]]
        weight = sum(weights[term] for term in common[:size])
        for row in lexical.matches(snapshot, within, together, POSTINGS):
            partial.setdefault(row, weight)
        if len(partial) >= ENOUGH:
            return


def _is_short(
    pool: Sequence[Row], found: list[_Term], partial: Mapping[int, float], most: int
) -> bool:
    """Say whether filters may have left out rows whose place others would have had."""
    was_cut = len(partial) >= POSTINGS and len(pool) < most
    return bool(_common(found)) and (was_cut or len(pool) < ENOUGH)


def _add_shown(
    snapshot: Snapshot,
    gate: Gate,
    within: Reach,
    wanted: Filter,
    found: list[_Term],
    partial: dict[int, float],
) -> None:
    """Add rows with common terms, of those alone that pass gate and filters."""
    common, weights = _common(found), _weights(within, found)
    count = 0
    for size in range(len(common), 0, -1):
        together = [[term] for term in common[:size]]
        weight = sum(weights[term] for term in common[:size])
        shown = lexical.shown(snapshot, gate, within, together, wanted, POOL)
        for row in shown:
            partial.setdefault(row, weight)
        count += len(shown)
        if count >= ENOUGH:
            return


def _common(found: list[_Term]) -> list[str]:
    return [one.term for one in found if not one.rows]


def _weights(within: Reach, found: list[_Term]) -> dict[str, float]:
    return {one.term: log(1.0 + within.documents / one.frequency) for one in found}


def _add(partial: dict[int, float], rows: Sequence[int], weight: float) -> None:
    for row in rows:
        partial[row] = partial.get(row, 0.0) + weight


def _best(
    snapshot: Snapshot, gate: Gate, wanted: Filter, partial: dict[int, float], limit: int
) -> list[Row]:
    """Return the rows of the greatest weight that pass gate and filters, newest of equals.

    They are as many as say ``limit`` different things, so that repetitions take nobody's place.
    """
    ordered = [row for _, row in sorted(zip(partial.values(), partial, strict=True), reverse=True)]
    best: list[Row] = []
    said: set[str] = set()
    for start in range(0, len(ordered), limit):
        found = memories.contexts(snapshot, gate, wanted, ordered[start : start + limit])
        best += found
        said.update(row[_TEXT] for row in found)
        if len(said) >= limit:
            break
    return best


def _neighbours(
    snapshot: Snapshot, gate: Gate, wanted: Filter, pool: list[Row], partial: dict[int, float]
) -> list[Row]:
    """Return what stands beside the best of the pool in their sessions.

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
        return []
    beside = memories.at_places(snapshot, gate, sorted(places))
    return memories.contexts(snapshot, gate, wanted, sorted(set(beside) - held))


def _question(state: RecallState) -> Question:
    today = datetime.fromtimestamp(state.request.now / 1000, UTC).date()
    return Question(state.request.query, state.terms, find_dates(state.request.query, today))


def _document(row: Row) -> Document:
    number, owner, session, position, author, at, text, words = row
    key = f"{owner}\x1f{session}" if session else ""
    return Document(number, words.split(" "), text, key, position, author or "", at)
