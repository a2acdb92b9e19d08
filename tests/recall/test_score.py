"""What the words of a question say about each memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory_os.recall.rank import LEAST_COVERAGE
from agent_memory_os.recall.score import (
    Document,
    Question,
    Statistics,
    named_author,
    score,
)
from agent_memory_os.text.dates import DateSpan
from agent_memory_os.text.query import query_terms
from agent_memory_os.text.segment import terms

WORDS = ("gateway", "port", "listen", "deploy", "friday", "tea")


def document(row: int, text: str, session: str = "", position: int | None = None) -> Document:
    """Return a memory of the pool, with the terms of its text."""
    return Document(row, terms(text), text, session, position)


def features(
    asked: str, documents: Iterable[Document], dates: Iterable[DateSpan] = ()
) -> Mapping[int, Mapping[str, float]]:
    """Return the features by row; the statistics are those of the documents themselves."""
    pool = list(documents)
    return {one.memory: one.features for one in score(question(asked, dates), pool, counted(pool))}


def question(asked: str, dates: Iterable[DateSpan] = ()) -> Question:
    """Return a question with its terms."""
    return Question(asked, query_terms(asked), tuple(dates))


def counted(pool: list[Document]) -> Statistics:
    """Return the statistics of a store that holds just these documents."""
    frequencies: dict[str, int] = {}
    for one in pool:
        for word in set(one.words):
            frequencies[word] = frequencies.get(word, 0) + 1
    length = sum(len(one.words) for one in pool)
    return Statistics(len(pool), length / max(len(pool), 1), frequencies)


def test_no_term_no_candidate() -> None:
    """A question of which no memory has a term gives no candidate, and so does an empty pool."""
    assert features("quantum", [document(1, "The gateway listens.")]) == {}
    assert features("gateway", []) == {}
    assert features("", [document(1, "The gateway listens.")]) == {}


def test_the_best_has_one() -> None:
    """The best match in the pool has a bm25 of 1, and comes first."""
    pool = [document(1, "The gateway is down."), document(2, "Gateway port: the gateway has 8443.")]
    found = score(question("gateway port"), pool, counted(pool))
    assert [one.memory for one in found] == [2, 1]
    assert [one.rank for one in found] == [1, 2]
    assert found[0].features["bm25"] == 1.0
    assert 0.0 < found[1].features["bm25"] < 1.0


def test_a_term_that_comes_again_counts_more_but_less_than_twice() -> None:
    """A repeated term adds to bm25, and each time adds less."""
    one = document(1, "gateway alpha beta gamma")
    two = document(2, "gateway gateway beta gamma")
    found = features("gateway", [one, two])
    assert found[2]["bm25"] == 1.0
    assert 0.5 < found[1]["bm25"] < 1.0


def test_a_rare_term_covers_more_than_a_common_one() -> None:
    """Coverage is the share of the question's weight, and a rare term weighs more."""
    pool = [document(row, "The port.") for row in range(1, 9)] + [document(9, "A gateway.")]
    found = features("gateway port", pool)
    assert found[9]["coverage"] > 0.5 > found[1]["coverage"] > 0.0
    assert found[9]["breadth"] == found[1]["breadth"] == 0.5


def test_one_rare_word_in_four_is_enough_for_the_floor() -> None:
    """A question of four terms of which one is there once is not below the floor, in any store."""
    asked = question("gateway alpha beta gamma")
    for size in (1, 10, 1_000, 1_000_000):
        statistics = Statistics(size, 5.0, {"gatewai": 1, "gateway": 1})
        (found,) = score(asked, [document(1, "A gateway.")], statistics)
        assert found.features["coverage"] >= LEAST_COVERAGE


def test_pairs_of_characters_that_are_nowhere_do_not_count() -> None:
    """A question in Chinese is covered as far as its pairs are words anywhere in the store."""
    found = features("网关端口是多少", [document(1, "网关监听端口")])
    assert found[1]["coverage"] == pytest.approx(1.0)
    assert found[1]["breadth"] < 1.0


def test_coverage_survives_statistics_that_know_no_term() -> None:
    """A match that the statistics do not count, as in the middle of a write, is still a match."""
    pool = [document(1, "网关")]
    (found,) = score(Question("网关", ["网关"]), pool, Statistics(0, 0.0, {}))
    assert found.features["coverage"] == 1.0


def test_neighbours_lend_their_match() -> None:
    """The answer that follows a matching question gains from it, and a stranger does not."""
    pool = [
        document(1, "Which port has the gateway?", "s", 0),
        document(2, "It is 8443.", "s", 1),
        document(3, "Fine.", "s", 2),
        document(4, "It is 9000.", "other", 1),
        document(5, "It is 7000.", "s"),
    ]
    found = features("gateway port", pool)
    assert found[2]["before"] == 1.0
    assert found[2]["after"] == 0.0
    assert found[2]["session"] == found[3]["session"] == found[5]["session"] == 1.0
    assert found[3]["before"] == 0.0
    assert "before" not in found[5]
    assert found[4]["session"] == 0.0
    assert "coverage" not in found[2]


