"""Relevance first, then a little for what kind of memory it is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory_os.model.recall import Admitted, RecallState
from agent_memory_os.recall.rank import (
    CONFIDENCE,
    FRESHNESS,
    IMPORTANCE,
    MOST_ADDED,
    NOTHING_FOUND,
    PINNED,
    rank,
)
from tests.recall.sample import DAY, NOW, admitted, memory, row_of, scores, state

YEAR = 365 * DAY
FOUR = ("gateway", "port", "listen", "friday")


def order(ranked: RecallState) -> list[int]:
    """Return the rows of the hits in order."""
    return [row_of(hit.memory.id) for hit in ranked.hits]


def test_age_never_outranks_meaning() -> None:
    """A better match of five years ago stands above a worse one of today."""
    old = admitted(memory(1, created_at=NOW - 5 * YEAR), bm25=1.0, coverage=1.0)
    new = admitted(memory(2, created_at=NOW, importance=1000, pinned=True), bm25=0.3, coverage=0.5)
    assert order(rank(state(admitted=[new, old]))) == [1, 2]


def test_among_equals_the_fresher_comes_first() -> None:
    """Of two memories that match equally well, the one changed later comes first."""
    old = admitted(memory(1, created_at=NOW - YEAR), bm25=1.0)
    edited = admitted(memory(2, created_at=NOW - YEAR, updated_at=NOW - DAY), bm25=1.0)
    assert order(rank(state(admitted=[old, edited]))) == [2, 1]


def test_a_date_in_the_future_gains_nothing() -> None:
    """A memory dated 2099 is not the newest, and stands below one of yesterday."""
    far = memory(1, created_at=4_070_908_800_000)
    yesterday = memory(2, created_at=NOW - DAY)
    ranked = rank(state(admitted=[admitted(far, bm25=1.0), admitted(yesterday, bm25=1.0)]))
    assert order(ranked) == [2, 1]
    assert "freshness" not in ranked.hits[1].parts


def test_importance_confidence_and_a_pin_add_a_little() -> None:
    """Each is an addend of its own, and the score is the sum of the addends."""
    one = memory(1, created_at=NOW, importance=1000, confidence=500, pinned=True)
    (hit,) = rank(state(admitted=[admitted(one, bm25=1.0)])).hits
    assert hit.parts["importance"] == IMPORTANCE
    assert hit.parts["confidence"] == CONFIDENCE / 2
    assert hit.parts["pinned"] == PINNED
    assert hit.parts["freshness"] == FRESHNESS
    assert hit.score == pytest.approx(sum(hit.parts.values()))


def test_a_pin_that_was_asked_for_counts_both_ways() -> None:
    """A pinned memory that only the pinned provider proposed has both addends under one name."""
    one = memory(1, importance=0, confidence=0, pinned=True)
    (hit,) = rank(state(admitted=[admitted(one, "pinned", pinned=1.0)])).hits
    assert hit.parts["pinned"] > PINNED
    assert hit.score == pytest.approx(sum(hit.parts.values()))


def test_equal_scores_are_ordered_by_id() -> None:
    """Equals come in the order of their ids, whatever the order in which they were admitted."""
    first, second = memory(3), memory(7)
    ranked = rank(state(admitted=[admitted(second, bm25=1.0), admitted(first, bm25=1.0)]))
    assert order(ranked) == [3, 7]


def test_one_common_word_of_a_long_question_finds_nothing() -> None:
    """Where all that matches is one word that says little, the answer is nothing, and says so."""
    weak = admitted(memory(1), bm25=1.0, coverage=0.1, breadth=0.25)
    ranked = rank(state(terms=FOUR, admitted=[weak]))
    assert ranked.hits == ()
    assert ranked.notes == (NOTHING_FOUND,)


@pytest.mark.parametrize(
    ("terms", "coverage", "breadth"),
    [
        (FOUR, 0.25, 0.25),  # one word, and a rare one
        (FOUR, 0.1, 0.75),  # three words, all common
        (FOUR[:2], 0.1, 0.5),  # a question of two words asks for either
        (FOUR[:1], 0.01, 1.0),
    ],
)
def test_enough_words_are_an_answer(
    terms: tuple[str, ...], coverage: float, breadth: float
) -> None:
    """A rare word, several words, or any word of a short question are above the floor."""
    one = admitted(memory(1), bm25=1.0, coverage=coverage, breadth=breadth)
    ranked = rank(state(terms=terms, admitted=[one]))
    assert order(ranked) == [1]
    assert ranked.notes == ()


def test_the_best_evidence_lifts_the_floor_for_all() -> None:
    """The floor asks whether there is an answer at all; then neighbours come along."""
    strong = admitted(memory(1), bm25=1.0, coverage=0.6, breadth=0.5)
    beside = admitted(memory(2), before=1.0)
    assert order(rank(state(terms=FOUR, admitted=[beside, strong]))) == [1, 2]


def test_below_the_floor_only_what_was_asked_for_stays() -> None:
    """Pinned memories that were asked for come also when nothing matches."""
    weak = admitted(memory(1), bm25=1.0, coverage=0.1, breadth=0.25)
    pinned = admitted(memory(2, pinned=True), "pinned", pinned=1.0)
    assert order(rank(state(terms=FOUR, admitted=[weak, pinned]))) == [2]


def test_nothing_admitted_is_nothing_found() -> None:
    """Without admitted memories there are no hits, and no note, for there is nothing to reject."""
    ranked = rank(state(terms=FOUR))
    assert ranked.hits == ()
    assert ranked.notes == ()


SHARES = st.floats(min_value=0.0, max_value=1.0)
MEMORIES = st.builds(
    lambda row, age, importance, confidence, pinned: memory(
        row,
        created_at=NOW - age,
        importance=importance,
        confidence=confidence,
        pinned=pinned,
    ),
    row=st.integers(min_value=1, max_value=9),
    age=st.integers(min_value=-10 * YEAR, max_value=10 * YEAR),
    importance=st.integers(min_value=0, max_value=1000),
    confidence=st.integers(min_value=0, max_value=1000),
    pinned=st.booleans(),
)
ADMITTED = st.builds(
    lambda one, bm25, coverage: admitted(one, bm25=bm25, coverage=coverage),
    MEMORIES,
    SHARES,
    SHARES,
)


@given(found=st.lists(ADMITTED, max_size=6, unique_by=lambda one: one.memory.id), seed=st.randoms())
def test_ranking_does_not_depend_on_the_order_of_what_is_admitted(
    found: list[Admitted], seed: object
) -> None:
    """Admitted memories may come in any order."""
    shuffled = list(found)
    seed.shuffle(shuffled)  # type: ignore[attr-defined]
    assert rank(state(admitted=found)).hits == rank(state(admitted=shuffled)).hits


@given(one=ADMITTED, other=ADMITTED)
def test_what_is_added_is_bounded(one: Admitted, other: Admitted) -> None:
    """A memory stands above every one that is less relevant by more than all additions come to."""
    gap = one.fused.relevance - other.fused.relevance
    ranked = scores(rank(state(admitted=[one, other._replace(memory=memory(99))])).hits)
    added = ranked[one.memory.id] - one.fused.relevance
    assert -1e-9 <= added <= MOST_ADDED + 1e-9
    if gap > MOST_ADDED:
        assert ranked[one.memory.id] > ranked[memory(99).id]


@given(one=ADMITTED, years=st.integers(min_value=0, max_value=50))
def test_growing_old_costs_no_more_than_freshness(one: Admitted, years: int) -> None:
    """However long nothing happens, a memory loses at most what freshness can give."""
    now = rank(state(admitted=[one])).hits[0].score
    later = rank(state(admitted=[one], now=NOW + years * YEAR)).hits[0].score
    assert abs(now - later) <= FRESHNESS + 1e-9


def test_what_was_only_asked_for_says_so() -> None:
    """A hit that matches nothing carries the mark of the provider that was asked for it."""
    found = admitted(memory(1), bm25=1.0)
    pinned = admitted(memory(2), "pinned", pinned=1.0)
    ranked = rank(state(admitted=[found, pinned]))
    assert [(row_of(hit.memory.id), hit.marks) for hit in ranked.hits] == [
        (1, ()),
        (2, ("pinned",)),
    ]
