"""Lists of what remains of somebody's registers, kept beside what names them.

They are worked out in the transaction that removes, hands over or revokes, of what is held as valid
then: what the one who acts has not seen is not on them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from agent_memory_os.model.authority import kept, write
from agent_memory_os.model.authority.judged import View
from agent_memory_os.model.authority.kept import Kept
from agent_memory_os.model.register import Register
from agent_memory_os.store.database import Snapshot
from agent_memory_os.store.exchange import chart
from agent_memory_os.store.exchange.held import Reader
from agent_memory_os.store.exchange.log import came_after
from agent_memory_os.store.queries import Queries
from agent_memory_os.store.write import Writer
from agent_memory_os.value import NamedTuple

_sql = Queries("exchange")


class Spared(NamedTuple):
    """What the revocation of a device leaves, and what of the device's registers it voids."""

    kept: Kept
    voided: tuple[Register, ...]


def lists_of(writer: Writer, object_id: str, agent: str) -> list[str]:
    """Keep the lists of a member's removal from a team or project; return their digests."""
    transaction = writer.transaction
    view = chart.read(transaction).view
    owned = [row[0] for row in transaction.rows(_sql["written_by"], (agent,))]
    registers = {
        one.name: one.register for held in Reader(transaction).of(owned).values() for one in held
    }
    return keep(writer, write.frozen(view.about(registers), object_id, agent))


def remaining_of(writer: Writer, team: str) -> list[str]:
    """Keep the lists of a team's hand-over or recovery; return their digests."""
    return keep(writer, write.remaining(chart.read(writer.transaction).view, team))


def keep(writer: Writer, lists: Iterable[Kept]) -> list[str]:
    """Keep lists; return their digests, in order."""
    names: list[str] = []
    for one in lists:
        names.append(kept.digest(one))
        body = bytearray(kept.entries_bytes(one))
        writer.transaction.execute(_sql["keep_list"], (names[-1], one.scope, body))
    return sorted(names)


def spared(snapshot: Snapshot, account: str, device: str, stolen_at: int | None) -> Spared:
    """Return what remains of a device of an account, and what does not.

    With the date of a theft, whatever came here after it is left off.
    """
    held, numbers = _written(snapshot, device)
    cut = None if stolen_at is None else came_after(snapshot, stolen_at)
    received = {name for name, number in numbers.items() if cut is None or number < cut}
    view = View(held, {})
    left = write.spared(view, account, device, received)
    names = {entry.digest for entry in left.entries}
    return Spared(left, tuple(one for name, one in held.items() if name not in names))


def _written(snapshot: Snapshot, device: str) -> tuple[dict[str, Register], dict[str, int]]:
    """Return what is held of a device's registers by their digests, and their numbers."""
    reader = Reader(snapshot)
    held: dict[str, Register] = {}
    numbers: dict[str, int] = {}
    every = [reader.organisation()]
    for names in _objects(snapshot, device):
        every += reader.of(names).values()
    for one in (one for registers in every for one in registers):
        if one.register.device == device:
            held[one.name], numbers[one.name] = one.register, one.lseq
    return held, numbers


def _objects(snapshot: Snapshot, device: str) -> Iterator[list[str]]:
    after = ""
    while rows := snapshot.rows(_sql["written_by_device"], (device, after)):
        yield [row[0] for row in rows]
        after = rows[-1][0]
