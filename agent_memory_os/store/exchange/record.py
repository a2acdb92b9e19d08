"""One memory or link: what is kept of it, what is shown, and where it is placed, in one go.

Given what is held of an object and what has come, the rules say which versions are kept, which
content is shown and to whom; then the log, the view, the index and the routes are made so. Nothing
here decides; the same is done where nothing has come and only the organisation has changed.
"""

from __future__ import annotations

from collections.abc import Iterable

from agent_memory_os.model.authority.held import Named
from agent_memory_os.model.authority.judged import View
from agent_memory_os.model.memory import from_value, to_value
from agent_memory_os.model.register import CONTENT, GRANT, LIFE, Register
from agent_memory_os.model.routing.shown import Shown, shown, shown_link
from agent_memory_os.model.routing.slot import Slot, displaced, slot_of
from agent_memory_os.store import links, memories, organisation
from agent_memory_os.store.database import Transaction
from agent_memory_os.store.exchange import shelf
from agent_memory_os.store.exchange.chart import Chart
from agent_memory_os.store.exchange.held import HeldRegister
from agent_memory_os.store.exchange.log import Arrival, Logger
from agent_memory_os.store.exchange.route import Routes
from agent_memory_os.store.lexical import Indexer
from agent_memory_os.store.memory import put
from agent_memory_os.store.queries import Queries
from agent_memory_os.value import cast

_sql = Queries("exchange")
_memory_sql = Queries("memory")


