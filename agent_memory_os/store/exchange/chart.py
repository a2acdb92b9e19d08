"""The chart: what the organisation's registers mean now, and whose node this is.

It is worked out of all registers of accounts, agents, teams and projects, which are few beside
those of memories; records are then judged one by one on its ground.
"""

from __future__ import annotations

from agent_memory_os.model.authority.judged import View
from agent_memory_os.model.authority.park import due_at, waits
from agent_memory_os.model.register import DEVICE, Chain, Register, digest
from agent_memory_os.store import node
from agent_memory_os.store.database import Row, Snapshot
from agent_memory_os.store.exchange.held import HeldRegister, Reader
from agent_memory_os.store.node import Identity
from agent_memory_os.store.queries import Queries
from agent_memory_os.value import NamedTuple

_sql = Queries("exchange")


class Chart(NamedTuple):
    """The view of the organisation; the node's account, device and index (``origin``).

    ``entries`` are all registers of it by their digests, those that wait too. ``trusted`` are the
    accounts whose memories for everybody are shown here, ``pins`` the registers that lists name.
    """

    view: View
    account: str
    device: str
    origin: str
    entries: dict[str, HeldRegister]
    trusted: frozenset[str]
    pins: frozenset[str]

    @property
    def ripens_at(self) -> int | None:
        """When the next of its registers is due that wait; ``None`` where none does."""
        waiting = self.entries.keys() - self.view.held.registers.keys()
        return min((due_at(self.entries[name].register) for name in waiting), default=None)


class Charts:
    """Reads the chart, and keeps it for as long as nothing of the organisation changes.

    Whoever changes the entries of what it gives has one of its own; else several threads may read.
    """

    def __init__(self) -> None:
        self._held: tuple[Row, Chart] | None = None

    def read(self, snapshot: Snapshot) -> Chart:
        """Return the chart as it is in a snapshot."""
        version, held = snapshot.row(_sql["chart_version"]) or (), self._held
        if held is not None and held[0] == version:
            return held[1]
        chart = read(snapshot)
        # What waits may be due the next time, though nothing was written.
        is_kept = len(chart.view.held.registers) == len(chart.entries)
        self._held = (version, chart) if is_kept else None
        return chart

    def forget(self) -> None:
        """Read it anew the next time: something of it was signed."""
        self._held = None


def read(snapshot: Snapshot, now: int | None = None) -> Chart:
    """Return the chart of a node, as of a time that is not the snapshot's where one is named."""
    now = snapshot.now if now is None else now
    identity = node.identity(snapshot)
    if identity is None:  # pragma: no cover - a node is made in the transaction that makes its file
        raise LookupError("the file has no node")
    reader = Reader(snapshot)
    entries = {held.name: held for held in reader.organisation()}
    own = DEVICE + identity.device
    if not any(held.register.group == own for held in entries.values()):
        certificate = _expected(snapshot, identity)
        entries[certificate.name] = certificate
    last = node.last_stamp(snapshot)
    counting = {
        name: held.register for name, held in entries.items() if not waits(held.register, now, last)
    }
    trusted = frozenset(row[0] for row in snapshot.rows(_sql["trusted"]))
    lists = reader.lists()
    pins = frozenset(entry.digest for one in lists.values() for entry in one.entries)
    mine = (identity.account, identity.device, identity.incarnation)
    return Chart(View(counting, lists), *mine, entries, trusted, pins)


def _expected(snapshot: Snapshot, identity: Identity) -> HeldRegister:
    """Return the certificate that this node's own device has not got yet, which nobody signed.

    What the device wrote counts on itself: nothing of it may be hidden here until its account
    answers. It is never sent, for only the account's key could sign it.
    """
    sign, seal = snapshot.row(_sql["device_keys"], (identity.device,)) or ("", "")
    register = Register(
        identity.account,
        DEVICE + identity.device,
        identity.account,
        identity.device,
        0,
        1,
        {"state": "certified", "sign": sign, "seal": seal},
        node.account_keys(snapshot, identity.account),
        chain=Chain(""),
    )
    return HeldRegister(digest(register), register, 0, None, None, is_row=False, slot=0)