def test_the_better_of_two_in_one_place_counts() -> None:
    """Where two memories claim one position, the better match is the neighbour."""
    pool = [
        document(1, "gateway port", "s", 0),
        document(2, "gateway", "s", 0),
        document(3, "yes", "s", 1),
    ]
    assert features("gateway port", pool)[3]["before"] == 1.0


def test_a_memory_without_a_session_is_its_own_context() -> None:
    """A note that stands alone is not beaten by chatter that says the same thing twice."""
    found = features("gateway port", [document(1, "gateway port")])
    assert found[1]["session"] == 1.0
    assert found[1]["before"] == found[1]["after"] == 0.5


def test_the_named_author_and_the_named_day_count_as_present() -> None:
    """A memory by the one named and of the day named has them, though its words do not."""
    day = DateSpan(1_000, 2_000, "3 May")
    pool = [
        document(1, "Tea with milk.")._replace(author="Anna", at=1_500),
        document(2, "Tea with milk.")._replace(author="Ben", at=2_000),
        document(3, "Tea with milk.")._replace(author="Ben"),
    ]
    found = features("what tea did Anna have on 3 May", pool, [day])
    assert found[1]["author"] == found[1]["date"] == 1.0
    assert "author" not in found[2]
    assert "date" not in found[2]
    assert "date" not in found[3]
    assert found[1]["breadth"] > found[2]["breadth"] == found[3]["breadth"]
    assert found[1]["coverage"] > found[2]["coverage"]


def test_a_memory_by_the_one_named_has_the_name_without_any_word() -> None:
    """A neighbour that has no word of the question still has its author's name."""
    pool = [
        document(1, "Tea?", "s", 0)._replace(author="Ben"),
        document(2, "Green.", "s", 1)._replace(author="Anna"),
    ]
    found = features("Anna tea", pool)
    assert found[2]["breadth"] == 0.5
    assert 0.0 < found[2]["coverage"] < 1.0


def test_the_form_of_a_memory_is_seen() -> None:
    """Length, a question at the end and a digit are features, in any script."""
    pool = [
        document(1, "gateway" + "." * 1_000),
        document(2, "gateway port 8443"),
        document(3, "gateway? "),
        document(4, "gateway 网关？"),
        document(5, ""),
    ]
    found = features("gateway", pool)
    assert found[1]["length"] == 1.0
    assert found[5]["length"] == 0.0
    assert 0.0 < found[3]["length"] < found[2]["length"] < 1.0
    assert {row for row, one in found.items() if "digit" in one} == {2}
    assert {row for row, one in found.items() if "question" in one} == {3, 4}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What did Anna say?", {"Anna"}),
        ("what did ANNA's friend say", {"Anna"}),
        ("What did Anna and Ben say?", set()),
        ("What did Annabel say?", set()),
        ("What did Ann Lee say?", {"Ann Lee"}),
        ("what has claude code done", {"claude-code", "Claude_Code"}),
        ("张伟说了什么", {"张伟"}),
        ("Who said it?", set()),
    ],
)
def test_one_author_is_named_or_none(text: str, expected: set[str]) -> None:
    """An author is named by the whole name, in any case, and only where no other is."""
    authors = ["Anna", "Ben", "Ann", "Ann Lee", "claude-code", "Claude_Code", "张伟", "", "!"]
    assert named_author(text, authors) == expected


TEXTS = st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join)
POOLS = st.lists(
    st.builds(
        lambda text, session, position: (text, session, position),
        TEXTS,
        st.sampled_from(("", "a", "b")),
        st.none() | st.integers(min_value=0, max_value=3),
    ),
    max_size=8,
)


@given(asked=TEXTS, pool=POOLS)
def test_every_feature_is_a_share(asked: str, pool: list[tuple[str, str, int | None]]) -> None:
    """Each feature lies between 0 and 1, whatever is asked of whatever there is."""
    documents = [document(row, *one) for row, one in enumerate(pool)]
    for found in features(asked, documents).values():
        assert all(0.0 <= value <= 1.0 + 1e-9 for value in found.values())


@given(asked=TEXTS, pool=POOLS, turn=st.integers(min_value=0, max_value=8))
def test_features_do_not_depend_on_the_order_of_the_pool(
    asked: str, pool: list[tuple[str, str, int | None]], turn: int
) -> None:
    """The pool may come in any order."""
    documents = [document(row, *one) for row, one in enumerate(pool)]
    turned = documents[turn:] + documents[:turn]
    assert features(asked, documents) == features(asked, turned)
    assert features(asked, documents) == features(asked, documents[::-1])


@given(asked=TEXTS, pool=POOLS)
def test_nothing_is_found_where_no_term_is(
    asked: str, pool: list[tuple[str, str, int | None]]
) -> None:
    """There are candidates exactly if some document of the pool has a term of the question."""
    documents = [document(row, *one) for row, one in enumerate(pool)]
    wanted = set(query_terms(asked))
    has_term = any(wanted.intersection(one.words) for one in documents)
    assert bool(features(asked, documents)) == has_term
