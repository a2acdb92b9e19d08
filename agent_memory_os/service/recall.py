"""Recall: search and pack, each in one snapshot."""

from __future__ import annotations

from collections.abc import Callable

from agent_memory_os.errors import InvalidInput
from agent_memory_os.model.principal import Principal
from agent_memory_os.model.recall import (
    ContextPack,
    Hit,
    RecallRequest,
    RecallState,
    check_filter,
)
from agent_memory_os.recall import pipeline
from agent_memory_os.service.context import Context
from agent_memory_os.text.normalise import clean
from agent_memory_os.value import NamedTuple

Counter = Callable[[str], int]
"""Counts the tokens of a text."""

MAX_LIMIT = 200
MAX_QUERY = 10_000
"""Characters of a query that are read; what is behind them changes nothing."""


class Found(NamedTuple):
    """What was found, best first; notes for the person; and why, one line each, when asked."""

    hits: tuple[Hit, ...]
    notes: tuple[str, ...]
    explanation: tuple[str, ...]


class Recall:
    """Finding memories by a query, inside the principal's scope."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def search(
        self,
        principal: Principal,
        request: RecallRequest,
        *,
        explain: bool = False,
        superseded: bool = True,
    ) -> Found:
        """Return the memories that answer a query, best first; none is an answer too.

        ``superseded`` tells whether what its owner has superseded counts to the request's limit:
        what is packed is searched for without it.
        """
        state = self._run(principal, request, superseded=superseded)
        lines: tuple[str, ...] = ()
        if explain:
            from agent_memory_os.recall.explain import explain as explained

            lines = explained(state)
        return Found(state.hits, state.notes, lines)

    def pack(
        self,
        principal: Principal,
        request: RecallRequest,
        budget: int,
        *,
        counter: Counter | None = None,
        superseded: bool = False,
    ) -> ContextPack:
        """Return a prompt-ready text within a token budget, and the decision on each hit.

        ``counter`` counts the tokens of a text exactly, for a model; without it they are estimated.
        ``superseded`` asks for what its owner has superseded, too.
        """
        from agent_memory_os.recall.pack import pack
        from agent_memory_os.text.tokens import estimate

        check_budget(budget)
        state = self._run(principal, request, superseded=superseded)
        count = counter or estimate
        return pack(
            state.hits, budget, request.now, count, notes=state.notes, superseded=superseded
        )

    def _run(
        self, principal: Principal, request: RecallRequest, *, superseded: bool
    ) -> RecallState:
        state = RecallState(checked(request), principal, wants_superseded=superseded)
        with self._context.seeing(principal, "recall") as (snapshot, gate):
            return pipeline.run(snapshot, gate, state)

    def now(self) -> int:
        """Return the node's clock in milliseconds of UTC: what a request's ``now`` should be."""
        return self._context.database.clock()


def checked(request: RecallRequest) -> RecallRequest:
    """Return a request as it is run, or raise :class:`InvalidInput` where it cannot be."""
    if type(request.limit) is not int or not 1 <= request.limit <= MAX_LIMIT:
        raise InvalidInput(f"A limit lies between 1 and {MAX_LIMIT}, not {request.limit!r}.")
    check_filter(request.filter)
    return request._replace(query=clean(request.query[:MAX_QUERY]))


def check_budget(budget: int) -> None:
    """Raise :class:`InvalidInput` for a token budget that is no whole number."""
    if type(budget) is not int:
        raise InvalidInput(f"A token budget is a whole number, not {budget!r}.")
