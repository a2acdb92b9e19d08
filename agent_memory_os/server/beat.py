"""The beat: while a node is served, it exchanges with its peers that have a URL, each minute or so.

It runs in a thread of its own, with a node of its own, so that no request ever waits for it. A peer
that cannot be reached is tried less and less often, up to once in half an hour; one that is added
or changed meanwhile is tried at the next beat. Of many members of a team that nobody added two take
their turn, by chance. ``sync = "off"`` in ``node.toml`` holds it back.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

from agent_memory_os import wiring
from agent_memory_os.errors import AgentMemoryError
from agent_memory_os.service.node import LocalNode
from agent_memory_os.service.peers.exchange.sync import FAILED
from agent_memory_os.service.peers.mesh import turns
from agent_memory_os.settings import OFF, Settings, node_file

log = logging.getLogger("agent_memory_os.peers")

SECONDS = 60.0
"""From one beat to the next; up to half as long again, at random."""

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
            opened = wiring.open_node(self._settings)
            try:
                self._tell(opened)
            finally:
                opened.close()

    def _tell(self, opened: LocalNode) -> None:
        if self.told is not None:
            turns.tell(opened.context, *self.told)

    def _run(self) -> None:
        while not self._ending.wait(self._seconds * (1 + self._chance() / 2)):
            with suppress(AgentMemoryError, OSError):
                self.once()

    def once(self) -> None:
        """Exchange with every peer whose turn it is."""
        is_held = node_file(self._settings.home).sync == OFF
        opened = wiring.open_node(self._settings)
        try:
            self._tell(opened)
            # Who is in a team with this account is answered, though nobody is asked.
            due = turns.due(opened.context)
            if not is_held:
                self._exchange(opened, due)
        finally:
            opened.close()

    def _exchange(self, opened: LocalNode, due: list[str]) -> None:
        for device in due:
            if self._ending.is_set():
                return
            for done in opened.sync.run([device]):
                more = {"peer": done.device, "taken": done.taken, "sent": done.sent}
                if done.state == FAILED:
                    log.warning("a peer could not be reached", extra=more)
                elif done.taken or done.sent:
                    log.info("exchanged", extra=more)
