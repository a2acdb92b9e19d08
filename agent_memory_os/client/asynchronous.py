"""The SDK for programs with an event loop: :class:`AsyncMemoryClient`.

    async with AsyncMemoryClient(agent="planner") as client:
        await client.add("Deploys go out on Tuesdays.")
        for hit in await client.search("when do we deploy?"):
            print(hit.memory.text)

Each method is that of :class:`MemoryClient` as a coroutine, run in a thread of the client's own, so
that the loop never waits for a file or a network. What was begun is finished, also where nobody
waits for it any more.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import islice
from types import TracebackType
from typing import Self, TypeVar

from agent_memory_os.client.client import MemoryClient
from agent_memory_os.model.link import Link
from agent_memory_os.model.memory import Memory
from agent_memory_os.model.principal import Principal
from agent_memory_os.model.recall import ContextPack, Hit
from agent_memory_os.service.memories import Outcome
from agent_memory_os.service.memory.find import Moment, Page
from agent_memory_os.service.memory.graph import Graph
from agent_memory_os.service.memory.history import Version
from agent_memory_os.value import TYPE_CHECKING

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

    from agent_memory_os.client.following import AsyncFollowing
    from agent_memory_os.service.nouns import Node
    from agent_memory_os.service.peers import LostEdit, Receipt, Synced
    from agent_memory_os.service.transfer import ImportReport
    from agent_memory_os.service.upkeep import AuditPage, Stats

T = TypeVar("T")
_THREADS = 8
_LINES = 100


class AsyncMemoryClient:
    """A node's memory for one agent, in an event loop.

    The arguments are those of :class:`MemoryClient`. The node is opened when it is first used, or
    where the client is entered as a context manager, which closes it again.
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
        from threading import Lock

        self._make = partial(MemoryClient, home, url=url, key=key, agent=agent, create=create)
        self._lock = Lock()
        self._client: MemoryClient | None = None
        self._threads: ThreadPoolExecutor | None = None

    async def __aenter__(self) -> Self:
        """Open the node, and return the client itself."""
        await self._do(lambda _: None)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close it."""
        await self.close()

    async def close(self) -> None:
        """Let go of the file or the connections; they are opened again when they are next used."""
        if self._client is not None:
            await self._do(MemoryClient.close)
        threads, self._threads = self._threads, None
        if threads is not None:
            threads.shutdown(wait=False)

    @property
    def node(self) -> Node:
        """The node, for what this class has no method for."""
        return self._opened().node

    @property
    def principal(self) -> Principal:
        """Who acts."""
        return self._opened().principal

    @property
    def notes(self) -> tuple[str, ...]:
        """What the person should be told once."""
        return self._opened().notes

    async def add(self, content: str, *, share: str = "private", **fields: object) -> Outcome:
        """Remember something; the same again comes back as it is there (``is_changed`` is false).

        ``fields`` are those of :class:`NewMemory`: type, tags, summary, importance, confidence,
        source, author, session, position, event_at, pinned, expires_at, valid_from, valid_to, key…
        """
        return await self._do(lambda client: client.add(content, share=share, **fields))

    record = add

    async def add_many(
        self, items: Iterable[Mapping[str, object]], *, share: str = "private"
    ) -> tuple[Outcome, ...]:
        """Remember many things, some hundred in a transaction; each item is as for :meth:`add`."""
        return await self._do(lambda client: client.add_many(items, share=share))

    async def search(self, query: str, *, limit: int = 10, **narrow: object) -> tuple[Hit, ...]:
        """Return the memories that answer a query, best first; an empty result is an answer.

        ``narrow`` are types, tags, owner, author, session, since, until, time_field; ``pinned`` and
        ``recent`` (true) ask for those memories too.
        """
        return await self._do(lambda client: client.search(query, limit=limit, **narrow))

    recall = search

    async def pack(
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
        return await self._do(
            lambda client: client.pack(
                query,
                max_tokens=max_tokens,
                limit=limit,
                counter=counter,
                superseded=superseded,
                **narrow,
            )
        )

    async def context_pack(
        self, query: str, *, max_tokens: int = 1200, limit: int = 12, **narrow: object
    ) -> str:
        """Return the text of :meth:`pack`; ``narrow`` is as for :meth:`search`."""
        return await self._do(
            lambda client: client.context_pack(query, max_tokens=max_tokens, limit=limit, **narrow)
        )

    context = context_pack

    async def get(self, memory_id: str) -> Memory:
        """Return one memory; raise :class:`NotFound` if there is none that the agent may see."""
        return await self._do(lambda client: client.get(memory_id))

    async def list(self, *, limit: int = 50, cursor: str = "", **narrow: object) -> Page:
        """Return a page of memories, newest first; ``narrow`` are the fields of :class:`Filter`."""
        return await self._do(lambda client: client.list(limit=limit, cursor=cursor, **narrow))

    async def timeline(
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
        return await self._do(
            lambda client: client.timeline(
                around, window_seconds=window_seconds, limit=limit, **narrow
            )
        )

    async def update(self, memory_id: str, *, reason: str = "", **changes: object) -> Outcome:
        """Write a new version of one's own memory; the earlier one stays in its history."""
        return await self._do(lambda client: client.update(memory_id, reason=reason, **changes))

    edit = update

    async def share(self, memory_id: str, audience: str) -> Outcome:
        """Share one's own memory with an audience, such as ``team:NAME`` or ``agent:NAME``."""
        return await self._do(lambda client: client.share(memory_id, audience))

    share_memory = share

    async def revoke(self, memory_id: str, audience: str | None = None) -> Outcome:
        """Take back what was shared, at once: one audience, or all."""
        return await self._do(lambda client: client.revoke(memory_id, audience))

    revoke_share = revoke

    async def forget(self, memory_id: str, *, erase: bool = False) -> None:
        """Forget one's own memory; with ``erase`` for good, so that no byte of it stays."""
        await self._do(lambda client: client.forget(memory_id, erase=erase))

    delete = forget

    async def bring_back(self, memory_id: str) -> Memory:
        """Undo a forgetting, within 30 days."""
        return await self._do(lambda client: client.bring_back(memory_id))

    async def pin(self, memory_id: str, *, pinned: bool = True) -> Outcome:
        """Pin one's own memory, or take the pin off."""
        return await self._do(lambda client: client.pin(memory_id, pinned=pinned))

    async def link(
        self, src: str, dst: str, relation: str = "related_to", weight: float = 0.5
    ) -> Link:
        """Assert a link between two memories that the agent may see."""
        return await self._do(lambda client: client.link(src, dst, relation, weight))

    async def unlink(self, src: str, dst: str, relation: str = "related_to") -> None:
        """Take back a link."""
        await self._do(lambda client: client.unlink(src, dst, relation))

    async def links(self, memory_id: str) -> tuple[Link, ...]:
        """Return the links of a memory whose other ends the agent may see."""
        return await self._do(lambda client: client.links(memory_id))

    async def graph(self, memory_id: str, hops: int = 1) -> Graph:
        """Return the memories that links lead to from one, so many hops far, and those links."""
        return await self._do(lambda client: client.graph(memory_id, hops))

    async def supersede(self, older: str, newer: str) -> Outcome:
        """Say that one's own newer memory replaces an older one; another's is only proposed."""
        return await self._do(lambda client: client.supersede(older, newer))

    async def history(self, memory_id: str) -> tuple[Version, ...]:
        """Return the versions of a memory that the agent may see, oldest first."""
        return await self._do(lambda client: client.history(memory_id))

    async def as_of(self, memory_id: str, at: int) -> Version:
        """Return the version that was true at an instant."""
        return await self._do(lambda client: client.as_of(memory_id, at))

    async def stats(self) -> Stats:
        """Count what the agent may read: by type, by owner, pinned, expired, forgotten."""
        return await self._do(lambda client: client.stats())

    async def import_path(
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
        return await self._do(
            lambda client: client.import_path(
                path, form=form, share=share, dry_run=dry_run, allow_secrets=allow_secrets
            )
        )

    async def events(self, after: str = "", *, wait: bool = True) -> AsyncFollowing:
        """Follow what happens to what the agent may read: an iterator over events.

        It tells what happens from now on, or ``after`` the cursor of an event, and waits for more
        until it is closed; without ``wait`` it ends once it has told what has happened by now. Its
        own ``cursor`` is what to go on after.
        """
        from agent_memory_os.client.following import AsyncFollowing

        return AsyncFollowing(await self._do(lambda client: client.events(after, wait=wait)))

    async def audit(self, *, limit: int = 50, cursor: str = "", **narrow: object) -> AuditPage:
        """Return a page of the agent's own acts that were audited, newest first.

        ``narrow`` are action, since and until. An act on what the agent may read no more is not
        told. (The whole audit is the operator's: ``client.node.upkeep.audit``.)
        """
        return await self._do(lambda client: client.audit(limit=limit, cursor=cursor, **narrow))

    async def sync(self, *peers: str) -> tuple[Synced, ...]:
        """Exchange with peers, those named or whose turn it is; return what came of each.

        Raises :class:`NotAllowed` where the node is served elsewhere and the key is an agent's.
        """
        return await self._do(lambda client: client.sync(*peers))

    async def receipts(self, memory: str = "") -> tuple[Receipt, ...]:
        """Return how it stands with each peer, of one memory, or of all that was taken back."""
        return await self._do(lambda client: client.receipts(memory))

    async def conflicts(self) -> tuple[LostEdit, ...]:
        """Return what edits of the agent's own memories lost to edits on another device."""
        return await self._do(MemoryClient.conflicts)

    async def swap(self, number: int) -> Outcome:
        """Put back an edit that lost, by its number; what held until then stays in the history."""
        return await self._do(lambda client: client.swap(number))

    async def export(self) -> AsyncIterator[str]:
        """Yield what the agent may read as JSONL, line by line; :meth:`import_path` reads it."""
        lines: Iterator[str] = await self._do(MemoryClient.export)
        while some := await self._do(lambda _: tuple(islice(lines, _LINES))):
            for line in some:
                yield line

    async def _do(self, act: Callable[[MemoryClient], T]) -> T:
        from asyncio import get_running_loop

        return await get_running_loop().run_in_executor(self._pool(), self._did, act)

    def _did(self, act: Callable[[MemoryClient], T]) -> T:
        return act(self._opened())

    def _opened(self) -> MemoryClient:
        with self._lock:
            if self._client is None:
                self._client = self._make()
            return self._client

    def _pool(self) -> ThreadPoolExecutor:
        from concurrent.futures import ThreadPoolExecutor

        if self._threads is None:
            self._threads = ThreadPoolExecutor(_THREADS, "agent-memory")
        return self._threads
