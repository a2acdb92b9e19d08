"""Receipts: who took in what was taken back, by its own word, and where copies are outstanding.

Of each peer to which this node gave something out, or may have, is told: *acknowledged*, if it said
itself that it took the taking back in; *outstanding*, if not; *unreachable*, if it has not and the
last try failed; *still shared*, if it may read it all the same; *never sent*. A node speaks for
itself alone: what a peer handed on it takes back itself, and the receipts of that are there. And no
node can tell what somebody copied out of it.

Owners see the receipts of their own memories, of the peers that these were sent to; the operator
sees all, which is audited.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from agent_memory_os.errors import Busy, InvalidInput
from agent_memory_os.federation.exchange.local import Local
from agent_memory_os.model.principal import Principal
from agent_memory_os.model.routing.receipt import UNSENT
from agent_memory_os.service.context import Context
from agent_memory_os.service.memory.right import not_found
from agent_memory_os.service.named import find_anybody, find_scope
from agent_memory_os.service.peers.exchange.holder import Holder, Receipt
from agent_memory_os.service.peers.identity import local_of
from agent_memory_os.store.database import Snapshot
from agent_memory_os.store.exchange import settle
from agent_memory_os.store.peer import peers, receipts

_TRIES = 20
Holders = tuple[Holder, ...]


class Receipts:
    """What peers said of what was taken back."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def list(self, principal: Principal) -> tuple[Receipt, ...]:
        """Return how it stands with each peer, of all that was taken back and one may know of."""
        with self._seeing(principal) as (snapshot, holders, who):
            left = {name for one in holders for name in one.left()}
            found = {*receipts.taken(snapshot)}.union(
                *(receipts.standing(snapshot, name) for name in left)
            )
            return _told(snapshot, holders, who, _owned(snapshot, who, found))

    def get(self, principal: Principal, memory_id: str) -> tuple[Receipt, ...]:
        """Return how it stands with each peer, of one memory of one's own.

        It is found by its id, or by the first characters of it, though it was erased. Raises
        :class:`NotFound` for any other.
        """
        with self._seeing(principal) as (snapshot, holders, who):
            return _told(snapshot, holders, who, [_found(snapshot, who, memory_id)])

    def left(self, agent: str, scope_name: str) -> tuple[Receipt, ...]:
        """Return how it stands with the peers of an agent's account, of a scope that it left.

        That is the operator's by nature, as taking somebody out is.
        """
        with self._seeing(Principal.operator()) as (snapshot, holders, who):
            account = find_anybody(snapshot, agent).account
            found = receipts.standing(snapshot, find_scope(snapshot, scope_name))
            return _told(snapshot, [one for one in holders if one.account == account], who, found)

    @contextmanager
    def _seeing(self, principal: Principal) -> Iterator[tuple[Snapshot, Holders, Principal]]:
        """Open a snapshot in which all is placed, so that no number in it is an old one.

        Who may not act here is nobody in it. Where there never was a peer, nothing is placed.
        """
        local = local_of(self._context)
        with local.database.read() as snapshot:
            is_alone = not (peers.every(snapshot) or receipts.former(snapshot))
        for _ in range(_TRIES):
            if not is_alone:
                settle.refresh(local.database)
            with self._context.seeing(principal, "receipts") as (snapshot, gate):
                if is_alone or not receipts.is_unsettled(snapshot):
                    yield snapshot, _holders(local, snapshot), gate.sight.principal
                    return
        raise Busy("Too much is being written at the moment; try again later.")


def _holders(local: Local, snapshot: Snapshot) -> Holders:
    known = (Holder(local, snapshot, one) for one in peers.every(snapshot))
    former = (Holder.former(local, snapshot, one) for one in receipts.former(snapshot))
    return (*known, *former)


def _told(
    snapshot: Snapshot, holders: Iterable[Holder], principal: Principal, memories: Iterable[str]
) -> tuple[Receipt, ...]:
    places = receipts.places(snapshot, memories)
    found = (one.receipt(places) for one in holders)
    # Who the other peers are is the operator's to know.
    return tuple(one for one in found if principal.is_operator or one.state != UNSENT)


def _owned(snapshot: Snapshot, principal: Principal, memories: Iterable[str]) -> set[str]:
    """Return those of some memories of which a principal may know how they were taken back."""
    if principal.is_operator:
        return {*memories}
    return receipts.owned(snapshot, memories, principal.agent or "")


def _found(snapshot: Snapshot, principal: Principal, text: str) -> str:
    """Return the whole id of a memory of which a principal may know this."""
    known = receipts.begun(snapshot, text) if text.startswith("mem_") else []
    found = {memory for memory, owner in known if principal.is_operator or owner == principal.agent}
    if text in found:
        return text
    if len(found) > 1:
        raise InvalidInput(f"{text} begins more than one id; write more of it.")
    if not found:
        raise not_found(text)
    return found.pop()
