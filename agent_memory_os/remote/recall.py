"""Recall of a served node; a query goes in a body, for it may be long."""

from __future__ import annotations

import time

from agent_memory_os.model.principal import Principal
from agent_memory_os.model.recall import ContextPack, RecallRequest
from agent_memory_os.recall.pack import pack
from agent_memory_os.remote.transport import Transport
from agent_memory_os.service.recall import Counter, Found, check_budget, checked
from agent_memory_os.wire import decode
from agent_memory_os.wire.decode import Shape, read
from agent_memory_os.wire.instant import iso, milliseconds


class RemoteRecall:
    """What :class:`service.recall.Recall` does, asked of a served node."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def search(
        self,
        principal: Principal,
        request: RecallRequest,
        *,
        explain: bool = False,
        superseded: bool = True,
    ) -> Found:
        """Return the memories that answer a query, best first; none is an answer too.

        ``superseded`` tells whether what its owner has superseded counts to the request's limit.
        """
        shape = self._search(principal, request, explain=explain, superseded=superseded)
        return read(decode.to_found, shape)

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

        ``counter`` counts the tokens of a text exactly, for a model: what the node found is then
        packed here. ``superseded`` asks for what its owner has superseded, too.
        """
        check_budget(budget)
        if counter is None:
            body = {**_asked(request), "max_tokens": budget, "superseded": superseded}
            return read(
                decode.to_pack, self._transport.ask("POST", "/v1/pack", principal, body=body)
            )
        shape = self._search(principal, request, explain=False, superseded=superseded)
        found = read(decode.to_found, shape)
        now = read(lambda told: milliseconds(told["now"]), shape) or 0
        return pack(found.hits, budget, now, counter, notes=found.notes, superseded=superseded)

    def now(self) -> int:
        """Return this machine's clock: the node asks its own."""
        return time.time_ns() // 1_000_000

    def _search(
        self, principal: Principal, request: RecallRequest, *, explain: bool, superseded: bool
    ) -> Shape:
        body = {**_asked(request), "explain": explain, "superseded": superseded}
        return self._transport.ask("POST", "/v1/search", principal, body=body)


def _asked(request: RecallRequest) -> dict[str, object]:
    plain = checked(request)
    since, until = plain.span
    asked = {
        "query": plain.query,
        "limit": plain.limit,
        "type": plain.types,
        "tag": plain.tags,
        "owner": plain.owner,
        "author": plain.author,
        "session": plain.session,
        "since": iso(since),
        "until": iso(until),
        "time_field": plain.time_field,
        "pinned": plain.pinned,
        "recent": plain.recent,
    }
    return {name: value for name, value in asked.items() if value is not None}
