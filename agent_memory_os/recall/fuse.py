"""Fusion: one relevance for each memory, whoever proposed it.

The relevance is a weighted sum of the features that the providers give, each scaled within the
query to [0, 1]; one that is missing is 0. Ranks and raw scores of unlike origin never meet. A
memory that matches has ``match`` on top, so that it stands above all that was only asked for
(pinned, recent) and matches nothing. The weights of a full match add up to 1.

The weights were fitted on three conversations of LoCoMo-10 (26, 30 and 41; Maharana et al. 2024):
each turn a memory, a store for each conversation, 383 questions of categories 1 to 4, by maximum
likelihood of the evidence turns under a softmax over the pool. Five-fold, the free fit finds 78.5%
of the evidence among the first ten. They were then rounded, and chosen where the figure is flat:
78.7% on the same questions, 73.6% without ``author`` and ``date``. Free, ``author`` and ``length``
come out at some three times what they have here: a heavy author costs questions that are put to
the wrong person, and a heavy length favours the long-winded outside of chats. Terms that stand side
by side, and memories two places away, were tried too, and gained half a point or nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache

from agent_memory_os.model.recall import Candidate, Fused, RecallState

MATCH = 0.17
"""What a memory has for matching at all; more than all that is only asked for can have."""

WEIGHTS: Mapping[str, float] = {
    "bm25": 0.16,
    "coverage": 0.10,
    "before": 0.11,
    "after": 0.05,
    "session": 0.12,
    "author": 0.07,
    "date": 0.15,
    "length": 0.05,
    "question": -0.03,
    "digit": 0.02,
}
"""What each feature of a memory that matches is worth; ``score`` says what they mean."""

ASKED_FOR: Mapping[str, float] = {"pinned": 0.02, "recent": 0.01}
"""What a memory is worth that matches nothing, by the provider that was asked for it."""


def fuse(state: RecallState) -> RecallState:
    """Return the state with one fused candidate for each memory, the most relevant first."""
    together: dict[int, list[Candidate]] = {}
    for candidate in state.candidates:
        together.setdefault(candidate.memory, []).append(candidate)
    fused = [_fused(memory, candidates) for memory, candidates in together.items()]
    fused.sort(key=lambda one: (-one.relevance, one.memory))
    return state._replace(fused=tuple(fused))


@cache
def is_match(providers: tuple[str, ...]) -> bool:
    """Say whether a provider among these found a memory for what it says."""
    return any(provider not in ASKED_FOR for provider in providers)


def addends(features: Mapping[str, float], providers: tuple[str, ...]) -> dict[str, float]:
    """Return what each feature adds to the relevance, by name, in a fixed order; no zeros."""
    least, weights = _scale(providers)
    parts = {"match": least} if least else {}
    for name, weight in weights.items():
        if value := features.get(name):
            parts[name] = weight * value
    return parts


def _scale(providers: tuple[str, ...]) -> tuple[float, Mapping[str, float]]:
    return (MATCH, WEIGHTS) if is_match(providers) else (0.0, ASKED_FOR)


def _fused(memory: int, candidates: Sequence[Candidate]) -> Fused:
    features = candidates[0].features if len(candidates) == 1 else _together(candidates)
    providers: tuple[str, ...] = (candidates[0].provider,)
    if len(candidates) > 1:
        providers = tuple(sorted({candidate.provider for candidate in candidates}))
    relevance, weights = _scale(providers)
    for name, weight in weights.items():
        if name in features:
            relevance += weight * features[name]
    return Fused(memory, relevance, features, providers)


def _together(candidates: Iterable[Candidate]) -> dict[str, float]:
    """Return the features of all; a name has one scale, so of the same one the larger holds."""
    features: dict[str, float] = {}
    for candidate in candidates:
        for name, value in candidate.features.items():
            features[name] = max(value, features.get(name, 0.0))
    return features
