"""Following: what happens as an iterator, one event after the other, for as long as one wants.

Where the events come from is a function's business, here or over the wire: it waits for the next
portion, and says when there is none any more. Each event carries the cursor after which nothing is
missed: whoever stops, or is stopped, begins after that of the last event that it took. What came
together has one cursor, which only the last of it carries; so what was begun and not finished is
told again, rather than not at all.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from agent_memory_os.model.principal import Principal
from agent_memory_os.value import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

    from agent_memory_os.service.events.events import Events

LOOK_SECONDS = 0.25
"""How often the file is looked at while somebody waits for what happens."""


class Event(NamedTuple):
    """Something that happened: a memory is there or changed (with its version), or is gone.

    ``audience`` has no memory: what the reader holds, it should read again. ``cursor`` is what to
    go on after.
    """

    kind: str
    memory: str = ""
    version: int | None = None
    cursor: str = ""


class News(NamedTuple):
    """What happened, and the cursor after it."""

    events: tuple[Event, ...]
    cursor: str


class Following:
    """An iterator over events, for one thread; :meth:`close` ends it, from any thread.

    ``cursor`` is what to go on after. It is a context manager, which closes it.
    """

    def __init__(
        self, news: Callable[[], News | None], stop: Callable[[], None], cursor: str
    ) -> None:
        self._news = news
        self._stop = stop
        self._ready: deque[Event] = deque()
        self._after = cursor
        self._is_closed = False
        self.cursor = cursor

    def __enter__(self) -> Self:
        """Return the iterator itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close it."""
        self.close()

    def __del__(self) -> None:
        # What nobody follows any more takes no place at a server.
        self.close()

    def __iter__(self) -> Self:
        """Return the iterator itself."""
        return self

    def __next__(self) -> Event:
        """Wait for the next event, and return it."""
        while not self._ready or self._is_closed:
            news = None if self._is_closed else self._news()
            if news is None:
                raise StopIteration
            self._ready.extend(news.events)
            self._after = news.cursor
            if not news.events:
                self.cursor = news.cursor
        event = self._ready.popleft()
        if not self._ready:
            self.cursor = self._after
        return event._replace(cursor=self.cursor)

    @property
    def is_ready(self) -> bool:
        """Whether the next event is here already, so that nobody has to wait for it."""
        return bool(self._ready) and not self._is_closed

    def close(self) -> None:
        """End it: whoever waits for an event learns that there is none any more."""
        self._is_closed = True
        self._stop()


class Looking:
    """What happens in a file on this machine: looked for a few times a second.

    A look reads one number, and only where that changed it asks what a principal may know of it.
    """

    def __init__(self, events: Events, principal: Principal, cursor: str, *, waits: bool) -> None:
        from threading import Event as Signal

        self._events = events
        self._principal = principal
        self._cursor = cursor
        self._waits = waits
        self._pulse = (-1, -1)
        self._ended = Signal()

    def news(self) -> News | None:
        """Wait for what happens next; ``None`` once it is ended, or nobody waits for more."""
        while not self._ended.is_set():
            pulse = self._events.pulse()
            if pulse != self._pulse:
                found = News(*self._events.since(self._principal, self._cursor))
                self._cursor = found.cursor
                if found.events:
                    return found
                if not self._waits:
                    self.end()
                    return found
                self._pulse = pulse
            self._ended.wait(LOOK_SECONDS)
        return None

    def end(self) -> None:
        """Wait no longer."""
        self._ended.set()
