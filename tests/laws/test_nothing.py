"""Law 3: a query that matches nothing finds nothing, and any string is a query."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory_os.model.principal import Principal
from agent_memory_os.model.recall import Filter, RecallRequest
from tests.laws.crowd import crowd
from tests.laws.path import request
from tests.laws.plan import START, Step, build
from tests.laws.whole import MANY
from tests.laws.world import new_world

OTHER_WORDS = st.lists(st.text("bfhjkvw", min_size=3, max_size=9), min_size=1, max_size=6)
ADDS = [Step("add", number % 3, number, number) for number in range(12)]


@given(st.lists(OTHER_WORDS, min_size=1, max_size=5))
def test_words_that_no_memory_has_find_nothing(questions: list[list[str]]) -> None:
    """A question of words that stand in no memory gives no hit, an empty pack, and says so."""
    with new_world() as world:
        build(world, [*START, *ADDS])
        for words in questions:
            asked = request(world, " ".join(words))
            for principal in (world.principals()["agent ann"], Principal.operator()):
                assert world.node.recall.search(principal, asked).hits == ()
                pack = world.node.recall.pack(principal, asked, 500)
                assert (pack.text, pack.hits, pack.decisions) == ("", (), ())


@given(st.lists(st.text(max_size=40), min_size=1, max_size=8))
def test_any_string_is_a_query(queries: list[str]) -> None:
    """No query raises, whatever stands in it, and what is found has something of it."""
    with new_world() as world:
        build(world, [*START, *ADDS])
        principal = world.principals()["agent ann"]
        for query in queries:
            for hit in world.node.recall.search(principal, request(world, query)).hits:
                assert hit.parts
            assert world.node.recall.pack(principal, request(world, query), 64).tokens <= 64


@pytest.mark.parametrize(
    "query", ["", " ", "?!", "\0", "\ud800", '"', "*", "NOT", "a AND", "NEAR("]
)
def test_no_words_are_no_question(query: str) -> None:
    """A query without words finds nothing, and operators of a search language are words."""
    with new_world() as world:
        crowd(world)
        for principal in world.principals().values():
            assert world.node.recall.search(principal, request(world, query)).hits == ()


@pytest.mark.parametrize(
    "wanted",
    [
        Filter(owner="nobody"),
        Filter(tags=("none",)),
        Filter(author="nobody"),
        Filter(session="none"),
        Filter(since=2**50),
        Filter(until=0),
        Filter(types=("decision",)),
    ],
)
def test_a_filter_that_matches_nothing_gives_nothing(wanted: Filter) -> None:
    """A list, a timeline and a search narrowed to what is not there are empty."""
    with new_world() as world:
        crowd(world)
        for principal in world.principals().values():
            assert world.node.memories.list(principal, wanted).memories == ()
            assert world.node.memories.timeline(principal, world.clock.now, wanted) == ()


def test_recent_and_pinned_come_only_where_they_are_asked_for() -> None:
    """A query that matches nothing is not answered with what is pinned or new."""
    with new_world() as world:
        crowd(world)
        principal = world.principals()["agent ann"]
        asked = RecallRequest("zebra", world.clock.now, MANY)
        assert world.node.recall.search(principal, asked).hits == ()
        wider = asked._replace(recent=True)
        assert world.node.recall.search(principal, wider).hits != ()
