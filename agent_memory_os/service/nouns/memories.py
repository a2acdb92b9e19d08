"""Memories, and finding them: what a node can do with what it remembers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Protocol

from agent_memory_os.model.link import DEFAULT_WEIGHT, Link
from agent_memory_os.model.memory import Memory
from agent_memory_os.model.principal import Principal
from agent_memory_os.model.recall import ContextPack, Filter, RecallRequest
from agent_memory_os.service.memories import Outcome, Owner
from agent_memory_os.service.memory.add import NewMemory
from agent_memory_os.service.memory.find import Moment, Page
from agent_memory_os.service.memory.graph import Graph
from agent_memory_os.service.memory.history import Version
from agent_memory_os.service.recall import Counter, Found


class Memories(Protocol):
    """Every act on memories: see :class:`service.memories.Memories`."""

    def add(
        self,
        principal: Principal,
        new: NewMemory,
        audience: str = "private",
        *,
        owner: str | None = None,
    ) -> Outcome:
        """Remember something."""

    def add_many(
        self,
        principal: Principal,
        batch: Iterable[tuple[NewMemory, str]],
        *,
        owner: str | None = None,
    ) -> Iterator[Outcome]:
        """Remember many things; yields each outcome in order."""

    def get(self, principal: Principal, memory_id: str) -> Memory:
        """Return one memory."""

    def list(self, principal: Principal, wanted: Filter, limit: int = 50, cursor: str = "") -> Page:
        """Return a page of memories."""

    def session(
        self,
        principal: Principal,
        session: str,
        owner: str | None = None,
        limit: int = 50,
        cursor: str = "",
    ) -> Page:
        """Return a page of an agent's session in its order."""

    def timeline(
        self,
        principal: Principal,
        around: str | int,
        wanted: Filter,
        limit: int = 20,
        window: int | None = None,
    ) -> tuple[Moment, ...]:
        """Return the memories around a memory or an instant."""

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
        """Write a new version of a memory."""

    def share(self, principal: Principal, memory_id: str, audience: str) -> Outcome:
        """Add grants to a memory."""

    def revoke(self, principal: Principal, memory_id: str, audience: str | None = None) -> Outcome:
        """End grants of a memory."""

    def forget(self, principal: Principal, memory_id: str) -> Memory:
        """Forget a memory."""

    def bring_back(self, principal: Principal, memory_id: str) -> Memory:
        """Undo a forgetting."""

    def erase(
        self, principal: Principal, memory_ids: Iterable[str], backups: Iterable[str] = ()
    ) -> tuple[str, ...]:
        """Forget memories for good."""

    def owners(self, principal: Principal) -> tuple[Owner, ...]:
        """Return whose memories are here."""

    def forget_owner(self, principal: Principal, owner: str) -> int:
        """Forget every memory of one owner."""

    def link(
        self,
        principal: Principal,
        src: str,
        dst: str,
        relation: str = "related_to",
        weight: int = DEFAULT_WEIGHT,
    ) -> Link:
        """Assert a link."""

    def unlink(
        self, principal: Principal, src: str, dst: str, relation: str = "related_to"
    ) -> Link:
        """Take back a link."""

    def links(self, principal: Principal, memory_id: str) -> tuple[Link, ...]:
        """Return the links of a memory."""

    def graph(self, principal: Principal, memory_id: str, hops: int = 1) -> Graph:
        """Return what a memory is linked to, some hops far."""

    def supersede(self, principal: Principal, older: str, newer: str) -> Outcome:
        """Say that one memory replaces another."""

    def history(self, principal: Principal, memory_id: str) -> tuple[Version, ...]:
        """Return the versions of a memory."""

    def as_of(self, principal: Principal, memory_id: str, at: int) -> Version:
        """Return the version that was true at an instant."""


class Recall(Protocol):
    """Finding memories by a query: see :class:`service.recall.Recall`."""

    def search(
        self,
        principal: Principal,
        request: RecallRequest,
        *,
        explain: bool = False,
        superseded: bool = True,
    ) -> Found:
        """Return the memories that answer a query."""

    def pack(
        self,
        principal: Principal,
        request: RecallRequest,
        budget: int,
        *,
        counter: Counter | None = None,
        superseded: bool = False,
    ) -> ContextPack:
        """Return a prompt-ready text within a token budget."""

    def now(self) -> int:
        """Return the clock by which a request is asked."""
