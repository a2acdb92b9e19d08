"""What every service needs, chosen by ``wiring`` and passed down as plain values."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from agent_memory_os.model.identifier import NONCE_BYTES
from agent_memory_os.store.database import Database


class Context(NamedTuple):
    """The database, the source of random bytes, and the home's folder."""

    database: Database
    entropy: Callable[[int], bytes]
    home: str

    def nonce(self) -> str:
        """Return a fresh random nonce, in hex."""
        return self.entropy(NONCE_BYTES).hex()
