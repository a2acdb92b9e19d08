"""What stays as it is when a backup is restored: the keys of the API, and who is a peer no more.

One that was revoked or removed since the backup would open the node again.
"""

from __future__ import annotations

from agent_memory_os.store import keys as api_keys
from agent_memory_os.store.database import Database, Transaction
from agent_memory_os.store.exchange import settle
from agent_memory_os.store.keys import Held
from agent_memory_os.store.peer import dealings
from agent_memory_os.store.peer.dealings import Dealings
from agent_memory_os.value import NamedTuple


class Stays(NamedTuple):
    """The keys of the API, and whom the file deals with."""

    keys: list[Held]
    dealings: Dealings

    def opens_as(self, other: Stays) -> bool:
        """Say whether both let the same in."""
        is_same = self.dealings.open == other.dealings.open
        return is_same and api_keys.opening(self.keys) == api_keys.opening(other.keys)


def read(database: Database) -> Stays:
    """Return what stays."""
    with database.read() as snapshot:
        return Stays(api_keys.every_held(snapshot), dealings.read(snapshot))


def put(transaction: Transaction, held: Stays) -> int:
    """Have it in another state of the node; return how many peers are dealt with otherwise."""
    api_keys.take_over(transaction, held.keys)
    count = dealings.carry(transaction, held.dealings)
    if count:
        settle.call_again(transaction)
    return count
