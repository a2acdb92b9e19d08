"""Following events in an event loop, without a thread of the client's for as long as it waits.

Each wait has a thread of its own that ends with it, and that the program's end does not wait for.
"""

from __future__ import annotations

from agent_memory_os.value import TYPE_CHECKING

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop, Future
    from collections.abc import Callable
    from types import TracebackType
    from typing import Self, TypeVar

    from agent_memory_os.service.events import Event, Following

    T = TypeVar("T")


class AsyncFollowing:
    """What :class:`service.events.Following` is, as an asynchronous iterator.

    What came while nobody waited for it any more is what the next wait gets.
    """

    def __init__(self, following: Following) -> None:
        self._following = following
        self._next: Future[Event | None] | None = None

    async def __aenter__(self) -> Self:
        """Return the iterator itself."""
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close it."""
        await self.close()

    def __aiter__(self) -> Self:
        """Return the iterator itself."""
        return self

    async def __anext__(self) -> Event:
        """Wait for the next event, and return it."""
        event = await self._waited()
        if event is None:
            raise StopAsyncIteration
        return event

    async def _waited(self) -> Event | None:
        from asyncio import shield

        if self._next is None and self._following.is_ready:
            return next(self._following, None)
        if self._next is None:
            self._next = _in_thread(lambda: next(self._following, None))
        try:
            event = await shield(self._next)
        except Exception:
            self._next = None
            raise
        self._next = None
        return event

    @property
    def cursor(self) -> str:
        """What to go on after."""
        return self._following.cursor

    async def close(self) -> None:
        """End it: whoever waits for an event learns that there is none any more."""
        await _in_thread(self._following.close)


def _in_thread(act: Callable[[], T]) -> Future[T]:
    from asyncio import get_running_loop
    from threading import Thread

    loop = get_running_loop()
    future: Future[T] = loop.create_future()
    Thread(target=_run, args=(act, loop, future), name="agent-memory", daemon=True).start()
    return future


def _run(act: Callable[[], T], loop: AbstractEventLoop, future: Future[T]) -> None:
    from contextlib import suppress

    result: T | None = None
    fault: BaseException | None = None
    try:
        result = act()
    except Exception as error:  # noqa: BLE001 - it is raised where the result is waited for
        fault = error

    def tell() -> None:
        if future.done():
            return
        if fault is not None:
            future.set_exception(fault)
        else:
            future.set_result(result)  # type: ignore[arg-type] # there was no fault

    # A loop that is closed has nobody left who waits.
    with suppress(RuntimeError):
        loop.call_soon_threadsafe(tell)
