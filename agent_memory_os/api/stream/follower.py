"""A follower of events: one stream, told in order what happens, for as long as it may be.

What waits for it is bounded: one that takes it more slowly than it happens reads on from the file,
at its own pace. Whether it may still follow is asked before anything is told. Its beats come by the
clock alone, so that what is hidden from it moves none.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from agent_memory_os.model.principal import Principal
from agent_memory_os.service.events import News

if TYPE_CHECKING:
    from agent_memory_os.api.stream.streams import Streams

_WAITING = 16
"""How many portions wait for a follower at most."""


class Follower:
    """One stream: :meth:`news` again and again, and :meth:`close` at its end.

    ``cursor`` is up to where it has been told; one that ``is_behind`` reads on from there, and
    takes nothing that is given to it. ``may_follow`` says whether it still may.
    """

    def __init__(
        self,
        streams: Streams,
        principal: Principal,
        may_follow: Callable[[], bool],
        *,
        waits: bool = True,
    ) -> None:
        self._streams = streams
        self._principal = principal
        self._may_follow = may_follow
        self._waits = waits
        self._ready: deque[News] = deque()
        self._woken = asyncio.Event()
        self.is_behind = False
        self._is_over = False
        self._due = time.monotonic() + streams.beat
        self.cursor = ""

    def begin(self, cursor: str, *, is_behind: bool) -> None:
        """Begin after a cursor."""
        self.cursor = cursor
        self.is_behind = is_behind

    @property
    def waiting(self) -> int:
        """How many portions wait for it."""
        return len(self._ready)

    async def news(self) -> News | None:
        """Return what happened next, or that nothing did for a while; ``None`` at the end."""
        while not self._is_over and self._may_follow():
            if self.is_behind:
                # What waits here by now is in what is read next.
                self._ready.clear()
                found = await self._streams.since(self._principal, self.cursor)
                self.is_behind = bool(found.events)
                self.cursor = found.cursor
                if found.events:
                    return self._told(found)
            elif self._ready:
                return self._told(self._ready.popleft())
            elif not self._waits:
                self._is_over = True
                return News((), self.cursor)
            elif (left := self._due - time.monotonic()) <= 0:
                return self._told(News((), self._streams.reached(self._principal, self.cursor)))
            else:
                self._woken.clear()
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._woken.wait(), left)
        return None

    def give(self, news: News) -> None:
        """Have it told what happened."""
        if len(self._ready) < _WAITING:
            self._ready.append(news)
        else:
            self._ready.clear()
            self.is_behind = True
        self._woken.set()

    def wake(self) -> None:
        """Have it look whether it may still follow."""
        self._woken.set()

    def end(self) -> None:
        """Have it end."""
        self._is_over = True
        self._woken.set()

    def close(self) -> None:
        """Give the place to another."""
        self._streams.leave(self._principal, self)

    def _told(self, news: News) -> News:
        self.cursor = news.cursor
        self._due = time.monotonic() + self._streams.beat
        return news
