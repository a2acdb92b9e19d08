"""Memories of a served node: each method is one request.

What can be seen to be wrong without the node is refused before anything is sent, by the rules and
in the words of the local node.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import quote

from agent_memory_os.errors import InvalidInput
from agent_memory_os.model.link import DEFAULT_WEIGHT, Link, check_terms
from agent_memory_os.model.memory import THOUSAND, Memory
from agent_memory_os.model.principal import Principal
from agent_memory_os.model.recall import Filter
from agent_memory_os.remote.transport import Transport, to_bytes
from agent_memory_os.service.memories import Outcome, Owner
from agent_memory_os.service.memory.add import BATCH, NewMemory, as_taken
from agent_memory_os.service.memory.change import check_changes
from agent_memory_os.service.memory.find import Moment, Page, check, check_limit, check_many
from agent_memory_os.service.memory.graph import Graph
from agent_memory_os.service.memory.history import Version
from agent_memory_os.service.memory.right import not_found
from agent_memory_os.service.memory.session import label
from agent_memory_os.wire import decode
from agent_memory_os.wire.decode import Shape, read
from agent_memory_os.wire.instant import iso

MAX_BATCH_BYTES = 4_194_304
"""Bytes of a batch, but for one memory that is larger by itself."""

_INSTANTS = ("event_at", "valid_from", "valid_to", "expires_at")
_FRACTIONS = ("confidence", "importance")


class RemoteMemories:
    """What :class:`service.memories.Memories` does, asked of a served node."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def add(
        self,
        principal: Principal,
        new: NewMemory,
        audience: str = "private",
        *,
        owner: str | None = None,
    ) -> Outcome:
        """Remember something for the acting agent; the same again comes back as it is there.

        The operator says for which agent (``owner``).
        """
        body = {**_body(new), "audience": audience, **_owner(principal, owner)}
        shape = self._transport.ask("POST", "/v1/memories", principal, body=body)
        return read(decode.to_outcome, shape)

    def add_many(
        self,
        principal: Principal,
        batch: Iterable[tuple[NewMemory, str]],
        *,
        owner: str | None = None,
    ) -> Iterator[Outcome]:
        """Remember many things, some hundred in a transaction; yields each outcome in order.

        Nothing is written but what is iterated over.
        """
        pending: list[dict[str, object]] = []
        size = 0
        for new, audience in batch:
            item = {**_body(new), "audience": audience}
            weight = len(to_bytes(item))
            if pending and (len(pending) == BATCH or size + weight > MAX_BATCH_BYTES):
                yield from self._add_batch(principal, pending, owner)
                pending, size = [], 0
            pending.append(item)
            size += weight
        if pending:
            yield from self._add_batch(principal, pending, owner)

    def _add_batch(
        self, principal: Principal, items: list[dict[str, object]], owner: str | None
    ) -> list[Outcome]:
        body = {"memories": items, **_owner(principal, owner)}
        shape = self._transport.ask(
            "POST", "/v1/memories/batch", principal, body=body, is_long=True
        )
        return read(lambda found: [decode.to_outcome(one) for one in found["outcomes"]], shape)

    def get(self, principal: Principal, memory_id: str) -> Memory:
        """Return one memory by its id, or by the first characters of it where they are enough."""
        return read(decode.to_memory, self._transport.ask("GET", _path(memory_id), principal))

    def list(self, principal: Principal, wanted: Filter, limit: int = 50, cursor: str = "") -> Page:
        """Return a page of memories, newest first; ``cursor`` is the last page's ``following``."""
        check(wanted, limit)
        params = {**_narrowing(wanted), "limit": limit, "cursor": cursor}
        return read(
            decode.to_page, self._transport.ask("GET", "/v1/memories", principal, params=params)
        )

    def session(
        self,
        principal: Principal,
        session: str,
        owner: str | None = None,
        limit: int = 50,
        cursor: str = "",
    ) -> Page:
        """Return a page of an agent's session in its order; one's own where nobody is named."""
        check_limit(limit)
        path = f"/v1/sessions/{quote(label(session), safe='')}/messages"
        params = {"owner": owner, "limit": limit, "cursor": cursor}
        return read(decode.to_page, self._transport.ask("GET", path, principal, params=params))

    def timeline(
        self,
        principal: Principal,
        around: str | int,
        wanted: Filter,
        limit: int = 20,
        window: int | None = None,
    ) -> tuple[Moment, ...]:
        """Return the memories before and after a memory (its id) or an instant, in order.

        ``window`` is how far before and after at most, in milliseconds.
        """
        check(wanted, limit, window)
        params = {**_narrowing(wanted), "limit": limit, "window": window}
        params |= {"at": iso(around)} if isinstance(around, int) else {"around": _id(around)}
        shape = self._transport.ask("GET", "/v1/timeline", principal, params=params)
        return read(decode.to_moments, shape)

    def edit(
        self,
        principal: Principal,
        memory_id: str,
        changes: Mapping[str, object],
        reason: str = "",
        *,
        allow_secrets: bool = False,
        version: int | None = None,
    ) -> Outcome:
        """Write a new version of one's own memory; the earlier one stays in its history.

        Raises :class:`Stale` where ``version`` is named and is not the present one.
        """
        path = _path(memory_id)
        taken = check_changes(changes, reason)
        body = {**_plain(taken), "allow_secrets": allow_secrets}
        headers = {} if version is None else {"If-Match": f'"{version}"'}
        shape = self._transport.ask("PATCH", path, principal, body=body, headers=headers)
        return read(decode.to_outcome, shape)

    def share(self, principal: Principal, memory_id: str, audience: str) -> Outcome:
        """Add grants to one's own memory."""
        return self._change(principal, memory_id, "share", {"audience": audience})

    def revoke(self, principal: Principal, memory_id: str, audience: str | None = None) -> Outcome:
        """End grants of one's own memory at once: those named, or all of them."""
        return self._change(principal, memory_id, "revoke", {"audience": audience})

    def forget(self, principal: Principal, memory_id: str) -> Memory:
        """Forget one's own memory: no read finds it; it can be brought back for 30 days."""
        return read(decode.to_memory, self._transport.ask("DELETE", _path(memory_id), principal))

    def bring_back(self, principal: Principal, memory_id: str) -> Memory:
        """Undo a forgetting, with the same content, and audience but for what its owner left."""
        path = _path(memory_id, "bring-back")
        return read(decode.to_memory, self._transport.ask("POST", path, principal))

    def erase(
        self, principal: Principal, memory_ids: Iterable[str], backups: Iterable[str] = ()
    ) -> tuple[str, ...]:
        """Forget one's own memories for good: all of them, or none.

        Returns the whole ids of what was erased. Backups are rewritten on the machine that they lie
        on: :class:`InvalidInput` is raised where some are named.
        """
        if tuple(backups):
            raise InvalidInput(
                "A backup is rewritten on the machine of the node: name none here. Nothing was "
                "erased."
            )
        body = {"memories": [_id(memory_id) for memory_id in check_many(memory_ids)]}
        shape = self._transport.ask(
            "POST", "/v1/memories/erase", principal, body=body, is_long=True
        )
        return read(lambda found: tuple(found["erased"]), shape)

    def owners(self, principal: Principal) -> tuple[Owner, ...]:
        """Return whose memories are here, as far as the principal may see them."""
        shape = self._transport.ask("GET", "/v1/owners", principal)
        return read(lambda found: tuple(map(decode.to_owner, found["owners"])), shape)

    def forget_owner(self, principal: Principal, owner: str) -> int:
        """Forget every memory of one owner: the operator alone.

        Returns how many; each can be brought back like any forgotten memory.
        """
        shape = self._transport.ask(
            "DELETE", "/v1/owners", principal, params={"owner": owner}, is_long=True
        )
        return read(lambda found: int(found["forgotten"]), shape)

    def link(
        self,
        principal: Principal,
        src: str,
        dst: str,
        relation: str = "related_to",
        weight: int = DEFAULT_WEIGHT,
    ) -> Link:
        """Assert a link between two memories that the principal may read."""
        path = _path(src, "links", _id(dst))
        check_terms(relation, weight)
        body = {"relation": relation, "weight": weight / THOUSAND}
        return read(decode.to_link, self._transport.ask("PUT", path, principal, body=body))

    def unlink(
        self, principal: Principal, src: str, dst: str, relation: str = "related_to"
    ) -> Link:
        """Take back a link that the principal asserts; the operator takes back everyone's.

        Returns it as it is now: of no weight.
        """
        path = _path(src, "links", _id(dst))
        shape = self._transport.ask("DELETE", path, principal, params={"relation": relation})
        return read(decode.to_link, shape)

    def links(self, principal: Principal, memory_id: str) -> tuple[Link, ...]:
        """Return the links of a memory whose other ends the principal may read."""
        shape = self._transport.ask("GET", _path(memory_id, "links"), principal)
        return read(lambda found: tuple(map(decode.to_link, found["links"])), shape)

    def graph(self, principal: Principal, memory_id: str, hops: int = 1) -> Graph:
        """Return the memories that links lead to from one, so many hops far, and those links."""
        path = _path(memory_id, "graph")
        shape = self._transport.ask("GET", path, principal, params={"hops": hops})
        return read(decode.to_graph, shape)

    def supersede(self, principal: Principal, older: str, newer: str) -> Outcome:
        """Say that ``newer`` replaces ``older``; by anyone but its owner it is a proposal.

        The newer one must be the principal's own.
        """
        return self._change(principal, older, "supersede", {"newer": _id(newer)})

    def history(self, principal: Principal, memory_id: str) -> tuple[Version, ...]:
        """Return the versions of a memory that the principal may see, oldest first."""
        shape = self._transport.ask("GET", _path(memory_id, "history"), principal)
        return read(lambda found: tuple(map(decode.to_version, found["versions"])), shape)

    def as_of(self, principal: Principal, memory_id: str, at: int) -> Version:
        """Return the version that was true at an instant, if the principal could read it then."""
        path = _path(memory_id, "as-of")
        shape = self._transport.ask("GET", path, principal, params={"at": iso(at)})
        return read(decode.to_version, shape)

    def _change(self, principal: Principal, memory_id: str, act: str, body: Shape) -> Outcome:
        shape = self._transport.ask("POST", _path(memory_id, act), principal, body=body)
        return read(decode.to_outcome, shape)


