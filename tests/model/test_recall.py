"""The values that flow through recall."""

from __future__ import annotations

import itertools
from typing import cast

import pytest

from agent_memory_os.errors import InvalidInput
from agent_memory_os.model.memory import TYPES
from agent_memory_os.model.principal import Principal
from agent_memory_os.model.recall import (
    STATES,
    TIME_FIELDS,
    Filter,
    RecallRequest,
    RecallState,
    check_filter,
)


def test_a_request_asks_for_nothing_beyond_its_query() -> None:
    """Without more words a request narrows nothing and asks for neither pinned nor recent ones."""
    request = RecallRequest("q", 1)
    assert (request.types, request.tags, request.owner) == ((), (), None)
    assert not request.pinned
    assert not request.recent


def test_a_state_begins_empty() -> None:
    """A state knows its request and principal, and has found nothing yet."""
    state = RecallState(RecallRequest("q", 1), Principal.of_agent("agt_x"))
    found = (state.candidates, state.fused, state.admitted, state.supersessions, state.hits)
    assert not any(found)


def test_a_filter_narrows_nothing_by_itself() -> None:
    """The plain filter takes every memory that is shown now."""
    assert set(Filter()._replace(time_field="", state="")) == {(), None, ""}


def test_a_filter_of_known_words_is_taken() -> None:
    """Every state, time and type that there is may be asked for."""
    for state, time_field in itertools.product(STATES, TIME_FIELDS):
        wanted = Filter(types=TYPES, state=state, time_field=time_field)
        assert check_filter(wanted) is wanted


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        (Filter(types=("note", "rumour")), "the types are preference"),
        (Filter(time_field="seen"), "A time is one of created"),
        (Filter(state="gone"), "A state is one of active"),
        (Filter(since=cast("int", "yesterday")), "since is a time"),
        (Filter(tags=cast("tuple[str, ...]", "abc")), "tags"),
        (Filter(pinned=cast("bool", 1)), "pinned is true or false"),
        (Filter(owner=cast("str", 5)), "owner is the id or name"),
        (Filter(tags=("a",) * 65), "at most 64 tags"),
        (Filter(types=("note",) * 65), "at most 64 tags, and as many types"),
    ],
)
def test_a_word_that_a_filter_does_not_know_is_refused(wanted: Filter, words: str) -> None:
    """A misspelt type, time or state is refused with what there is, and finds not just nothing."""
    with pytest.raises(InvalidInput, match=words):
        check_filter(wanted)
