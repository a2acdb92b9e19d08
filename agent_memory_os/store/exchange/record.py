"""One memory or link: what is kept of it, what is shown, and where it is placed, in one go.

Given what is held of an object and what has come, the rules say which versions are kept, which
content is shown and to whom; then the log, the view, the index and the routes are made so. Nothing
here decides; the same is done where nothing has come and only the organisation has changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from agent_memory_os.model.authority.held import Named
from agent_memory_os.model.authority.judged import View
from agent_memory_os.model.authority.plain import Plain
from agent_memory_os.model.authority.write import again
from agent_memory_os.model.memory import from_value, to_value
from agent_memory_os.model.register import CONTENT
from agent_memory_os.model.routing.shown import Shown, shown, shown_link
from agent_memory_os.model.routing.slot import Slot, displaced, slot_of
from agent_memory_os.store import links
from agent_memory_os.store.database import Transaction
from agent_memory_os.store.exchange.arrival import Arrival
from agent_memory_os.store.exchange.chart import Chart
from agent_memory_os.store.exchange.held import HeldPlain, HeldRegister
from agent_memory_os.store.exchange.known import Known
from agent_memory_os.store.exchange.log import Logger
from agent_memory_os.store.exchange.route import MODULUS, Routes
from agent_memory_os.store.exchange.show import Shower
from agent_memory_os.store.lexical import Indexer
from agent_memory_os.store.memories import Place
from agent_memory_os.store.peer import shelf
from agent_memory_os.store.queries import Queries

_sql = Queries("exchange")


class Records:
    """Settles objects in one transaction; :meth:`close` keeps what was put off to the end.

    ``known`` is what the file knows of the objects that are going to be settled.
    """

    def __init__(
        self, transaction: Transaction, chart: Chart, logger: Logger, known: Known
    ) -> None:
        self.transaction = transaction
        self.chart = chart
        self.logger = logger
        self.known = known
        self.routes = Routes(transaction, logger.fresh)
        self.indexer = Indexer(transaction)
        self.shower = Shower(transaction, self.indexer, chart.account)
        self.behind: list[str] = []
        """Memories of this account that a scope is shown an older content of, or none."""

    def settle(
        self,
        object_id: str,
        held: list[HeldRegister],
        arrivals: list[Arrival],
        ends: Iterable[HeldRegister] = (),
    ) -> None:
        """Take in what has come of an object; ``ends`` are the registers of a link's two ends."""
        if object_id not in self.known.met and self._settle_plain(arrivals):
            return
        self.shower.flush()
        kept, fresh = self._kept(held, arrivals)
        registers = {one.name: one.register for one in [*kept, *ends]}
        registers |= {one.name: one.register for one in fresh}
        view = self.chart.view.about(registers)
        if object_id.startswith("lnk_"):
            done = list(kept)
            for one in fresh:
                done.append(self.logger.put(one, done))
            self._show_link(view, object_id)
        else:
            done = self._settle_memory(view, object_id, kept, fresh)
        self._judged(object_id)
        names = {one.name: one for one in done}
        if len(names) != len(registers) and not ends:
            view = self.chart.view.about({name: one.register for name, one in names.items()})
        self.place(view, object_id, names)
        if object_id.startswith("mem_") and self._is_behind(view, object_id):
            self.behind.append(object_id)

    def _settle_plain(self, arrivals: list[Arrival]) -> bool:
        """Take a memory in of which nothing is here, where it is plain; say whether it was."""
        registers = {one.name: one.register for one in arrivals}
        plain = self.chart.view.plains.of(registers)
        if plain is None or len(registers) < len(arrivals) or not self._is_shown(plain):
            return False
        said = next(one for one in arrivals if one.name == plain.name)
        if said.content is None:
            return False
        done = [self.logger.put(one, (), is_row=one.name == plain.name) for one in arrivals]
        number = next(one.lseq for one in done if one.name == plain.name)
        self.shower.add_plain(plain, said.content, said.words, number)
        self._place_plain(plain, done)
        return True

    def _is_shown(self, plain: Plain) -> bool:
        owner, account = plain.content.author, self.chart.account
        trusts = owner in self.chart.trusted
        return owner == account or self.chart.view.plains.reaches(
            account, plain.scope, trusts=trusts
        )

    def _place_plain(self, plain: Plain, done: list[HeldRegister]) -> None:
        """Place a memory that came just now, and is plain."""
        mark = sum([int(one.name, 16) for one in done]) % MODULUS
        self.routes.place_plain(plain, plain.content.object, mark, done[-1].lseq, done[-1].source)

    def place_plain(self, memory: str, held: HeldPlain) -> bool:
        """Place a memory that is plain, as it is held; say whether that was done.

        One that is placed already is placed as any other.
        """
        if memory in self.known.records:
            return False
        pieces = held.pieces
        mark = sum([int.from_bytes(one.digest, "big") for one in pieces]) % MODULUS
        newest = max([one.lseq for one in pieces])
        sources = {one.source for one in pieces}
        source = sources.pop() if len(sources) == 1 else None
        self.routes.place_plain(held.form.first, memory, mark, newest, source)
        return True

    def keep(self, object_id: str, held: list[HeldRegister], arrivals: Iterable[Arrival]) -> None:
        """Keep what is said of an object of an unknown kind: nothing of it is shown or served."""
        done = list(held)
        for arrival in arrivals:
            if arrival.name not in {one.name for one in done}:
                done.append(self.logger.put(arrival, done))
        self._judged(object_id)

    def _judged(self, object_id: str) -> None:
        if object_id in self.known.stale:
            self.transaction.execute(_sql["settle"], (object_id,))

    def _is_behind(self, view: View, memory: str) -> bool:
        proof = view.held.proof(memory)
        return bool(proof) and proof[0] == self.chart.account and bool(again(view, memory))

    def place(self, view: View, object_id: str, held: Mapping[str, HeldRegister]) -> None:
        """Place an object as it is held."""
        if held:
            self.routes.place(view, object_id, held, self.known.records.get(object_id, {}))

    def flush(self) -> None:
        """Write down what was put off of plain memories: before anything is read again."""
        self.shower.flush()
        self.logger.flush()

    def close(self) -> None:
        """Write down what was put off, and the totals of the routes and of the index."""
        self.routes.close()
        self.logger.flush()
        self.shower.close()
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
        gone = _displaced(versions, self.chart.pins)
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
        parked = self.known.parked.get(memory, ())
        trusts = owner in self.chart.trusted
        found = shown(view, account, memory, trusts=trusts, parked=parked)
        place = self.known.places.get(memory)
        if found.is_spent or (place is None and found.is_dead):
            return self._drop_contents(memory, kept, fresh, place)
        if found.content is None:
            if place is None or not found.is_dead:
                return self._hide(memory, kept, fresh, place)
            done = self._written(kept, fresh, found)
            self.shower.live(_counting(view, done), place)
            return done
        done = self._written(kept, fresh, found)
        if place is None:
            self._reveal(memory, found, _counting(view, done), is_known=bool(kept))
        else:
            self.shower.change(place, found, _counting(view, done))
        if owner == account:
            shelf.keep(self.transaction, memory, found.content[1], _counting(view, done))
        return done

    def _reveal(
        self, memory: str, found: Shown, done: list[HeldRegister], *, is_known: bool
    ) -> None:
        """Show a memory that was not shown here."""
        self.shower.add(found, done)
        if memory in self.known.hidden:
            self.transaction.execute(_sql["unhide"], (memory,))
        if is_known:
            self.transaction.execute(_sql["drop_proof"], (memory,))
        self.transaction.execute(_sql["stale_links"], {"memory": memory})

    def _written(
        self, kept: list[HeldRegister], fresh: list[Arrival], found: Shown
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
        return done

    def _hide(
        self, memory: str, kept: list[HeldRegister], fresh: list[Arrival], place: Place | None
    ) -> list[HeldRegister]:
        """Show nothing of a memory, and keep all of it: what would show it may only not be here."""
        done = [self.logger.set_value(one, is_row=False) if one.is_row else one for one in kept]
        for arrival in fresh:
            done.append(self.logger.put(arrival, done))
        if done:
            self.logger.keep_proof(done[0].register)
            self.transaction.execute(_sql["hide"], (memory,))
        if place is not None:
            self.shower.take_away(place)
        return done

    def _drop_contents(
        self, memory: str, kept: list[HeldRegister], fresh: list[Arrival], place: Place | None
    ) -> list[HeldRegister]:
        """Drop every content of a memory that is not to be kept here, and its row."""
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
            self.shower.take_away(place)
        if memory in self.known.hidden:
            self.transaction.execute(_sql["unhide"], (memory,))
        return done

    def _show_link(self, view: View, link: str) -> None:
        found = shown_link(view, self.chart.account, link)
        if found is None:
            self.transaction.execute(Queries("link")["drop"], {"link": link})
        else:
            links.put(self.transaction, found[1])


def _counting(view: View, done: Iterable[HeldRegister]) -> list[HeldRegister]:
    """Return the registers that a device of their author's account signed, as is known here."""
    return [one for one in done if not view.devices.reason(one.name, one.register)]


def _displaced(versions: list[Named], pins: frozenset[str]) -> set[str]:
    slots: dict[Slot, list[Named]] = {}
    for name, register in versions:
        slot = slot_of(register)
        if slot is not None:
            slots.setdefault(slot, []).append((name, register))
    rivals = [named for named in slots.values() if len(named) > 1]
    return {name for named in rivals for name in displaced(named, pins)}
