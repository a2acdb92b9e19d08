"""The SDK: :class:`MemoryClient`, a node's memory for one agent, in a few plain methods.

    client = MemoryClient(agent="planner")
    client.add("Deploys go out on Tuesdays.", type="procedure", share="team:apollo")
    for hit in client.search("when do we deploy?"):
        print(hit.memory.text)

A client acts as one agent and sees what that agent may see. Fractions are given as numbers from 0
to 1, times as milliseconds of UTC. Every fault is one of ``agent_memory_os.errors``.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import TracebackType
from typing import Self

from agent_memory_os import settings
from agent_memory_os.client import plain
from agent_memory_os.client.choice import chosen
from agent_memory_os.errors import InvalidInput
from agent_memory_os.model.link import Link
from agent_memory_os.model.memory import Memory
from agent_memory_os.model.principal import Principal
from agent_memory_os.model.recall import ContextPack, Hit, RecallRequest
from agent_memory_os.service.memories import Outcome
from agent_memory_os.service.memory.find import Moment, Page
from agent_memory_os.service.memory.graph import Graph
from agent_memory_os.service.memory.history import Version
from agent_memory_os.value import TYPE_CHECKING

if TYPE_CHECKING:
    from agent_memory_os.service.events import Following
    from agent_memory_os.service.nouns import Node
    from agent_memory_os.service.peers import LostEdit, Receipt, Synced
    from agent_memory_os.service.transfer import ImportReport
    from agent_memory_os.service.upkeep import AuditPage, Stats

_OPTIONS = tuple(name for name in RecallRequest._fields if name not in ("query", "now", "limit"))


class MemoryClient:
    """A node's memory, for one agent.

    ``home`` is the node's folder (else ``AGENT_MEMORY_HOME``, else ``~/.agent-memory``), ``agent``
    the acting agent's name (else ``AGENT_MEMORY_AGENT_ID``, else the node's default). An agent that
    is not known is made, unless ``create`` is false: then :class:`UnknownName` is raised.

    A node that is served elsewhere is named by its ``url`` (else ``AGENT_MEMORY_NODE``), and opened
    with a ``key`` (else ``AGENT_MEMORY_KEY``). The key says who acts: its agent, or with the
    operator's key the one that is named.

    A client may be used by several threads, and is a context manager that closes the file, or the
    connections.
    """

    def __init__(
        self,
        home: str | None = None,
        *,
        url: str | None = None,
        key: str | None = None,
        agent: str | None = None,
        create: bool = True,
    ) -> None:
        read = settings.read(home, agent, os.environ)
        reach = settings.reach(read.home, url, key, os.environ, is_home_named=home is not None)
        self._node, self._principal, self.notes = chosen(read, reach, create=create)

    def __enter__(self) -> Self:
        """Return the client itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close it."""
        self.close()

    def close(self) -> None:
        """Let go of the file or the connections; they are opened again when they are next used."""
        self._node.close()

    @property
    def node(self) -> Node:
        """The node, for what this class has no method for."""
        return self._node

    @property
    def principal(self) -> Principal:
        """Who acts."""
        return self._principal

    def add(self, content: str, *, share: str = "private", **fields: object) -> Outcome:
        """Remember something; the same again comes back as it is there (``is_changed`` is false).

        ``fields`` are those of :class:`NewMemory`: type, tags, summary, importance, confidence,
        source, author, session, position, event_at, pinned, expires_at, valid_from, valid_to, key…
        """
        new = plain.new_memory(content, fields)
        return self._node.memories.add(self._principal, new, plain.text("audience", share))

    record = add

    def add_many(
        self, items: Iterable[Mapping[str, object]], *, share: str = "private"
    ) -> tuple[Outcome, ...]:
        """Remember many things, some hundred in a transaction; each item is as for :meth:`add`."""
        batch = ((plain.item(item), str(item.get("share", share))) for item in items)
        return tuple(self._node.memories.add_many(self._principal, batch))

    def search(self, query: str, *, limit: int = 10, **narrow: object) -> tuple[Hit, ...]:
        """Return the memories that answer a query, best first; an empty result is an answer.

        ``narrow`` are types, tags, owner, author, session, since, until, time_field; ``pinned`` and
        ``recent`` (true) ask for those memories too.
        """
        return self._node.recall.search(self._principal, self._request(query, limit, narrow)).hits

    recall = search

    def pack(
        self,
        query: str,
        *,
        max_tokens: int = 1200,
        limit: int = 12,
        counter: Callable[[str], int] | None = None,
        superseded: bool = False,
        **narrow: object,
    ) -> ContextPack:
        """Return a prompt-ready text of at most ``max_tokens``, and the reasons behind it.

        ``counter`` counts a text's tokens exactly (else they are estimated); ``superseded`` asks
        for what its owner has superseded, too.
        """
        request = self._request(query, limit, narrow)
        return self._node.recall.pack(
            self._principal, request, max_tokens, counter=counter, superseded=superseded
        )

    def context_pack(
        self, query: str, *, max_tokens: int = 1200, limit: int = 12, **narrow: object
    ) -> str:
        """Return the text of :meth:`pack`; ``narrow`` is as for :meth:`search`."""
        request = self._request(query, limit, narrow)
        return self._node.recall.pack(self._principal, request, max_tokens).text

    context = context_pack

    def get(self, memory_id: str) -> Memory:
        """Return one memory; raise :class:`NotFound` if there is none that the agent may see."""
        return self._node.memories.get(self._principal, plain.memory_id(memory_id))

    def list(self, *, limit: int = 50, cursor: str = "", **narrow: object) -> Page:
        """Return a page of memories, newest first; ``narrow`` are the fields of :class:`Filter`."""
        wanted = plain.to_filter(narrow)
        return self._node.memories.list(
            self._principal, wanted, limit, plain.text("cursor", cursor)
        )

    def timeline(
        self,
        around: str | int,
        *,
        window_seconds: float | None = None,
        limit: int = 20,
        **narrow: object,
    ) -> tuple[Moment, ...]:
        """Return the memories around a memory (its id) or an instant, oldest first.

        ``window_seconds`` is how far before and after at most.
        """
        wanted = plain.to_filter(narrow)
        anchor = around if plain.is_whole(around) else plain.memory_id(around)
        window = None if window_seconds is None else plain.milliseconds(window_seconds)
        return self._node.memories.timeline(self._principal, anchor, wanted, limit, window)

    def update(self, memory_id: str, *, reason: str = "", **changes: object) -> Outcome:
        """Write a new version of one's own memory; the earlier one stays in its history."""
        given = plain.scaled(changes)
        why = plain.text("reason", reason)
        return self._node.memories.edit(self._principal, plain.memory_id(memory_id), given, why)

    edit = update

    def share(self, memory_id: str, audience: str) -> Outcome:
        """Share one's own memory with an audience, such as ``team:NAME`` or ``agent:NAME``."""
        return self._node.memories.share(
            self._principal, plain.memory_id(memory_id), plain.text("audience", audience)
        )

    share_memory = share

    def revoke(self, memory_id: str, audience: str | None = None) -> Outcome:
        """Take back what was shared, at once: one audience, or all."""
        named = None if audience is None else plain.text("audience", audience)
        return self._node.memories.revoke(self._principal, plain.memory_id(memory_id), named)

    revoke_share = revoke

    def forget(self, memory_id: str, *, erase: bool = False) -> None:
        """Forget one's own memory; with ``erase`` for good, so that no byte of it stays."""
        if erase:
            self._node.memories.erase(self._principal, [plain.memory_id(memory_id)])
        else:
            self._node.memories.forget(self._principal, plain.memory_id(memory_id))

    delete = forget

    def bring_back(self, memory_id: str) -> Memory:
        """Undo a forgetting, within 30 days."""
        return self._node.memories.bring_back(self._principal, plain.memory_id(memory_id))

    def pin(self, memory_id: str, *, pinned: bool = True) -> Outcome:
        """Pin one's own memory, or take the pin off."""
        return self._node.memories.edit(
            self._principal, plain.memory_id(memory_id), {"pinned": pinned}
        )

    def link(self, src: str, dst: str, relation: str = "related_to", weight: float = 0.5) -> Link:
        """Assert a link between two memories that the agent may see."""
        thousandths = plain.thousandths("weight", weight)
        return self._node.memories.link(
            self._principal,
            plain.memory_id(src),
            plain.memory_id(dst),
            plain.text("relation", relation),
            thousandths,
        )

    def unlink(self, src: str, dst: str, relation: str = "related_to") -> None:
        """Take back a link."""
        word = plain.text("relation", relation)
        self._node.memories.unlink(
            self._principal, plain.memory_id(src), plain.memory_id(dst), word
        )

    def links(self, memory_id: str) -> tuple[Link, ...]:
        """Return the links of a memory whose other ends the agent may see."""
        return self._node.memories.links(self._principal, plain.memory_id(memory_id))

    def graph(self, memory_id: str, hops: int = 1) -> Graph:
        """Return the memories that links lead to from one, so many hops far, and those links."""
        return self._node.memories.graph(self._principal, plain.memory_id(memory_id), hops)

    def supersede(self, older: str, newer: str) -> Outcome:
        """Say that one's own newer memory replaces an older one; another's is only proposed."""
        return self._node.memories.supersede(
            self._principal, plain.memory_id(older), plain.memory_id(newer)
        )

    def history(self, memory_id: str) -> tuple[Version, ...]:
        """Return the versions of a memory that the agent may see, oldest first."""
        return self._node.memories.history(self._principal, plain.memory_id(memory_id))

    def as_of(self, memory_id: str, at: int) -> Version:
        """Return the version that was true at an instant."""
        if not plain.is_whole(at):
            raise InvalidInput("An instant is a whole number of milliseconds.")
        return self._node.memories.as_of(self._principal, plain.memory_id(memory_id), at)

    def stats(self) -> Stats:
        """Count what the agent may read: by type, by owner, pinned, expired, forgotten."""
        return self._node.upkeep.stats(self._principal)

    def import_path(
        self,
        path: str,
        *,
        form: str | None = None,
        share: str = "private",
        dry_run: bool = False,
        allow_secrets: bool = False,
    ) -> ImportReport:
        """Bring in what a file or folder of another program holds; what is known is not added.

        ``form`` is a format's name where it is not recognised. With ``dry_run`` nothing is written.
        """
        return self._node.transfer.import_path(
            self._principal,
            plain.text("path", path),
            form,
            plain.text("audience", share),
            dry_run=dry_run,
            allow_secrets=allow_secrets,
        )

    def export(self) -> Iterator[str]:
        """Yield what the agent may read as JSONL, line by line; :meth:`import_path` reads it."""
        return self._node.transfer.export(self._principal)

    def events(self, after: str = "", *, wait: bool = True) -> Following:
        """Follow what happens to what the agent may read: an iterator over events.

        It tells what happens from now on, or ``after`` the cursor of an event, and waits for more
        until it is closed; without ``wait`` it ends once it has told what has happened by now. Its
        own ``cursor`` is what to go on after.
        """
        return self._node.events.follow(self._principal, plain.text("cursor", after), wait=wait)

    def audit(self, *, limit: int = 50, cursor: str = "", **narrow: object) -> AuditPage:
        """Return a page of the agent's own acts that were audited, newest first.

        ``narrow`` are action, since and until. An act on what the agent may read no more is not
        told. (The whole audit is the operator's: ``client.node.upkeep.audit``.)
        """
        from agent_memory_os.service.upkeep import AuditFilter

        plain.check_known(narrow, AuditFilter._fields)
        wanted = AuditFilter(**narrow)  # type: ignore[arg-type]
        return self._node.upkeep.audit(self._principal, wanted, limit, plain.text("cursor", cursor))

    def sync(self, *peers: str) -> tuple[Synced, ...]:
        """Exchange with peers, those named or whose turn it is; return what came of each.

        Raises :class:`NotAllowed` where the node is served elsewhere and the key is an agent's.
        """
        return tuple(self._node.sync.run([plain.text("peer", name) for name in peers]))

    def receipts(self, memory: str = "") -> tuple[Receipt, ...]:
        """Return how it stands with each peer, of one memory, or of all that was taken back."""
        receipts, principal = self._node.receipts, self._principal
        return receipts.get(principal, memory) if memory else receipts.list(principal)

    def conflicts(self) -> tuple[LostEdit, ...]:
        """Return what edits of the agent's own memories lost to edits on another device."""
        return self._node.conflicts.list(self._principal)

    def swap(self, number: int) -> Outcome:
        """Put back an edit that lost, by its number; what held until then stays in the history."""
        if not plain.is_whole(number):
            raise InvalidInput("The number of an edit is a whole number.")
        return self._node.conflicts.swap(self._principal, number)

    def _request(self, query: str, limit: int, narrow: Mapping[str, object]) -> RecallRequest:
        options = dict(narrow)
        since, until = options.pop("since", None), options.pop("until", None)
        if (since, until) != (None, None):
            options["span"] = (since, until)
        plain.check_known(options, _OPTIONS)
        if not plain.is_span(options.get("span", (None, None))):
            raise InvalidInput("A span is two times: since and until.")
        now = self._node.recall.now()
        return RecallRequest(plain.text("query", query), now, limit, **plain.listed(options))  # type: ignore[arg-type]
