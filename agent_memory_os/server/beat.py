"""The beat: while a node is served, it exchanges with its peers that have a URL, each minute or so.

It runs in a thread of its own, with a node of its own, so that no request ever waits for it. A peer
that cannot be reached is tried less and less often, up to once in half an hour; one that is added
or changed meanwhile is tried at the next beat. ``sync = "off"`` in ``node.toml`` holds it back.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from contextlib import suppress

from agent_memory_os import wiring
from agent_memory_os.errors import AgentMemoryError
from agent_memory_os.service.node import LocalNode
from agent_memory_os.service.peers.exchange.sync import DONE, FAILED
from agent_memory_os.settings import SYNC_OFF, Settings, node_file

log = logging.getLogger("agent_memory_os.peers")

SECONDS = 60.0
"""From one beat to the next; up to half as long again, at random."""

_MOST_BEATS = 30
_END_SECONDS = 2.0


class Beat:
    """Exchanges with peers until it is stopped; ``chance`` gives a number in ``[0, 1)``."""

    def __init__(
        self,
        settings: Settings,
        chance: Callable[[], float] = wiring.chance,
        seconds: float = SECONDS,
    ) -> None:
        self._settings = settings
        self._chance = chance
        self._seconds = seconds
        self._ending = threading.Event()
        self._failed: dict[tuple[str, str], int] = {}
        self._waits: dict[tuple[str, str], int] = {}
        # What it does half way when the process ends is undone in the file, like after a crash.
        self._thread = threading.Thread(target=self._run, name="beat", daemon=True)

    def start(self) -> None:
        """Begin; the first beat comes after a while."""
        self._thread.start()

    def stop(self) -> None:
        """End soon; what waits for a peer is not waited for."""
        self._ending.set()
        self._thread.join(_END_SECONDS)

    def _run(self) -> None:
        while not self._ending.wait(self._seconds * (1 + self._chance() / 2)):
            with suppress(AgentMemoryError, OSError):
                self.once()

    def once(self) -> None:
        """Exchange with every peer whose turn it is."""
        if node_file(self._settings.home).sync == SYNC_OFF:
            return
        opened = wiring.open_node(self._settings)
        try:
            self._exchange(opened)
        finally:
            opened.close()

    def _exchange(self, opened: LocalNode) -> None:
        for peer in opened.peers.list():
            key = (peer.device, peer.address.url)
            if not peer.address.url or self._ending.is_set() or not self._is_due(key):
                continue
            for done in opened.sync.run([peer.device]):
                more = {"peer": done.device, "taken": done.taken, "sent": done.sent}
                if done.state == FAILED:
                    self._put_off(key)
                    log.warning("a peer could not be reached", extra=more)
                elif done.state == DONE:
                    self._failed.pop(key, None)
                    if done.taken or done.sent:
                        log.info("exchanged", extra=more)

    def _is_due(self, key: tuple[str, str]) -> bool:
        waits = self._waits.get(key, 0)
        self._waits[key] = max(0, waits - 1)
        return waits == 0

    def _put_off(self, key: tuple[str, str]) -> None:
        times = self._failed[key] = self._failed.get(key, 0) + 1
        self._waits[key] = min(2**times - 1, _MOST_BEATS)
