"""A node in memory: what it holds, how it takes things in, and how it writes.

It decides nothing: what to keep, to show, to queue and to drop are the product's own rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from agent_memory_os.model.authority import kept
from agent_memory_os.model.authority.judged import View
from agent_memory_os.model.authority.kept import Kept
from agent_memory_os.model.authority.park import moves_clock, waits
from agent_memory_os.model.register import DEVICE, Chain, Register, following, rule_of
from agent_memory_os.model.routing.cursor import Cursor, anew, state
from agent_memory_os.model.routing.purge import is_spent
from agent_memory_os.model.routing.slot import Slot, displaced, pinned, slot_of
from tests.laws.mesh.rules import view_without
from tests.laws.mesh.truth import Account, Device, Truth

Key = tuple[str, str]
Source = tuple[str, str]
"""Who brought a register: a device, and the state that it had."""

Places = dict[str, tuple[int, list[str]]]
"""The records of a scope: the number of each, and its registers in the order in which they go."""

_ORGANISATION = ("team_", "prj_", "acc_", "agt_")


class Node:
    """One device of an account."""

    def __init__(self, truth: Truth, account: Account, device: Device, off: str = "") -> None:
        self.truth = truth
        self.account = account
        self.device = device
        self.off = off
        self.skew = 0
        self.is_stale = False
        self.is_hostile = False
        self.index = self._new_index()
        self.registers: dict[str, Register] = {}
        self.lists: dict[str, Kept] = {}
        self.numbers: dict[str, int] = {}
        self.sources: dict[str, Source] = {}
        self.parked: set[str] = set()
        self.waiting: set[str] = set()
        self.cursors: dict[Key, Cursor] = {}
        self.places: dict[str, Places] = {}
        self.slots: dict[Slot, set[str]] = {}
        self.last = 0
        self.seq = 0
        self.lseq = 0
        self.judge = view_without(off)
        self._view: View | None = None
        self._before: View = self.judge({}, {})
        self._state: tuple[View, str] | None = None

    @property
    def now(self) -> int:
        """The time by this device's clock."""
        return self.truth.clock + self.skew

    def _new_index(self) -> str:
        return f"index-{self.truth.chance.getrandbits(64):x}"

    def view(self) -> View:
        """What this node's registers mean now; of the organisation, what waits is left out."""
        if self._view is None:
            due = {n: one for n, one in self.registers.items() if n not in self.waiting}
            self._view = self.judge(due, self.lists)
        return self._view

    def knows_both(self, other: Node) -> bool:
        """Say whether this node and another know each other's devices to be certified."""
        return all(
            mine.view().held.of(theirs.account.id, DEVICE + theirs.device.id)
            for mine, theirs in ((self, other), (other, self))
        )

    def source(self) -> Source:
        """Return what this node brings its records under."""
        view = self.view()
        if self._state is None or self._state[0] is not view:
            self._state = (view, state(view, self.index))
        return (self.device.id, self._state[1])

    def take(
        self,
        names: Iterable[str],
        lists: Iterable[str] = (),
        cursor: tuple[Key, Cursor] | None = None,
        source: Source | None = None,
    ) -> None:
        """Take registers and lists in, in one transaction, and move a cursor with them."""
        fresh = [name for name in lists if name not in self.lists]
        self.lists.update((name, self.truth.lists[name]) for name in fresh)
        changed, organisation = bool(fresh), bool(fresh)
        for name in names:
            if name not in self.registers and self.truth.fault(name) is None:
                self._apply(name, self.truth.signed[name], source)
                changed = True
                organisation |= self.truth.signed[name].object.startswith(_ORGANISATION)
        if cursor is not None:
            self.cursors[cursor[0]] = cursor[1]
        if changed:
            self._view = None
            self._after(is_organisation=organisation)

    def due(self) -> None:
        """Take in what was parked and is due, and let what waited in the view count."""
        found = [n for n in sorted(self.parked) if not waits(self.truth.signed[n], self.now)]
        self.parked.difference_update(found)
        self.take(found)
        if counting := {name for name in self.waiting if not self._waits(name)}:
            self.waiting -= counting
            self._view = None
            self._after(is_organisation=True)

    def _waits(self, name: str) -> bool:
        return waits(self.truth.signed[name], self.now, self.last)

    def _apply(self, name: str, register: Register, source: Source | None) -> None:
        is_organisation = register.object.startswith(_ORGANISATION)
        if waits(register, self.now) and not is_organisation:
            if self.off != "parked":
                self.parked.add(name)
            return
        if is_organisation and self._waits(name):
            self.waiting.add(name)
        if moves_clock(register, self.now) and self.off != "stamp after seen":
            self.last = max(self.last, register.stamp)
        self.numbers[name] = self._next()
        self.registers[name] = register
        if source is not None:
            self.sources[name] = source
        self._settle(name, register)

    def _settle(self, name: str, register: Register) -> None:
        slot = self._slot(register)
        if slot is None:
            return
        names = self.slots.setdefault(slot, set())
        names.add(name)
        pins = frozenset() if self.off == "pinned versions" else pinned(self.lists)
        for gone in displaced([(one, self.registers[one]) for one in sorted(names)], pins):
            newest = max(names - {gone}, key=lambda one: self.registers[one].stamp)
            self._drop(gone)
            self.truth.displaced_by.setdefault(gone, newest)

    def _slot(self, register: Register) -> Slot | None:
        slot = slot_of(register)
        if slot is None and self.off == "log by digest":
            number = (("seq", str(register.seq)),)
            return (register.object, register.group, register.author, register.device, number)
        return (*slot[:4], ()) if slot and self.off == "version for each add" else slot

    def _drop(self, name: str) -> None:
        slot = self._slot(self.registers[name])
        if slot is not None:
            self.slots[slot].discard(name)
        del self.registers[name]
        del self.numbers[name]
        self.sources.pop(name, None)
        self.waiting.discard(name)
        self._view = None

    def _after(self, *, is_organisation: bool) -> None:
        if is_organisation:
            before, self._before = self._before, self.view()
            if self.off != "asked anew":
                self._drop_cursors(before)
        self._purge()

    def _drop_cursors(self, before: View) -> None:
        scopes = sorted({scope for _, scope in self.cursors})
        found = anew(scopes, before, self.view(), self.account.id, self.registers)
        for key in [key for key in self.cursors if key[1] in found]:
            del self.cursors[key]

    def place(self, scope: str, served: Mapping[str, list[str]]) -> Places:
        """Give what stands otherwise in a scope than before a new number; return its records."""
        before = self.places.get(scope, {})
        top = max((number for number, _ in before.values()), default=0)
        changed = {
            self.registers[name].object
            for names in served.values()
            for name in names
            if self.numbers[name] > top
        }
        found: Places = {}
        for record, names in served.items():
            number, held = before.get(record, (0, []))
            if set(held) != set(names):
                newest = max(self.numbers[name] for name in names)
                is_passed = newest <= top and not self._goes_alone(names[0], changed)
                number = self._next() if is_passed else newest
            found[record] = (number, names)
        self.places[scope] = found
        return found

    def _goes_alone(self, name: str, changed: set[str]) -> bool:
        """Say whether a rule is off without which a record has the number of its register."""
        is_changed = self.registers[name].object in changed
        return self.off == ("whole record" if is_changed else "new number")

    def _next(self) -> int:
        self.lseq += 1
        return self.lseq

    def _purge(self) -> None:
        view = self.view()
        for memory in view.held.objects("mem_"):
            if view.held.of(memory, "memory.content") and self._is_spent(view, memory):
                for name, _ in view.held.of(memory, "memory.content"):
                    self._drop(name)

    def _is_spent(self, view: View, memory: str) -> bool:
        if self.off == "unknown hides":
            agents = view.agents(self.account.id)
            is_own = view.held.proof(memory)[0] == self.account.id
            return not is_own and not any(memory in view.reads(agent) for agent in agents)
        parked = [self.truth.signed[name] for name in sorted(self.parked)]
        about = [one for one in parked if one.object == memory and self.off != "awaited"]
        return is_spent(view, self.account.id, memory, about)

    def write(  # noqa: PLR0913 - the fields of a register
        self,
        object_id: str,
        group: str,
        value: Mapping[str, Any],
        proof: tuple[str, ...],
        relies: Mapping[str, str] | None = None,
        *,
        stamp: int | None = None,
        author: str = "",
        lists: Iterable[Kept] = (),
        hostile: bool = False,
        edits: int = 0,
    ) -> str:
        """Sign a register with this device's key and take it in; return its digest."""
        if stamp is None:
            self.last = stamp = following(self.last, self.now)
        self.seq += 1
        found = {kept.digest(one): one for one in lists}
        self.truth.lists.update(found)
        if found:
            value = {**value, "lists": sorted(found)}
        rule = rule_of(group)
        register = Register(
            object_id,
            group,
            author or self.account.id,
            self.device.id,
            stamp,
            self.seq,
            value,
            proof,
            relies or {},
            Chain("") if rule and rule.is_chained else None,
            edits=edits,
        )
        name = self.truth.sign(register, hostile=hostile)
        self.take([name], found)
        return name

    def save(self) -> dict[str, Any]:
        """Return a backup."""
        copied = (
            "registers",
            "lists",
            "numbers",
            "sources",
            "parked",
            "waiting",
            "cursors",
            "places",
        )
        kinds = {name: type(getattr(self, name))(getattr(self, name)) for name in copied}
        slots = {slot: set(names) for slot, names in self.slots.items()}
        return {**kinds, "slots": slots, "last": self.last, "seq": self.seq, "lseq": self.lseq}

    def restore(self, backup: dict[str, Any]) -> set[str]:
        """Put a backup in the place of what is held; return what is no longer held."""
        before = set(self.registers) | self.parked
        for name, held in backup.items():
            setattr(self, name, held)
        if self.off != "new index":
            self.index = self._new_index()
        self._view = None
        self._before = self.view()
        self.is_stale = True
        return before - set(self.registers) - self.parked