def _narrowing(wanted: Filter) -> dict[str, object]:
    """Return the query parameters of a filter."""
    fields = wanted._asdict()
    types, tags = fields.pop("types"), fields.pop("tags")
    since, until = iso(fields.pop("since")), iso(fields.pop("until"))
    return {"type": types, "tag": tags, "since": since, "until": until, **fields}


def _id(memory_id: str) -> str:
    """Return an id as it may stand in a path; what can stand in none is no memory's."""
    if not memory_id.replace("_", "").isalnum():
        raise not_found(memory_id)
    return memory_id


def _path(memory_id: str, *more: str) -> str:
    parts = (_id(memory_id), *more)
    return "/".join(["/v1/memories", *(quote(part, safe="") for part in parts)])


def _owner(principal: Principal, owner: str | None) -> dict[str, object]:
    """Return for whom the operator adds; an agent adds for itself."""
    return {"owner": owner} if owner is not None and principal.is_operator else {}


def _body(new: NewMemory) -> dict[str, object]:
    taken = as_taken(new)
    return _plain(
        {
            name: value
            for name, value in taken._asdict().items()
            if value != NewMemory._field_defaults.get(name, ...)
        }
    )


def _plain(given: Mapping[str, Any]) -> dict[str, object]:
    plain = dict(given)
    for name in _INSTANTS:
        if isinstance(plain.get(name), int):
            plain[name] = iso(plain[name])
    for name in _FRACTIONS:
        if isinstance(plain.get(name), int):
            plain[name] = plain[name] / THOUSAND
    return plain
