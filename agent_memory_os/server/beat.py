"""The beat: while a node is served, it exchanges with its peers that have a URL, each minute or so.

Between beats it looks at the file. Where something was shared or taken back, by whatever process or
peer, the peers to which that is owed are spoken with at once: they are *poked*. One that could not
be reached waits for its beat. While much is shared, pokes take a small part of the time alone; what
takes back waits for none of that.

It runs in a thread of its own, with a node of its own, so that no request ever waits for it. A peer
that cannot be reached is tried less and less often, up to once in half an hour; one that is added
or changed meanwhile is tried at the next beat. Of many members of a team that nobody added two take
their turn, by chance. ``sync = "off"`` in ``node.toml`` holds it back.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

from agent_memory_os import wiring
from agent_memory_os.errors import AgentMemoryError, DamagedDatabase
from agent_memory_os.service.node import LocalNode
from agent_memory_os.service.peers.exchange import poke
from agent_memory_os.service.peers.exchange.sync import BUSY, FAILED
from agent_memory_os.service.peers.mesh import turns
from agent_memory_os.settings import OFF, Settings, node_file

log = logging.getLogger("agent_memory_os.peers")

SECONDS = 60.0
"""From one beat to the next; up to half as long again, at random."""

LOOK_SECONDS = 0.4
"""How often the file is looked at for what was shared or taken back."""

_TOGETHER_SECONDS = 0.2
"""How long what follows is waited for, so that it goes together."""
_REST = 9.0
"""By how many times as long as pokes took no further ones are made of what is shared."""
_END_SECONDS = 2.0


class Told(NamedTuple):
    """What the members of one's teams are told: where this node is reached, and its name."""

    url: str
    called: str


class Beat:
    """Exchanges with peers until it is stopped; ``chance`` gives a number in ``[0, 1)``.

    ``told`` is what others are told of this node, if it is known.
    """

    def __init__(
        self,
        settings: Settings,
        chance: Callable[[], float] = wiring.chance,
        seconds: float = SECONDS,
    ) -> None:
        self.told: Told | None = None
        self._settings = settings
        self._chance = chance
        self._seconds = seconds
        self._ending = threading.Event()
        self._seen: int | None = None
        self._is_pending = False
        self._rests_until = 0.0
        self._watching: LocalNode | None = None
        # What it does half way when the process ends is undone in the file, like after a crash.
        self._thread = threading.Thread(target=self._run, name="beat", daemon=True)

    def start(self) -> None:
        """Begin; the first beat comes after a while."""
        self._thread.start()

    def stop(self) -> None:
        """End soon; what waits for a peer is not waited for."""
        self._ending.set()
        self._thread.join(_END_SECONDS)

    def tell(self, told: Told) -> None:
        """Tell others of this node now; where that fails it is told at the next beat."""
        self.told = told
        with suppress(AgentMemoryError, OSError):
            opened = self._open()
            try:
                self._tell(opened)
            finally:
                opened.close()

    def _open(self) -> LocalNode:
        """Open the node; one whose file is gone, or empty, is not made anew here."""
        if not os.path.getsize(self._settings.database):
            raise DamagedDatabase(f"{self._settings.database} is empty, and no node.")
        return wiring.open_node(self._settings)

    def _tell(self, opened: LocalNode) -> None:
        if self.told is not None:
            turns.tell(opened.context, *self.told)

    def _run(self) -> None:
        try:
            due = self._next()
            while not self._ending.wait(min(LOOK_SECONDS, self._seconds)):
                with suppress(AgentMemoryError, OSError):
                    self.look()
                if time.monotonic() >= due:
                    due = self._next()
                    with suppress(AgentMemoryError, OSError):
                        self.once()
        finally:
            self._leave()

    def _next(self) -> float:
        return time.monotonic() + self._seconds * (1 + self._chance() / 2)

    def once(self) -> None:
        """Exchange with every peer whose turn it is."""
        is_held = node_file(self._settings.home).sync == OFF
        opened = self._open()
        try:
            self._tell(opened)
            # Who is in a team with this account is answered, though nobody is asked.
            due = turns.due(opened.context)
            if not is_held:
                self._exchange(opened, due)
        finally:
            opened.close()

    def look(self) -> None:
        """Look whether anything was shared or taken back; poke the peers that are to hear of it."""
        try:
            opened = self._watched()
            found = poke.news(opened.context, self._seen)
            self._seen = found.number
            self._is_pending |= found.is_shared
            is_due = found.is_ending or time.monotonic() >= self._rests_until
            if self._is_pending and is_due and not self._ending.wait(_TOGETHER_SECONDS):
                self._poke(opened)
        except (AgentMemoryError, OSError):
            # The home may have another file by now.
            self._leave()
            raise

    def _poke(self, opened: LocalNode) -> None:
        """Exchange at once with the peers to which something is owed."""
        if node_file(self._settings.home).sync == OFF:
            self._is_pending = False
            return
        began = time.monotonic()
        # Who is spoken with by another process just now may have been sent less. Where this fails,
        # because others write just then, it is made good at the next look.
        self._is_pending = BUSY in self._exchange(opened, poke.owed(opened.context))
        self._rests_until = time.monotonic() + _REST * (time.monotonic() - began)

    def _watched(self) -> LocalNode:
        if self._watching is None:
            self._watching = self._open()
        return self._watching

    def _leave(self) -> None:
        if self._watching is not None:
            self._watching.close()
            self._watching = None

    def _exchange(self, opened: LocalNode, due: list[str]) -> set[str]:
        """Exchange with some peers, by their devices; return what came of that."""
        states: set[str] = set()
        for device in due:
            if self._ending.is_set():
                break
            for done in opened.sync.run([device]):
                states.add(done.state)
                more = {"peer": done.device, "taken": done.taken, "sent": done.sent}
                if done.state == FAILED:
                    log.warning("a peer could not be reached", extra=more)
                elif done.taken or done.sent:
                    log.info("exchanged", extra=more)
        return states
