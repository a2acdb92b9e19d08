"""Memories of a served node: each method is one request."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import quote

from agent_memory_os.errors import InvalidInput
from agent_memory_os.model.link import DEFAULT_WEIGHT, Link
from agent_memory_os.model.memory import THOUSAND, Memory
from agent_memory_os.model.principal import Principal
from agent_memory_os.model.recall import Filter
from agent_memory_os.remote.transport import Transport
from agent_memory_os.service.memories import Outcome, Owner
from agent_memory_os.service.memory.add import NewMemory
from agent_memory_os.service.memory.find import Moment, Page
from agent_memory_os.service.memory.history import Version
from agent_memory_os.wire import decode
from agent_memory_os.wire.decode import read
from agent_memory_os.wire.instant import iso

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
        """Remember something for the acting agent; the same again comes back as it is there."""
        headers = {"Idempotency-Key": quote(new.key)} if new.key else {}
        body = {**_body(new), "audience": audience} | ({"owner": owner} if owner else {})
        shape = self._transport.ask("POST", "/v1/memories", principal, body=body, headers=headers)
        return read(decode.to_outcome, shape)

    def add_many(
        self,
        principal: Principal,
        batch: Iterable[tuple[NewMemory, str]],
        *,
        owner: str | None = None,
    ) -> Iterator[Outcome]:
        """Remember many things; yields each outcome in order."""
        for new, audience in batch:
            yield self.add(principal, new, audience, owner=owner)

    def get(self, principal: Principal, memory_id: str) -> Memory:
        """Return one memory by its id, or by the first characters of it where they are enough."""
        return read(decode.to_memory, self._transport.ask("GET", _path(memory_id), principal))

    def list(self, principal: Principal, wanted: Filter, limit: int = 50, cursor: str = "") -> Page:
        """Return a page of memories, newest first; ``cursor`` is the last page's ``following``."""
        params = {**narrowing(wanted), "limit": limit, "cursor": cursor}
        return read(
            decode.to_page, self._transport.ask("GET", "/v1/memories", principal, params=params)
        )

    def timeline(
        self, principal: Principal, around: str | int, wanted: Filter, limit: int = 20
    ) -> tuple[Moment, ...]:
        """Return the memories before and after a memory (its id) or an instant, in order."""
        anchor = {"at": iso(around)} if isinstance(around, int) else {"around": around}
        params = {**narrowing(wanted), **anchor, "limit": limit}
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
        """Write a new version of one's own memory; the earlier one stays in its history."""
        body = {**_plain(changes), "reason": reason, "allow_secrets": allow_secrets}
        headers = {} if version is None else {"If-Match": f'"{version}"'}
        shape = self._transport.ask(
            "PATCH", _path(memory_id), principal, body=body, headers=headers
        )
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
        """Undo a forgetting."""
        path = _path(memory_id, "bring-back")
        return read(decode.to_memory, self._transport.ask("POST", path, principal))

    def erase(
        self, principal: Principal, memory_ids: Iterable[str], backups: Iterable[str] = ()
    ) -> int:
        """Forget one's own memories for good; of backups, only those on this machine can be named.

        Returns how many were erased.
        """
        if list(backups):
            raise InvalidInput("Backups are rewritten on the machine that they lie on.")
        count = 0
        for memory_id in list(memory_ids):
            self._transport.ask("DELETE", _path(memory_id), principal, params={"erase": "true"})
            count += 1
        return count

    def owners(self, principal: Principal) -> tuple[Owner, ...]:
        """Return whose memories are here, as far as the principal may see them."""
        shape = self._transport.ask("GET", "/v1/owners", principal)
        return tuple(read(decode.to_owner, one) for one in shape["owners"])

    def forget_owner(self, principal: Principal, owner: str) -> int:
        """Forget every memory of one owner: the operator alone."""
        path = f"/v1/owners/{quote(owner, safe='')}/memories"
        return int(self._transport.ask("DELETE", path, principal)["forgotten"])

    def link(
        self,
        principal: Principal,
        src: str,
        dst: str,
        relation: str = "related_to",
        weight: int = DEFAULT_WEIGHT,
    ) -> Link:
        """Assert a link between two memories that the principal may read."""
        body = {"relation": relation, "weight": weight / THOUSAND}
        path = _path(src, "links", dst)
        return read(decode.to_link, self._transport.ask("PUT", path, principal, body=body))

    def unlink(
        self, principal: Principal, src: str, dst: str, relation: str = "related_to"
    ) -> None:
        """Take back a link that the principal asserts."""
        path = _path(src, "links", dst)
        self._transport.ask("DELETE", path, principal, params={"relation": relation})

    def links(self, principal: Principal, memory_id: str) -> tuple[Link, ...]:
        """Return the links of a memory whose other ends the principal may read."""
        shape = self._transport.ask("GET", _path(memory_id, "links"), principal)
        return tuple(read(decode.to_link, one) for one in shape["links"])

    def supersede(self, principal: Principal, older: str, newer: str) -> Outcome:
        """Say that ``newer`` replaces ``older``; by anyone but its owner it is a proposal."""
        return self._change(principal, older, "supersede", {"newer": newer})

    def history(self, principal: Principal, memory_id: str) -> tuple[Version, ...]:
        """Return the versions of a memory that the principal may see, oldest first."""
        shape = self._transport.ask("GET", _path(memory_id, "history"), principal)
        return tuple(read(decode.to_version, one) for one in shape["versions"])

    def as_of(self, principal: Principal, memory_id: str, at: int) -> Version:
        """Return the version that was true at an instant."""
        path = _path(memory_id, "as-of")
        shape = self._transport.ask("GET", path, principal, params={"at": iso(at)})
        return read(decode.to_version, shape)

    def _change(
        self, principal: Principal, memory_id: str, act: str, body: Mapping[str, Any]
    ) -> Outcome:
        shape = self._transport.ask("POST", _path(memory_id, act), principal, body=body)
        return read(decode.to_outcome, shape)


def narrowing(wanted: Filter) -> dict[str, object]:
    """Return the query parameters of a filter."""
    fields = wanted._asdict()
    types, tags = fields.pop("types"), fields.pop("tags")
    since, until = iso(fields.pop("since")), iso(fields.pop("until"))
    return {"type": types, "tag": tags, "since": since, "until": until, **fields}


def _path(memory_id: str, *more: str) -> str:
    if not memory_id.strip():
        raise InvalidInput("The id of a memory is empty.")
    return "/".join(["/v1/memories", *(quote(part, safe="") for part in (memory_id, *more))])


def _body(new: NewMemory) -> dict[str, object]:
    given = {
        name: value
        for name, value in new._asdict().items()
        if name != "key" and value != NewMemory._field_defaults.get(name, ...)
    }
    return _plain(given)


def _plain(given: Mapping[str, Any]) -> dict[str, object]:
    plain = dict(given)
    for name in _INSTANTS:
        if isinstance(plain.get(name), int):
            plain[name] = iso(plain[name])
    for name in _FRACTIONS:
        if isinstance(plain.get(name), int):
            plain[name] = plain[name] / THOUSAND
    return plain
