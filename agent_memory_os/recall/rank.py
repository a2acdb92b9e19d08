"""Ranking: relevance first, then a little for what kind of memory it is.

Freshness, importance, confidence and a pin are additions to the relevance. Each is bounded, and
together they come to at most :data:`MOST_ADDED`: between memories that match equally well they
decide, and they never lift one over another that is more relevant by more than that. Nothing is
multiplied by age. Freshness counts from the last change of the content (``recall.decay``): being
read makes nothing fresh, and a date in the future gains nothing.

Nothing found is an answer. A question of three terms or more is not answered when no memory has
more than two of them, nor a quarter of their weight: one rare word in four will do, one common word
will not. On the questions by which ``fuse`` was fitted, 56% of those put to another conversation
are rejected, for 0.4 points of recall; a question whose answer alone is missing cannot be told
apart by words.

Equal scores are ordered by memory id, which no other memory can change.
"""

from __future__ import annotations

from agent_memory_os.model.memory import THOUSAND
from agent_memory_os.model.recall import Admitted, Hit, RecallState
from agent_memory_os.recall.decay import freshness
from agent_memory_os.recall.fuse import addends, is_match

FRESHNESS = 0.03
IMPORTANCE = 0.02
CONFIDENCE = 0.02
PINNED = 0.01
MOST_ADDED = FRESHNESS + IMPORTANCE + CONFIDENCE + PINNED
"""The most that all additions come to, on the scale on which a full match is 1."""

LONG_QUESTION = 3
FEW_TERMS = 2
LEAST_COVERAGE = 0.249
"""Just under a quarter, for a quarter that is a sum of fractions may come out below it."""

NOTHING_FOUND = "No memory has enough of the question's words to answer it."


def rank(state: RecallState) -> RecallState:
    """Return the state with a hit for each admitted memory, best first, or none below the floor."""
    admitted, notes = state.admitted, state.notes
    if _is_below_floor(state):
        admitted = tuple(one for one in admitted if not is_match(one.fused.providers))
        notes = (*notes, NOTHING_FOUND)
    hits = sorted(
        (_hit(one, state.request.now) for one in admitted),
        key=lambda hit: (-hit.score, hit.memory.id),
    )
    return state._replace(hits=tuple(hits), notes=notes)


def _is_below_floor(state: RecallState) -> bool:
    """Say whether there are matches, and all of them together say too little."""
    found = [one.fused.features for one in state.admitted if is_match(one.fused.providers)]
    asked = len(state.terms)
    if asked < LONG_QUESTION or not found:
        return False
    broadest = round(asked * max(features.get("breadth", 0.0) for features in found))
    coverage = max(features.get("coverage", 0.0) for features in found)
    return broadest <= FEW_TERMS and coverage < LEAST_COVERAGE


def _hit(one: Admitted, now: int) -> Hit:
    fused, content = one.fused, one.memory.content
    added = {
        "freshness": FRESHNESS * freshness(content, now),
        "importance": IMPORTANCE * content.importance / THOUSAND,
        "confidence": CONFIDENCE * content.confidence / THOUSAND,
        "pinned": PINNED * content.pinned,
    }
    parts = addends(fused.features, fused.providers)
    for name, value in added.items():
        if value:
            parts[name] = parts.get(name, 0.0) + value
    asked_for = () if is_match(fused.providers) else fused.providers
    return Hit(one.memory, sum(parts.values()), parts, fused.providers, asked_for)
