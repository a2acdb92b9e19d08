"""What others ended or said of the organisation, as they signed it, for another state of the node.

A node that is restored from a backup must not show again what was taken back since. Its own account
says so once more; what others signed is taken over as it is, by the rules by which it came.
"""

from __future__ import annotations

from agent_memory_os.errors import DamagedDatabase
from agent_memory_os.model.authority.memory import is_ending
from agent_memory_os.model.register import DEVICE, TEAM_ADMIN
from agent_memory_os.store.database import Database, Snapshot
from agent_memory_os.store.exchange import settle
from agent_memory_os.store.exchange.arrival import Arrival, arrived
from agent_memory_os.store.exchange.chart import Charts
from agent_memory_os.store.exchange.held import HeldRegister, Reader
from agent_memory_os.store.exchange.settle import Parcel
from agent_memory_os.store.node import identity
from agent_memory_os.store.queries import Queries
from agent_memory_os.value import NamedTuple

_sql = Queries("exchange")


class Ended(NamedTuple):
    """What others said; ``is_whole`` tells whether all of it could be read."""

    parcel: Parcel
    is_whole: bool

    def adds_to(self, before: Ended) -> bool:
        """Say whether more was said than before."""
        known = {one.name for one in before.parcel.arrivals}
        return any(one.name not in known for one in self.parcel.arrivals)


def read(database: Database, since: int = 0) -> Ended:
    """Return what others said of the organisation, and what they ended after a change."""
    try:
        with database.read() as snapshot:
            return Ended(_parcel(snapshot, since), is_whole=True)
    except DamagedDatabase:
        return Ended(Parcel([], []), is_whole=False)


def carry(database: Database, said: Ended) -> None:
    """Take it into another state of the same node, and judge by it what is there."""
    if not said.parcel.arrivals:
        return
    with database.write() as transaction:
        settle.take(transaction, said.parcel, None, Charts())
    settle.refresh(database)


def _parcel(snapshot: Snapshot, since: int) -> Parcel:
    node = identity(snapshot)
    if node is None or not snapshot.value(_sql["any_source"]):
        return Parcel([], [])
    reader = Reader(snapshot)
    objects = [row[0] for row in snapshot.rows(_sql["ended_since"], (since,))]
    about = [one for held in reader.of(objects).values() for one in held]
    found = [
        *(
            _arrival(one)
            for one in reader.organisation()
            if _is_signed(one, node.account) or _is_act(one)
        ),
        *(
            _arrival(one)
            for one in about
            if _is_signed(one, node.account) and is_ending(one.register)
        ),
    ]
    return Parcel(found, [*reader.lists().values()])


def _is_act(held: HeldRegister) -> bool:
    """Say whether somebody handed a team over, took one back or revoked a device, and signed it.

    This account's own acts of that kind go on as they are: another device's cannot be said anew.
    """
    register = held.register
    is_device = register.group.startswith(DEVICE) and register.value["state"] == "revoked"
    return held.signature is not None and (is_device or register.group == TEAM_ADMIN)


def _is_signed(held: HeldRegister, account: str) -> bool:
    return held.signature is not None and held.register.author != account


def _arrival(held: HeldRegister) -> Arrival:
    # Its line is kept of what is refused or waits; of what was taken in before, nothing is.
    return arrived(held.name, held.register, held.signature or b"", b"")
