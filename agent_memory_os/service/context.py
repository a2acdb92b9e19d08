"""What every service needs, chosen by ``wiring`` and passed down as plain values."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from agent_memory_os.errors import BadFleetFile, ClockWrong
from agent_memory_os.model.identifier import NONCE_BYTES
from agent_memory_os.model.principal import Principal
from agent_memory_os.store.database import Database, Snapshot
from agent_memory_os.store.gate import Gate, open_gate
from agent_memory_os.value import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from agent_memory_os.service.memory.room import Room
    from agent_memory_os.store.write import Writer

OPERATOR = "operator"

CLOCK_LIMIT_MS = 300_000
"""A node whose clock is further than this from its peers' shares nothing."""

USUAL_PORT = 8765
"""Where a node is served unless somebody names another port, or another one is there."""

NODE_FILE = "node.toml"
"""Where a person says who acts where nobody is named, in the home."""

FLEET_FILE = "agents.toml"
"""Where a person declares the fleet, in the home."""


class Context(NamedTuple):
    """The database, the source of random bytes, and the home's folder.

    ``fault`` says what is wrong with the fleet file as it lies there, if anything is. ``room`` is
    how many memories the acting agent may own, where its key has a limit.
    """

    database: Database
    entropy: Callable[[int], bytes]
    home: str
    fault: str = ""
    room: Room | None = None

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

    @contextmanager
    def widening(self) -> Iterator[Writer]:
        """Open a transaction that may add something, or show it to somebody.

        While the fleet file has a fault, nobody knows who should be in which team: then it raises
        :class:`BadFleetFile`. What narrows (revoke, forget, erase, leave) is never held up.
        """
        from agent_memory_os.store.write import writing

        if self.fault:
            raise BadFleetFile(self.fault)
        if self.room is None:
            with writing(self.database) as writer:
                yield writer
            return
        from agent_memory_os.service.memory.room import writing_within

        with writing_within(self.database, self.room) as writer:
            yield writer


def check_clock(snapshot: Snapshot) -> None:
    """Raise :class:`ClockWrong` where this node's clock is too far from that of its peers.

    What it shared would be parked by them for as long as it is ahead, or lose to what was written
    before. What narrows is never held up, and neither is what is private.
    """
    from agent_memory_os.store.peer import peers

    ahead = peers.offset(snapshot)
    if ahead is not None and abs(ahead) > CLOCK_LIMIT_MS:
        side = "behind" if ahead > 0 else "ahead of"
        raise ClockWrong(
            f"The clock of this node is {abs(ahead) // 1000:,} seconds {side} that of its peers, "
            "so nothing is shared: set it right, and exchange with a peer again."
        )


def actor_of(principal: Principal) -> str:
    """Return who acts, as registers and the audit say it."""
    return principal.agent or OPERATOR