class Records:
    """Settles objects in one transaction; :meth:`close` keeps totals."""

    def __init__(self, transaction: Transaction, chart: Chart, logger: Logger) -> None:
        self.transaction = transaction
        self.chart = chart
        self.logger = logger
        self.routes = Routes(transaction)
        self.indexer = Indexer(transaction)
        self._pins = frozenset(
            entry.digest for one in chart.view.held.lists.values() for entry in one.entries
        )

    def settle(
        self,
        object_id: str,
        held: Iterable[HeldRegister],
        arrivals: Iterable[Arrival] = (),
        ends: Iterable[HeldRegister] = (),
    ) -> None:
        """Take in what has come of an object; ``ends`` are the registers of a link's two ends."""
        kept, fresh = self._kept(list(held), arrivals)
        registers = {one.name: one.register for one in [*kept, *ends]}
        registers |= {one.name: one.register for one in fresh}
        view = self.chart.view.about(registers)
        if object_id.startswith("lnk_"):
            done = [*kept, *(self.logger.put(one, kept) for one in fresh)]
            self._show_link(view, object_id)
        else:
            done = self._settle_memory(view, object_id, kept, fresh)
        self.transaction.execute(_sql["settle"], (object_id,))
        names = {one.name: one for one in done}
        if names.keys() != registers.keys() and not ends:
            view = self.chart.view.about({name: one.register for name, one in names.items()})
        if names:
            self.routes.place(view, object_id, names)

    def close(self) -> None:
        """Keep the totals of the routes and of the index."""
        self.routes.close()
        self.indexer.close()

    def _kept(
        self, held: list[HeldRegister], arrivals: Iterable[Arrival]
    ) -> tuple[list[HeldRegister], list[Arrival]]:
        """Return which versions stay and which come new; what need not be kept is dropped."""
        known = {one.name: one for one in held}
        fresh: dict[str, Arrival] = {}
        for arrival in arrivals:
            if arrival.name in known:
                self.logger.sign(known[arrival.name], arrival.signature)
            else:
                fresh[arrival.name] = arrival
        if not fresh:
            return held, []
        versions = [(one.name, one.register) for one in held]
        versions += [(one.name, one.register) for one in fresh.values()]
        gone = _displaced(versions, self._pins)
        for name in gone & known.keys():
            self.logger.drop(known[name])
        stay = [one for one in held if one.name not in gone]
        return stay, [one for one in fresh.values() if one.name not in gone]

    def _settle_memory(
        self, view: View, memory: str, kept: list[HeldRegister], fresh: list[Arrival]
    ) -> list[HeldRegister]:
        if not kept and not fresh:
            return []
        account, owner = self.chart.account, view.held.proof(memory)[0]
        found = shown(view, account, memory, trusts=owner in self.chart.trusted)
        place = memories.place_of(self.transaction, memory)
        if found.is_spent or (place is None and found.is_dead):
            return self._drop_contents(memory, kept, fresh)
        row = place.row if place else None
        if found.content is None and not (found.is_dead and row is not None):
            return self._hide(memory, kept, fresh, row)
        done = self._written(kept, fresh, found, is_shown=row is not None)
        if found.content is not None:
            row, is_new = self._show(found.content[1], done)
            self.transaction.execute(_sql["unhide"], (memory,))
            self._grant(memory, row, found, done)
            if is_new:
                self._touch_links(memory)
            if owner == account:
                shelf.keep(self.transaction, memory, found.content[1], done)
        else:
            is_new = False
        self._live(done)
        self.indexer.refresh(cast("int", row), is_new=is_new)
        return done

    def _written(
        self, kept: list[HeldRegister], fresh: list[Arrival], found: Shown, *, is_shown: bool
    ) -> list[HeldRegister]:
        """Log what is new, each content's value with it or in the row, where that will say it."""
        said = found.content[1].value if found.content else None
        is_whole = said is not None and to_value(from_value(said)[0]) == said
        done: list[HeldRegister] = []
        for one in kept:
            if one.register.group == CONTENT:
                is_row = one.is_row if said is None else is_whole and one.register.value == said
                done.append(
                    one if is_row == one.is_row else self.logger.set_value(one, is_row=is_row)
                )
            else:
                done.append(one)
        for arrival in fresh:
            is_content = arrival.register.group == CONTENT
            is_row = is_content and is_whole and arrival.register.value == said
            done.append(self.logger.put(arrival, done, is_row=is_row))
        if not is_shown:
            self.transaction.execute(_sql["drop_proof"], (done[0].register.object,))
        return done

    def _show(self, register: Register, done: Iterable[HeldRegister]) -> tuple[int, bool]:
        owner = cast("int", organisation.agent_row(self.transaction, register.proof[1]))
        number = max(one.lseq for one in done if one.register.group == CONTENT)
        content = from_value(register.value)[0]
        return put.put_content(self.transaction, register, content, owner, number)

    def _hide(
        self, memory: str, kept: list[HeldRegister], fresh: list[Arrival], row: int | None
    ) -> list[HeldRegister]:
        """Show nothing of a memory, and keep all of it: what would show it may only not be here."""
        done = [self.logger.set_value(one, is_row=False) if one.is_row else one for one in kept]
        for arrival in fresh:
            done.append(self.logger.put(arrival, done))
        if done:
            self.logger.keep_proof(done[0].register)
            self.transaction.execute(_sql["hide"], (memory,))
        if row is not None:
            self._take_away(row)
        return done

    def _drop_contents(
        self, memory: str, kept: list[HeldRegister], fresh: list[Arrival]
    ) -> list[HeldRegister]:
        """Drop every content of a memory that is not to be kept here, and its row."""
        place = memories.place_of(self.transaction, memory)
        done: list[HeldRegister] = []
        for one in kept:
            if one.register.group == CONTENT:
                self.logger.drop(one)
            else:
                done.append(one)
        for arrival in fresh:
            if arrival.register.group != CONTENT:
                done.append(self.logger.put(arrival, done))
        if done:
            self.logger.keep_proof(done[0].register)
        if place is not None:
            self._take_away(place.row)
        self.transaction.execute(_sql["unhide"], (memory,))
        return done

    def _take_away(self, row: int) -> None:
        self.indexer.leave(row)
        self.transaction.execute(_memory_sql["erase"], (row,))

    def _live(self, done: Iterable[HeldRegister]) -> None:
        lives = [one.register for one in done if one.register.group == LIFE]
        last = max(lives, key=lambda one: (one.value["length"], one.stamp), default=None)
        if last is not None:
            put.put_life(self.transaction, last, cast("int", last.value["length"]))

    def _grant(self, memory: str, row: int, found: Shown, done: Iterable[HeldRegister]) -> None:
        held = memories.granted(self.transaction, row)
        for scope in sorted(found.scopes ^ held):
            holds = scope in found.scopes
            versions = [one.register for one in done if one.register.group == GRANT + scope]
            said = _newest_grant(versions, holds=holds)
            actor = str(said.value["by"]) if said else "operator"
            register = said or _unsaid(memory, scope)
            kind, _, object_id = scope.partition(":")
            organisation.put_scope(self.transaction, kind, object_id)
            put.put_grant(self.transaction, register, actor, holds=holds)

    def _show_link(self, view: View, link: str) -> None:
        found = shown_link(view, self.chart.account, link)
        if found is None:
            self.transaction.execute(Queries("link")["drop"], {"link": link})
        else:
            links.put(self.transaction, found[1])

    def _touch_links(self, memory: str) -> None:
        self.transaction.execute(_sql["stale_links"], {"memory": memory})


def _displaced(versions: list[Named], pins: frozenset[str]) -> set[str]:
    slots: dict[Slot, list[Named]] = {}
    for name, register in versions:
        slot = slot_of(register)
        if slot is not None:
            slots.setdefault(slot, []).append((name, register))
    rivals = [named for named in slots.values() if len(named) > 1]
    return {name for named in rivals for name in displaced(named, pins)}


def _newest_grant(versions: list[Register], *, holds: bool) -> Register | None:
    fitting = [one for one in versions if (one.value["length"] % 2 == 1) == holds]
    return max(fitting, key=lambda one: (one.value["length"], one.stamp), default=None)


def _unsaid(memory: str, scope: str) -> Register:
    """Return a stand-in for a grant that ended by no register of its own."""
    return Register(memory, GRANT + scope, "", "", 0, 0, {}, ())
