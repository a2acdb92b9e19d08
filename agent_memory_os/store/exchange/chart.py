"""The chart: what the organisation's registers mean now, and whose node this is.

It is worked out of all registers of accounts, agents, teams and projects, which are few beside
those of memories; records are then judged one by one on its ground.
"""

from __future__ import annotations

from agent_memory_os.model.authority.judged import View
from agent_memory_os.model.authority.park import waits
from agent_memory_os.store import node
from agent_memory_os.store.database import Snapshot
from agent_memory_os.store.exchange.held import HeldRegister, Reader
from agent_memory_os.store.queries import Queries
from agent_memory_os.value import NamedTuple

_sql = Queries("exchange")


class Chart(NamedTuple):
    """The view of the organisation; the node's account, device and index (``origin``).

    ``entries`` are all registers of it by their digests, those that wait too. ``trusted`` are the
    accounts whose memories for everybody are shown here.
    """

    view: View
    account: str
    device: str
    origin: str
    entries: dict[str, HeldRegister]
    trusted: frozenset[str]


def read(snapshot: Snapshot) -> Chart:
    """Return the chart of a node."""
    identity = node.identity(snapshot)
    if identity is None:  # pragma: no cover - a node is made in the transaction that makes its file
        raise LookupError("the file has no node")
    reader = Reader(snapshot)
    entries = {held.name: held for held in reader.organisation()}
    counting = {
        name: held.register
        for name, held in entries.items()
        if not waits(held.register, snapshot.now)
    }
    trusted = frozenset(row[0] for row in snapshot.rows(_sql["trusted"]))
    view = View(counting, reader.lists())
    return Chart(view, identity.account, identity.device, identity.incarnation, entries, trusted)
