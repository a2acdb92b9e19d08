"""One relevance for each memory, whoever proposed it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory_os.model.recall import Candidate
from agent_memory_os.recall.fuse import ASKED_FOR, MATCH, WEIGHTS, addends, fuse, is_match
from agent_memory_os.recall.rank import MOST_ADDED
from tests.recall.sample import candidate, state

SHARES = st.floats(min_value=0.0, max_value=1.0)
FEATURES = st.dictionaries(st.sampled_from([*WEIGHTS, *ASKED_FOR, "breadth"]), SHARES)
CANDIDATES = st.lists(
    st.builds(
        Candidate,
        memory=st.integers(min_value=1, max_value=5),
        rank=st.integers(min_value=1, max_value=9),
        provider=st.sampled_from(("lexical", "pinned", "recent")),
        features=FEATURES,
    ),
    max_size=8,
)


def test_a_full_match_is_worth_one() -> None:
    """The weights that add come to 1, with what any match has."""
    assert MATCH + sum(weight for weight in WEIGHTS.values() if weight > 0) == pytest.approx(1.0)


def test_a_missing_feature_is_zero() -> None:
    """What a provider does not say adds nothing, and a name without a weight neither."""
    fused = fuse(state(candidates=[candidate(1, bm25=0.5, breadth=1.0)])).fused
    assert fused[0].relevance == MATCH + 0.5 * WEIGHTS["bm25"]


def test_features_of_several_providers_come_together() -> None:
    """A memory that two providers propose has the features of both, once each."""
    proposed = [
        candidate(1, "pinned", pinned=1.0),
        candidate(1, "lexical", bm25=1.0, digit=0.5),
        candidate(1, "other", digit=1.0),
    ]
    (fused,) = fuse(state(candidates=proposed)).fused
    assert fused.features == {"pinned": 1.0, "bm25": 1.0, "digit": 1.0}
    assert fused.providers == ("lexical", "other", "pinned")
    assert fused.relevance == pytest.approx(MATCH + WEIGHTS["bm25"] + WEIGHTS["digit"])


def test_the_most_relevant_comes_first() -> None:
    """Fused candidates are ordered by relevance, equal ones by row."""
    proposed = [candidate(3, bm25=0.2), candidate(2, bm25=0.9), candidate(1, bm25=0.2)]
    assert [one.memory for one in fuse(state(candidates=proposed)).fused] == [2, 1, 3]


def test_nothing_stays_nothing() -> None:
    """Without candidates there is nothing fused."""
    assert fuse(state()).fused == ()


def test_only_what_was_found_is_a_match() -> None:
    """What was merely asked for, pinned or recent, is no match."""
    assert is_match(("lexical", "pinned"))
    assert not is_match(("pinned", "recent"))
    assert not is_match(())


@given(found=FEATURES, wanted=FEATURES)
def test_what_matches_nothing_never_stands_above_what_matches(
    found: dict[str, float], wanted: dict[str, float]
) -> None:
    """The weakest match, with nothing added in ranking, beats the rest with all there is to add."""
    weakest = sum(addends(found, ("lexical",)).values())
    strongest = sum(addends(wanted, ("pinned", "recent")).values())
    assert weakest > strongest + MOST_ADDED


@given(candidates=CANDIDATES, turn=st.integers(min_value=0, max_value=8))
def test_fusion_does_not_depend_on_the_order_of_candidates(
    candidates: list[Candidate], turn: int
) -> None:
    """Candidates may come in any order, to the last bit of the sum."""
    turned = candidates[turn:] + candidates[:turn]
    assert fuse(state(candidates=candidates)).fused == fuse(state(candidates=turned)).fused
    assert (
        fuse(state(candidates=candidates)).fused == fuse(state(candidates=candidates[::-1])).fused
    )
