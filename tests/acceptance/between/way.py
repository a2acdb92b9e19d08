"""Ways between nodes: small TCP programs that carry, keep all bytes, and do what a network does.

A way listens on a port of this machine and leads to one node. It can lose a connection, be slow,
break in the middle of an answer, lead nowhere, or answer in the node's place with what was said
before. Every byte of either direction is kept.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from typing import Any, NamedTuple, TypeVar

Got = TypeVar("Got")

PIECE = 65_536
OPEN, LOST, SLOW, CUT, STALE = "open", "lost", "slow", "cut", "stale"
FAULTS = (LOST, SLOW, CUT)
SLOW_SECONDS = 0.02


class Said(NamedTuple):
    """What went over one connection: which way it took, what was asked and what was answered."""

    way: str
    asked: bytearray
    answered: bytearray


class Way:
    """A way to a node. ``breaks`` counts the connections that did not get a whole answer."""

    def __init__(self, name: str, target: str, said: list[Said]) -> None:
        self.name = name
        self.target = target.rpartition(":")[2]
        self.url = ""
        self.fault = OPEN
        self.after = 0
        """After how many bytes of an answer a way that cuts breaks off."""
        self.answer = b""
        """What a stale way says to whatever is asked."""
        self.breaks = 0
        self._said = said
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    async def begin(self) -> None:
        """Listen on a free port."""
        self._server = await asyncio.start_server(self._come, "127.0.0.1", 0)
        port = self._server.sockets[0].getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"

    async def end(self) -> None:
        """Listen no more."""
        assert self._server is not None
        self._server.close()

    def _come(self, asking: asyncio.StreamReader, back: asyncio.StreamWriter) -> None:
        # Held: nobody else does, and what nobody holds may end half way.
        task = asyncio.get_running_loop().create_task(self._carry(asking, back))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _carry(self, asking: asyncio.StreamReader, back: asyncio.StreamWriter) -> None:
        said = Said(self.name, bytearray(), bytearray())
        self._said.append(said)
        try:
            if self.fault == LOST:
                self.breaks += 1
                back.transport.abort()
            elif self.fault == STALE:
                await _until_asked(asking, said.asked)
                back.write(self.answer)
                await back.drain()
            else:
                await self._carry_on(asking, back, said)
        except OSError:
            self.breaks += 1
        finally:
            back.close()

    async def _carry_on(
        self, asking: asyncio.StreamReader, back: asyncio.StreamWriter, said: Said
    ) -> None:
        if self.fault == SLOW:
            await asyncio.sleep(SLOW_SECONDS)
        answering, on = await asyncio.open_connection("127.0.0.1", int(self.target))
        sending = asyncio.ensure_future(_copy(asking, on.write, on.drain, said.asked))
        left = self.after if self.fault == CUT else None
        try:
            while piece := await answering.read(PIECE):
                whole = piece if left is None else piece[:left]
                said.answered.extend(whole)
                back.write(whole)
                await back.drain()
                if left is not None:
                    left -= len(whole)
                if len(whole) < len(piece):
                    self.breaks += 1
                    return
        finally:
            sending.cancel()
            on.close()
            with suppress(asyncio.CancelledError, OSError):
                await sending


async def _copy(
    source: asyncio.StreamReader,
    write: Callable[[bytes], None],
    drain: Callable[[], Awaitable[None]],
    kept: bytearray,
) -> None:
    while piece := await source.read(PIECE):
        kept.extend(piece)
        write(piece)
        await drain()


async def _until_asked(source: asyncio.StreamReader, kept: bytearray) -> None:
    """Read a request whole, as its head says how long it is."""
    while b"\r\n\r\n" not in kept:
        piece = await source.read(PIECE)
        if not piece:
            return
        kept.extend(piece)
    head, _, body = bytes(kept).partition(b"\r\n\r\n")
    lengths = [line[15:] for line in head.lower().split(b"\r\n") if line[:15] == b"content-length:"]
    left = int(lengths[0]) - len(body) if lengths else 0
    while left > 0 and (piece := await source.read(PIECE)):
        kept.extend(piece)
        left -= len(piece)


class Ways:
    """All ways between some nodes, in a thread of their own, and what went over them."""

    def __init__(self) -> None:
        self.said: list[Said] = []
        self._ways: list[Way] = []
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

    def _done(self, task: Coroutine[Any, Any, Got]) -> Got:
        return asyncio.run_coroutine_threadsafe(task, self._loop).result(60)

    def to(self, name: str, target: str) -> Way:
        """Make a way to what listens at a URL."""
        way = Way(name, target, self.said)
        self._done(way.begin())
        self._ways.append(way)
        return way

    def close(self) -> None:
        """Close every way."""
        self._done(self._end())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(60)
        self._loop.close()

    async def _end(self) -> None:
        for way in self._ways:
            await way.end()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
