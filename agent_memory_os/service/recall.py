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
from agent_memory_os.recall.providers.base import filter_of
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
        self, principal: Principal, request: RecallRequest, *, explain: bool = False
    ) -> Found:
        """Return the memories that answer a query, best first; none is an answer too."""
        state = self._run(principal, request)
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

        if type(budget) is not int:
            raise InvalidInput(f"A token budget is a whole number, not {budget!r}.")
        state = self._run(principal, request, superseded=superseded)
        count = counter or estimate
        return pack(
            state.hits, budget, request.now, count, notes=state.notes, superseded=superseded
        )

    def _run(
        self, principal: Principal, request: RecallRequest, *, superseded: bool = True
    ) -> RecallState:
        if type(request.limit) is not int or not 1 <= request.limit <= MAX_LIMIT:
            raise InvalidInput(f"A limit lies between 1 and {MAX_LIMIT}, not {request.limit!r}.")
        query = clean(request.query[:MAX_QUERY])
        state = RecallState(request._replace(query=query), principal, wants_superseded=superseded)
        check_filter(filter_of(state))
        with self._context.seeing(principal, "recall") as (snapshot, gate):
            return pipeline.run(snapshot, gate, state)

    def now(self) -> int:
        """Return the node's clock in milliseconds of UTC: what a request's ``now`` should be."""
        return self._context.database.clock()
