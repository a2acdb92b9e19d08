"""Recall of a served node."""

from __future__ import annotations

import time

from agent_memory_os.model.principal import Principal
from agent_memory_os.model.recall import ContextPack, RecallRequest
from agent_memory_os.recall.pack import pack
from agent_memory_os.remote.transport import Transport
from agent_memory_os.service.recall import Counter, Found
from agent_memory_os.wire import decode
from agent_memory_os.wire.decode import read
from agent_memory_os.wire.instant import iso


class RemoteRecall:
    """What :class:`service.recall.Recall` does, asked of a served node."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def search(
        self, principal: Principal, request: RecallRequest, *, explain: bool = False
    ) -> Found:
        """Return the memories that answer a query, best first; none is an answer too."""
        params = {**_params(request), "explain": explain}
        shape = self._transport.ask("GET", "/v1/search", principal, params=params)
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

        With a ``counter`` of one's own, what the node found is packed here.
        """
        params = {**_params(request), "max_tokens": budget, "superseded": superseded}
        made = read(
            decode.to_pack, self._transport.ask("GET", "/v1/pack", principal, params=params)
        )
        if counter is None:
            return made
        now, notes = request.now, made.notes
        return pack(made.hits, budget, now, counter, notes=notes, superseded=superseded)

    def now(self) -> int:
        """Return this machine's clock: the node asks its own."""
        return time.time_ns() // 1_000_000


def _params(request: RecallRequest) -> dict[str, object]:
    since, until = request.span
    return {
        "query": request.query,
        "limit": request.limit,
        "type": request.types,
        "tag": request.tags,
        "owner": request.owner,
        "author": request.author,
        "session": request.session,
        "since": iso(since),
        "until": iso(until),
        "time_field": request.time_field,
        "pinned": request.pinned,
        "recent": request.recent,
    }
