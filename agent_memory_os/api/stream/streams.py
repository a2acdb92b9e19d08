"""Streams of events: who follows, and one look at the node for all of them.

While anybody follows, a single task looks a few times a second whether anything changed at all, and
only then asks what each principal may know of it, once for all of its streams. Whenever anything
changed, a key too, each follower looks whether it may still follow.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress

from starlette.concurrency import run_in_threadpool

from agent_memory_os.api.metrics import Metrics
from agent_memory_os.api.stream.follower import Follower
from agent_memory_os.errors import AgentMemoryError, LimitReached
from agent_memory_os.model.principal import Principal
from agent_memory_os.service.events import LOOK_SECONDS, News
from agent_memory_os.service.node import LocalNode

log = logging.getLogger("agent_memory_os.events")

MAX_STREAMS = 64
"""How many streams of events one server keeps open."""

MAX_OF_ONE = 16
"""How many of them one agent may have, or the operator: nobody keeps the others out."""

BEAT_SECONDS = 15.0
"""After how long of silence a stream says that it is there, and its key is looked at again."""

_PORTION = 100
"""How many events are read at once."""


class _Group:
    """The followers of one principal, and up to where they have been told."""

    def __init__(self, cursor: str) -> None:
        self.cursor = cursor
        self.followers: set[Follower] = set()


class Streams:
    """Everybody who follows the events of a node. It belongs to the server's loop."""

    def __init__(self, node: LocalNode, metrics: Metrics, ending: asyncio.Event) -> None:
        self._node = node
        self._metrics = metrics
        self._ending = ending
        self._groups: dict[Principal, _Group] = {}
        self.looking: asyncio.Task[None] | None = None
        self.count = 0
        self.beat = BEAT_SECONDS

    async def follow(
        self,
        principal: Principal,
        after: str,
        may_follow: Callable[[], bool],
        *,
        waits: bool = True,
    ) -> Follower:
        """Follow what happens after a cursor, or from now on; one that ``waits`` for more.

        Raises :class:`LimitReached` where there are as many streams as may be, and
        :class:`InvalidInput` for a cursor that is none of the principal's.
        """
        self._check_room(principal)
        self.count += 1
        self._metrics.streams.inc()
        try:
            if after:
                await run_in_threadpool(self._node.events.check, principal, after)
            follower = Follower(self, principal, may_follow, waits=waits)
            if waits:
                await self._join(principal, follower)
            now = self.reached(principal, "") or await self._begin(principal)
            follower.begin(after or now, is_behind=bool(after))
        except BaseException:
            self._let_go()
            raise
        return follower

    async def since(self, principal: Principal, cursor: str) -> News:
        """Return what happened after a cursor, a portion of it."""
        return News(*await run_in_threadpool(self._node.events.since, principal, cursor, _PORTION))

    def reached(self, principal: Principal, cursor: str) -> str:
        """Return up to where a principal's streams have been told; else this cursor."""
        group = self._groups.get(principal)
        return cursor if group is None else group.cursor

    def leave(self, principal: Principal, follower: Follower) -> None:
        """Forget a follower."""
        group = self._groups.get(principal)
        if group is not None:
            group.followers.discard(follower)
            if not group.followers:
                del self._groups[principal]
        self._let_go()

    def _check_room(self, principal: Principal) -> None:
        group = self._groups.get(principal)
        own = 0 if group is None else len(group.followers)
        if self.count >= MAX_STREAMS or own >= MAX_OF_ONE:
            whose = "of yours " if own >= MAX_OF_ONE else ""
            raise LimitReached(
                f"There are as many streams of events {whose}as may be; try again later.",
                limit="streams",
            )

    def _let_go(self) -> None:
        self.count -= 1
        self._metrics.streams.dec()

    async def _begin(self, principal: Principal) -> str:
        return await run_in_threadpool(self._node.events.begin, principal)

    async def _join(self, principal: Principal, follower: Follower) -> None:
        if principal not in self._groups:
            begun = _Group(await self._begin(principal))
            # Another stream of the principal may have come in meanwhile.
            self._groups.setdefault(principal, begun)
        self._groups[principal].followers.add(follower)
        if self.looking is None or self.looking.done():
            self.looking = asyncio.create_task(self._look())

    async def _look(self) -> None:
        """Look for news as long as anybody follows; at the server's end, say that it is the end."""
        seen = (-1, -1)
        try:
            while self._groups and not self._ending.is_set():
                try:
                    pulse = await run_in_threadpool(self._node.events.pulse)
                    if pulse != seen:
                        await self._tell_all()
                        seen = pulse
                except AgentMemoryError as error:
                    log.warning("events could not be read yet", extra={"code": error.code})
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._ending.wait(), LOOK_SECONDS)
        finally:
            # Nobody waits for what nobody looks for.
            for follower in self._everybody():
                follower.end()

    async def _tell_all(self) -> None:
        for principal, group in list(self._groups.items()):
            while True:
                news = await self.since(principal, group.cursor)
                group.cursor = news.cursor
                if not news.events:
                    break
                for follower in group.followers:
                    follower.give(news)
        for follower in self._everybody():
            follower.wake()

    def _everybody(self) -> list[Follower]:
        return [one for group in self._groups.values() for one in group.followers]
