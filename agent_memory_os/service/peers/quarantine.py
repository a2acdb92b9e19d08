"""What peers sent and this node could not take: kept to be looked at, and sent to nobody.

What a line says may be of a memory that no agent here may read. So it is shown to the operator
alone, who asks for it as such, and that is written to the audit; who sent it, when, how long it is
and why it was not taken is the operator's by nature, like all that is about peers.
"""

from __future__ import annotations

from collections.abc import Iterable

from agent_memory_os.errors import NotAllowed, NotFound, Refused
from agent_memory_os.federation.exchange.absorb import Absorber
from agent_memory_os.model.principal import Principal
from agent_memory_os.service.context import OPERATOR, Context
from agent_memory_os.service.peers.identity import local_of
from agent_memory_os.store import audit
from agent_memory_os.store.database import Snapshot
from agent_memory_os.store.exchange import settle
from agent_memory_os.store.peer import peers
from agent_memory_os.store.peer.peers import Aside
from agent_memory_os.value import NamedTuple

NOT_FOR_AGENTS = "What is in quarantine is for the operator to look at."


class AsideView(NamedTuple):
    """A line in quarantine: its number, who sent it and when, why it was not taken, its size.

    ``peer`` is the name of who sent it, or its fingerprint where it is no peer any more.
    """

    id: int
    peer: str
    at: int
    reason: str
    size: int


class Retried(NamedTuple):
    """What came of trying lines again: how many were taken, and how many are still aside."""

    taken: int
    aside: int


class Quarantine:
    """Every act on what could not be taken."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._database = context.database

    def list(self) -> tuple[AsideView, ...]:
        """Return what is in quarantine, newest first, without what it says."""
        with self._database.read() as snapshot:
            names = {peer.device: peer.name for peer in peers.every(snapshot)}
            return tuple(_view(one, names) for one in peers.aside(snapshot))

    def show(self, principal: Principal, number: int) -> str:
        """Return what a line says, as far as it was kept.

        Raises :class:`NotAllowed` for whoever is not the operator.
        """
        if not principal.is_operator:
            raise NotAllowed(NOT_FOR_AGENTS)
        with self._database.write() as transaction:
            found = _one(transaction, number)
            audit.add(transaction, OPERATOR, "quarantine show", "", str(number))
        return found.line.decode(errors="replace").rstrip("\n")

    def drop(self, numbers: Iterable[int] | None = None) -> int:
        """Drop some lines, or all of them; return how many."""
        with self._database.write() as transaction:
            known = {one.id for one in peers.aside(transaction)}
            wanted = sorted(known) if numbers is None else list(dict.fromkeys(numbers))
            for number in wanted:
                if number not in known:
                    raise _not_found(number)
                peers.let_go(transaction, number)
            audit.add(transaction, OPERATOR, "quarantine drop", "", f"{len(wanted)} lines")
        return len(wanted)

    def retry(self, numbers: Iterable[int] | None = None) -> Retried:
        """Try to take some lines again, or all of them: what they waited for may be here now.

        Raises :class:`Refused` for a line that was too long to be kept whole, or of nobody who is a
        peer now.
        """
        local = local_of(self._context)
        with self._database.read() as snapshot:
            held = {one.id: one for one in peers.aside(snapshot)}
            wanted = [one for one in held.values() if _is_whole(one)]
            if numbers is not None:
                wanted = [_whole(held, number) for number in dict.fromkeys(numbers)]
            known = {peer.device: peer for peer in peers.every(snapshot)}
        taken = 0
        for device in sorted({one.peer for one in wanted}):
            peer = known.get(device)
            if peer is not None:
                lines = [one for one in reversed(wanted) if one.peer == device]
                absorber = Absorber(local, peer)
                absorber.take_aside(lines)
                taken += absorber.found.taken
            elif numbers is not None:
                raise Refused(f"{device} is no peer any more, so nothing of it is taken.")
        settle.refresh(self._database)
        with self._database.read() as snapshot:
            return Retried(taken, peers.count_aside(snapshot))


def _view(one: Aside, names: dict[str, str]) -> AsideView:
    return AsideView(one.id, names.get(one.peer, one.peer), one.at, one.reason, one.size)


def _one(snapshot: Snapshot, number: int) -> Aside:
    for one in peers.aside(snapshot):
        if one.id == number:
            return one
    raise _not_found(number)


def _not_found(number: int) -> NotFound:
    return NotFound(f"There is nothing with the number {number} in quarantine.")


def _is_whole(one: Aside) -> bool:
    return len(one.line) == one.size


def _whole(held: dict[int, Aside], number: int) -> Aside:
    if number not in held:
        raise _not_found(number)
    if not _is_whole(held[number]):
        raise Refused(f"The line {number} was too long to be kept whole, and cannot be taken.")
    return held[number]
