"""Rules that can be switched off on real stores, and what takes the place of each.

The product has no switch: a rule that is off is a patch of the one function that keeps it. Those
that judge are the variants of :mod:`tests.laws.mesh.rules`; the others stand here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest

from agent_memory_os.federation.exchange import asking, serve
from agent_memory_os.model.authority.held import Named
from agent_memory_os.model.authority.judged import View
from agent_memory_os.model.register import LOG, Register, rule_of
from agent_memory_os.model.routing import ask, purge, shown, slot
from agent_memory_os.model.routing import serve as served
from agent_memory_os.model.routing.cursor import Cursor
from agent_memory_os.store import node
from agent_memory_os.store.database import Snapshot, Transaction
from agent_memory_os.store.exchange import organise, record, route, settle
from agent_memory_os.store.exchange.chart import Chart, Charts
from agent_memory_os.store.exchange.held import HeldRegister
from agent_memory_os.store.peer import peers
from agent_memory_os.store.peer.peers import Peer
from tests.laws.mesh import rules as judges

Patch = pytest.MonkeyPatch


def _ever_audience(patch: Patch) -> None:
    whole = served.record

    def held(view: View, scope: str, memory: str) -> list[str]:
        return whole(view, scope, memory) if view.memories.holds(memory, scope) else []

    patch.setattr(served, "record", held)


def _asks(patch: Patch) -> None:
    patch.setattr(asking, "question", lambda *_: None)


def _asks_who_may_know(patch: Patch) -> None:
    def every(snapshot: Snapshot, chart: Chart, _: Peer) -> set[str]:
        return set(route.foreign_scopes(snapshot, chart.account))

    patch.setattr(ask, "may_know", lambda *_: True)
    patch.setattr(asking, "_scopes", every)


def _told(patch: Patch) -> None:
    patch.setattr(served, "told", lambda *_: [])


def _whole_record(patch: Patch) -> None:
    whole = serve.Server.served

    def newer(
        self: serve.Server, object_id: str, records: str, held: list[HeldRegister]
    ) -> list[HeldRegister]:
        found = whole(self, object_id, records, held)
        at = [one for name, one in self.want.cursors.items() if serve.records_of(name) == records]
        after = max((one.lseq for one in at if one.origin == self.chart.origin), default=0)
        return [one for one in found if one.lseq > after]

    patch.setattr(serve.Server, "served", newer)


def _new_number(patch: Patch) -> None:
    patch.setattr(route.Routes, "_number", lambda _self, _route, newest: newest)


def _cursor_with_chunk(patch: Patch) -> None:
    move = peers.move_cursor

    def moved(transaction: Transaction, peer: Peer, name: str, to: Cursor, _: int) -> None:
        held = peers.cursors(transaction, peer).get(name)
        move(transaction, peer, name, to, held.lseq if held else 0)

    patch.setattr(peers, "move_cursor", moved)


def _parked(patch: Patch) -> None:
    take = settle.take

    def dropped(
        transaction: Transaction, parcel: settle.Parcel, source: int | None, known: Charts
    ) -> list[settle.Refused]:
        found = take(transaction, parcel, source, known)
        transaction.execute("DELETE FROM parked")
        return found

    patch.setattr(settle, "take", dropped)


def _awaited(patch: Patch) -> None:
    def spent(
        view: View,
        account: str,
        memory: str,
        parked: Iterable[Register] = (),
        *,
        trusts: bool = False,
    ) -> bool:
        del parked
        return purge.is_spent(view, account, memory, trusts=trusts)

    patch.setattr(shown, "is_spent", spent)


def _new_index(patch: Patch) -> None:
    restart = node.restart

    def kept(transaction: Transaction, _: str, mark: str, seq: int, stamp: int) -> None:
        found = node.identity(transaction)
        assert found is not None
        restart(transaction, found.incarnation, mark, seq, stamp)

    patch.setattr(node, "restart", kept)


def _asked_anew(patch: Patch) -> None:
    patch.setattr(organise, "anew", lambda *_: [])


def _unknown_hides(patch: Patch) -> None:
    def spent(
        view: View,
        account: str,
        memory: str,
        parked: Iterable[Register] = (),
        *,
        trusts: bool = False,
    ) -> bool:
        del parked, trusts
        is_own = view.held.proof(memory)[0] == account
        return not is_own and not any(memory in view.reads(one) for one in view.agents(account))

    patch.setattr(shown, "is_spent", spent)


def _pinned(patch: Patch) -> None:
    displaced = slot.displaced

    def unpinned(versions: Iterable[Named], _: frozenset[str]) -> list[str]:
        return displaced(versions, frozenset())

    patch.setattr(record, "displaced", unpinned)


def _slots(make: Callable[[Register], slot.Slot | None]) -> Callable[[Patch], None]:
    def switch(patch: Patch) -> None:
        for module in (record, settle):
            patch.setattr(module, "slot_of", make)

    return switch


def _of_any_add(register: Register) -> slot.Slot | None:
    found = slot.slot_of(register)
    return (*found[:4], ()) if found else None


def _by_number(register: Register) -> slot.Slot | None:
    rule = rule_of(register.group)
    if rule is None or rule.merge != LOG:
        return slot.slot_of(register)
    number = (("seq", str(register.seq)),)
    return (register.object, register.group, register.author, register.device, number)


def _after_seen(patch: Patch) -> None:
    patch.setattr(settle, "moves_clock", lambda *_: False)


def _signed_again(patch: Patch) -> None:
    patch.setattr(settle, "_sign_again", lambda *_: None)


def _charge(patch: Patch) -> None:
    offered = served.offered

    def uncharged(view: View, account: str, *, is_own: bool = False) -> list[str]:
        found = offered(view, account, is_own=is_own)
        return [one for one in found if not one.startswith(served.CHARGE)]

    patch.setattr("agent_memory_os.model.routing.ceiling.offered", uncharged)


_ROUTED: dict[str, Callable[[Patch], None]] = {
    "ever audience": _ever_audience,
    "asks": _asks,
    "asks who may know": _asks_who_may_know,
    "told": _told,
    "whole record": _whole_record,
    "cursor with chunk": _cursor_with_chunk,
    "parked": _parked,
    "awaited": _awaited,
    "new index": _new_index,
    "new number": _new_number,
    "asked anew": _asked_anew,
    "unknown hides": _unknown_hides,
    "pinned versions": _pinned,
    "version for each add": _slots(_of_any_add),
    "log by digest": _slots(_by_number),
    "stamp after seen": _after_seen,
    "signed again": _signed_again,
    "charge": _charge,
}

_JUDGES = ("devices", "teams", "members", "memories")

RULES = {
    name: meaning
    for name, meaning in judges.RULES.items()
    if name in _ROUTED or name in judges.JUDGED
}
"""Every rule that can be switched off here, by its name, with what it says."""


def switch_off(rule: str, patch: Patch) -> None:
    """Put what takes a rule's place in for as long as a run lasts; nothing for no rule."""
    if rule in _ROUTED:
        _ROUTED[rule](patch)
    elif rule:
        variant = judges.view_without(rule)
        for name in _JUDGES:
            patch.setattr(View, f"judge_{name}", getattr(variant, f"judge_{name}"))
