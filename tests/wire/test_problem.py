"""An error comes over the wire with its class, its words, and what helps against it."""

from __future__ import annotations

import pytest

from agent_memory_os import errors
from agent_memory_os.errors import AgentMemoryError
from agent_memory_os.wire import problem

CLASSES = [
    kind
    for kind in vars(errors).values()
    if isinstance(kind, type) and issubclass(kind, AgentMemoryError)
]


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.code)
def test_an_error_comes_back(kind: type[AgentMemoryError]) -> None:
    """Whatever class it has, it is the same at the other end, under a status of its own branch."""
    error = kind("It is so.", "join", name="ü", agent="AGENT")
    status = problem.status_of(error)
    shape = problem.document(status, error.code, str(error), "r1") | problem.more_of(error)
    back = problem.to_error(shape, status)
    assert (type(back), str(back), back.remedy, back.about) == (
        kind,
        str(error),
        error.remedy,
        error.about,
    )
    assert 400 <= status < 600


def test_what_is_not_said_is_made_up_for() -> None:
    """A problem without words or with another's code is a refusal that names the status."""
    back = problem.to_error({"code": "another", "about": 7}, 418)
    assert (type(back), back.about) == (errors.Refused, {})
    assert "418" in str(back)
