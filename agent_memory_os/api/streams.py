"""Streams of events: who follows, and one look at the node for all of them.

While anybody follows, a single task looks a few times a second whether anything changed at all, and
only then asks what each principal may know of it, once for all of its streams. What a follower does
not take in time ends its stream: it comes back with the last id that it saw, and misses nothing.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from typing import NamedTuple

from starlette.concurrency import run_in_threadpool

from agent_memory_os.api.metrics import Metrics
from agent_memory_os.errors import AgentMemoryError, LimitReached
from agent_memory_os.model.principal import Principal
from agent_memory_os.service.events import Event
from agent_memory_os.service.node import LocalNode

log = logging.getLogger("agent_memory_os.events")

MAX_STREAMS = 64
"""How many streams of events one server keeps open."""

BEAT_SECONDS = 15.0
"""After how long of silence a stream says that it is there, and its key is looked at again."""

_LOOK_SECONDS = 0.25
_WAITING = 64
"""How many portions of news wait for a follower at most."""


class News(NamedTuple):
    """What happened, and the cursor after it."""

    events: tuple[Event, ...]
    cursor: str


Queue = asyncio.Queue[News | None]


class _Group:
    """The followers of one principal, and up to where they have been told."""

    def __init__(self, cursor: str) -> None:
        self.cursor = cursor
        self.queues: set[Queue] = set()

    def give(self, news: News | None) -> None:
        """Give news to every follower; nothing says that there is no more."""
        for queue in list(self.queues):
            if not queue.full():
                queue.put_nowait(news)
                continue
            # It must not go on after a gap.
            self.queues.discard(queue)
            while not queue.empty():
                queue.get_nowait()
            queue.put_nowait(None)


class Follower:
    """One stream: :meth:`news` again and again, and :meth:`close` at its end."""

    def __init__(self, streams: Streams, principal: Principal, group: _Group) -> None:
        self._streams = streams
        self._principal = principal
        self._group = group
        self._queue: Queue = asyncio.Queue(_WAITING)
        self._behind: str | None = None
        group.queues.add(self._queue)

    async def go_back(self, cursor: str) -> None:
        """Begin after a cursor; raise :class:`InvalidInput` for what is none of the principal's."""
        await self._streams.since(self._principal, cursor)
        self._behind = cursor

    async def news(self) -> News | None:
        """Return what happened next, or that nothing did for a while; ``None`` at the end."""
        if self._behind is not None:
            # What comes meanwhile is told twice, rather than not at all.
            found = await self._streams.since(self._principal, self._behind)
            self._behind = found.cursor if found.events else None
            return found
        try:
            return await asyncio.wait_for(self._queue.get(), self._streams.beat)
        except TimeoutError:
            return News((), self._group.cursor)

    @property
    def cursor(self) -> str:
        """Up to where the follower has been told when it begins."""
        return self._behind or self._group.cursor

    def close(self) -> None:
        """Give the place to another."""
        self._streams.leave(self._principal, self._group, self._queue)


class Streams:
    """Everybody who follows the events of a node. It belongs to the server's loop."""

    def __init__(self, node: LocalNode, metrics: Metrics, ending: asyncio.Event) -> None:
        self._node = node
        self._metrics = metrics
        self._ending = ending
        self._groups: dict[Principal, _Group] = {}
        self._looking: asyncio.Task[None] | None = None
        self._count = 0
        self.beat = BEAT_SECONDS

    async def follow(self, principal: Principal, cursor: str | None) -> Follower:
        """Follow what happens after a cursor, or from now on.

        Raises :class:`LimitReached` where there are as many streams as may be.
        """
        if self._count >= MAX_STREAMS:
            raise LimitReached(
                f"There are {MAX_STREAMS} streams of events already, and no more may be; try again "
                "later.",
                limit="streams",
            )
        self._count += 1
        self._metrics.streams.inc()
        try:
            follower = Follower(self, principal, await self._group_of(principal))
        except BaseException:
            self._let_go()
            raise
        if cursor is not None:
            try:
                await follower.go_back(cursor)
            except BaseException:
                follower.close()
                raise
        return follower

    async def since(self, principal: Principal, cursor: str) -> News:
        """Return what happened after a cursor."""
        return News(*await run_in_threadpool(self._node.events.since, principal, cursor))

    def leave(self, principal: Principal, group: _Group, queue: Queue) -> None:
        """Forget a follower."""
        group.queues.discard(queue)
        if not group.queues and self._groups.get(principal) is group:
            del self._groups[principal]
        self._let_go()

    def _let_go(self) -> None:
        self._count -= 1
        self._metrics.streams.dec()

    async def _group_of(self, principal: Principal) -> _Group:
        if principal not in self._groups:
            begun = _Group(await run_in_threadpool(self._node.events.begin, principal))
            # Another stream of the principal may have come in meanwhile.
            self._groups.setdefault(principal, begun)
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._look())
        return self._groups[principal]

    async def _look(self) -> None:
        """Look for news as long as anybody follows; at the server's end, say that it is the end."""
        seen = -1
        while self._groups and not self._ending.is_set():
            try:
                pulse = await run_in_threadpool(self._node.events.pulse)
                if pulse != seen:
                    await self._tell_all()
                    seen = pulse
            except AgentMemoryError as error:
                log.warning("events could not be read yet", extra={"code": error.code})
            with suppress(TimeoutError):
                await asyncio.wait_for(self._ending.wait(), _LOOK_SECONDS)
        for group in self._groups.values():
            group.give(None)

    async def _tell_all(self) -> None:
        for principal, group in list(self._groups.items()):
            while True:
                news = await self.since(principal, group.cursor)
                group.cursor = news.cursor
                if not news.events:
                    break
                group.give(news)
