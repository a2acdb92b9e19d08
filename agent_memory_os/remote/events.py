"""Events of a served node: its stream, opened again where it broke off.

The stream tells after which id nothing is missing (:mod:`api.routes.events`); what was told without
one is told again after the break. While a server starts anew, or has no place for one more stream,
it is tried again for a while; whoever may follow no longer is told so at once.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from threading import Event as Signal
from threading import Lock
from typing import Any, NamedTuple

import httpx

from agent_memory_os.errors import Busy, LimitReached, Unreachable
from agent_memory_os.model.principal import Principal
from agent_memory_os.remote.transport import Transport
from agent_memory_os.service.events import (
    AUDIENCE,
    GONE,
    MAX_EVENTS,
    MEMORY,
    Event,
    Following,
    News,
)
from agent_memory_os.service.events.cursor import checked
from agent_memory_os.wire.decode import read

_KIND = "text/event-stream"
_KINDS = frozenset((MEMORY, GONE, AUDIENCE))
_SILENCE_SECONDS = 45.0
"""A stream that says nothing for so long is broken: it says every 15 seconds that it is there."""

_TRIES = 15
"""How often in a row it is tried again without being told anything: for about a minute."""

_PAUSE_SECONDS = (0.25, 5.0)
"""How long it waits before it tries again, at first and at most."""

_PASSING = (Unreachable, Busy, LimitReached)


class RemoteEvents:
    """What :class:`service.events.Events` does for a reader, asked of a served node."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def follow(self, principal: Principal, after: str = "", *, wait: bool = True) -> Following:
        """Return what happens, event by event: from now on, or ``after`` a cursor.

        It waits for more until it is closed; without ``wait`` it ends once it has told what has
        happened by then. A cursor that is none of the principal's raises :class:`InvalidInput`.
        """
        if after:
            checked(after)
        stream = _Stream(self._transport, principal, after, waits=wait)
        return Following(stream.news, stream.end, stream.begin())


class _Block(NamedTuple):
    """What stands between two empty lines: its fields, as far as they matter here."""

    id: str = ""
    event: str = ""
    data: str = ""


class _Portion(NamedTuple):
    """What was told until an id."""

    blocks: tuple[_Block, ...]
    id: str

    def news(self) -> News:
        """Return it as values; raise :class:`Unreachable` for what no node tells."""
        return News(tuple(map(_event, self.blocks)), self.id)


class _Stream:
    def __init__(
        self, transport: Transport, principal: Principal, cursor: str, *, waits: bool
    ) -> None:
        self._transport = transport
        self._principal = principal
        self._cursor = cursor
        self._waits = waits
        self._stack = ExitStack()
        self._blocks: Iterator[_Block] = iter(())
        self._socket: socket.socket | None = None
        self._reading = Lock()
        self._ended = Signal()
        self._tries = 0

    def begin(self) -> str:
        """Open it, and return the cursor that it begins after."""
        try:
            self._open()
        except BaseException:
            self._close()
            raise
        return self._cursor

    def news(self) -> News | None:
        """Wait for what happens next; ``None`` once it is ended, or nobody waits for more."""
        with self._reading:
            while not self._ended.is_set():
                is_over = False
                try:
                    told = self._told()
                    is_over = told is None and not self._waits
                except Unreachable:
                    told = None
                if told is not None and told.id:
                    return told.news()
                if told is not None:
                    raise self._transport.no_node()
                if is_over:
                    return None
                self._open_again()
        return None

    def end(self) -> None:
        """Wait no longer: whoever does, in another thread, is told that it is over."""
        self._ended.set()
        held = self._socket
        if held is not None:
            # Closing alone would not wake who reads.
            with suppress(OSError):
                held.shutdown(socket.SHUT_RDWR)
        with self._reading:
            self._close()

    def _open(self) -> None:
        self._close()
        headers = {"last-event-id": self._cursor} if self._cursor else {}
        answer = self._stack.enter_context(
            self._transport.stream(
                "/v1/events",
                self._principal,
                params=None if self._waits else {"wait": "false"},
                headers=headers,
                silence=_SILENCE_SECONDS,
            )
        )
        if answer.headers.get("content-type", "").partition(";")[0] != _KIND:
            raise self._transport.no_node()
        self._socket = answer.extensions["network_stream"].get_extra_info("socket")
        self._blocks = _blocks(answer)
        first = next(self._blocks, _Block())
        if not first.id:
            raise self._transport.no_node()
        self._cursor = first.id

    def _open_again(self) -> None:
        pause, longest = _PAUSE_SECONDS
        while not self._ended.wait(min(pause * 2**self._tries, longest)):
            self._tries += 1
            try:
                self._open()
            except _PASSING:
                if self._tries >= _TRIES:
                    raise
            else:
                break
        if self._tries > _TRIES:
            raise Unreachable(f"The node at {self._transport.shown} ends each stream of events.")

    def _close(self) -> None:
        self._socket = None
        self._blocks = iter(())
        stack, self._stack = self._stack, ExitStack()
        with suppress(Unreachable):
            stack.close()

    def _told(self) -> _Portion | None:
        """Read on to the next id; ``None`` at the end of the stream.

        More than a node tells at once comes without an id.
        """
        blocks: list[_Block] = []
        with self._transport.faults():
            for block in self._blocks:
                self._tries = 0
                if block.event in _KINDS:
                    blocks.append(block)
                if len(blocks) > MAX_EVENTS:
                    return _Portion((), "")
                if block.id:
                    self._cursor = block.id
                    if blocks or not self._waits:
                        return _Portion(tuple(blocks), block.id)
        return None


def _blocks(answer: httpx.Response) -> Iterator[_Block]:
    block = _Block()
    for line in answer.iter_lines():
        name, _, value = line.partition(":")
        if not line:
            yield block
            block = _Block()
        elif name in _Block._fields:
            block = block._replace(**{name: value.removeprefix(" ")})


def _event(block: _Block) -> Event:
    def shaped(data: Any) -> Event:  # noqa: ANN401 - any JSON
        told = json.loads(data)
        version = told.get("version")
        return Event(
            block.event,
            "" if block.event == AUDIENCE else str(told["id"]),
            None if version is None else int(version),
        )

    return read(shaped, block.data)
