"""What every service needs, chosen by ``wiring`` and passed down as plain values."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from agent_memory_os.model.identifier import NONCE_BYTES
from agent_memory_os.model.principal import Principal
from agent_memory_os.store.database import Database, Snapshot
from agent_memory_os.store.gate import Gate, open_gate
from agent_memory_os.value import NamedTuple

OPERATOR = "operator"


class Context(NamedTuple):
    """The database, the source of random bytes, and the home's folder."""

    database: Database
    entropy: Callable[[int], bytes]
    home: str

    def nonce(self) -> str:
        """Return a fresh random nonce, in hex."""
        return self.entropy(NONCE_BYTES).hex()

    @contextmanager
    def seeing(self, principal: Principal, act: str) -> Iterator[tuple[Snapshot, Gate]]:
        """Open a snapshot and the principal's gate in it, for a read of memories.

        The operator's view is written to the audit before anything is seen.
        """
        if principal.is_operator:
            from agent_memory_os.store import audit

            with self.database.write() as transaction:
                audit.add(transaction, OPERATOR, act, "")
        with self.database.read() as snapshot:
            yield snapshot, open_gate(snapshot, principal)


def actor_of(principal: Principal) -> str:
    """Return who acts, as registers and the audit say it."""
    return principal.agent or OPERATOR
