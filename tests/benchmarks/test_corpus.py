"""The invented corpus is the same for every run, and like English in what counts."""

from __future__ import annotations

from collections import Counter

from benchmarks.corpus import MEAN_LENGTH, Corpus
from benchmarks.fleet import AGENTS, BLOCK, audience, audiences, owner_of

COUNT = 2_000


def test_two_corpora_of_a_seed_say_the_same() -> None:
    """Whoever measures on another day or machine measures on the same text."""
    assert list(Corpus().notes(50)) == list(Corpus().notes(50))
    assert list(Corpus().notes(50)) != list(Corpus(1).notes(50))


def test_a_memory_has_the_length_that_the_figures_are_about() -> None:
    """Sizes and costs a memory are told for one of 150 characters."""
    lengths = [len(note.text) for note in Corpus().notes(COUNT)]
    assert abs(sum(lengths) / COUNT - MEAN_LENGTH) < 5
    assert max(lengths) > 2 * min(lengths)


def test_words_are_as_uneven_as_those_of_a_language() -> None:
    """A few words are in most texts, and most words are met once or twice."""
    counts = Counter(
        word.strip(".,").lower() for note in Corpus().notes(COUNT) for word in note.text.split()
    )
    words = sum(counts.values())
    assert sum(count for _, count in counts.most_common(50)) > words / 3
    assert sum(count <= 2 for count in counts.values()) > len(counts) / 2


def test_a_question_asks_for_words_of_its_memory() -> None:
    """A mixed question can be answered by the memory that it was made from."""
    corpus = Corpus()
    text = next(corpus.notes(1)).text.lower()
    asked = corpus.question(text).rstrip("?").split()[-3:]
    assert all(word in text for word in asked)


def test_a_fleet_keeps_half_and_shares_the_rest() -> None:
    """Half of what the agents have is private, and each owns about as much as another."""
    draw = audiences()
    shared = Counter(next(draw) for _ in range(COUNT))
    assert 0.45 < shared["private"] / COUNT < 0.55
    assert set(shared) == {"private", "team", "project", "global"}
    assert {owner_of(number) for number in range(0, AGENTS * BLOCK, BLOCK)} == set(range(AGENTS))
    assert audience("project", 5) == "project:team1/site"
    assert audience("global", 5) == "global"
