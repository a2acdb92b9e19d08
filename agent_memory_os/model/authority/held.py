"""A set of registers and lists, looked up by what the rules ask for.

The set has no order: whatever is returned in a list is sorted by digest, so that nothing that is
worked out of it depends on how it came together.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterator, Mapping

from agent_memory_os.model.authority.kept import Index, Kept
from agent_memory_os.model.register import AGENT, Register

Named = tuple[str, Register]
"""A register with its digest."""


class Held:
    """Registers by their digest, and lists by theirs. Nothing here changes once it is made.

    What stands on a ``ground`` has the lists, agents and registers of that beside its own.
    """

    def __init__(
        self,
        registers: Mapping[str, Register],
        lists: Mapping[str, Kept] | None = None,
        ground: Held | None = None,
    ) -> None:
        self.everything = dict(registers)
        self.registers: Mapping[str, Register] = self.everything
        self.lists: Mapping[str, Kept] = dict(lists or {})
        # Only by the agent's own register, whose id commits to it: a memory's proof may name an
        # agent of another account.
        self.account_of: dict[str, str] = {}
        self._places: dict[str, dict[str, list[Named]]] = {}
        self._proofs: dict[str, tuple[str, ...]] = {}
        self._ground = ground
        self.indexes: dict[str, Index] = {}
        if ground is not None:
            self.lists, self.account_of = ground.lists, ground.account_of
            self.indexes = ground.indexes
            self.registers = ChainMap(self.everything, ground.everything)
        for name in sorted(registers):
            register = registers[name]
            self._proofs[register.object] = register.proof
            groups = self._places.setdefault(register.object, {})
            groups.setdefault(register.group, []).append((name, register))
            if register.group == AGENT:
                self.account_of[register.object] = register.proof[0]

    def of(self, object_id: str, group: str) -> list[Named]:
        """Return the registers of an object and group."""
        places = self._places.get(object_id)
        if places is None:
            return self._ground.of(object_id, group) if self._ground else []
        return places.get(group, [])

    def groups(self, object_id: str, prefix: str = "") -> list[str]:
        """Return the groups that are held of an object, those that begin so."""
        places = self._places.get(object_id)
        if places is None:
            return self._ground.groups(object_id, prefix) if self._ground else []
        return sorted(group for group in places if group.startswith(prefix))

    def about(self, object_id: str) -> Iterator[Named]:
        """Give every register of an object."""
        for group in self.groups(object_id):
            yield from self.of(object_id, group)

    def objects(self, prefix: str) -> list[str]:
        """Return the objects of one kind, by the prefix of their ids."""
        found = sorted(name for name in self._places if name.startswith(prefix))
        return found + self._ground.objects(prefix) if self._ground else found

    def proof(self, object_id: str) -> tuple[str, ...]:
        """Return the parts that an object's id commits to; none where nothing is held of it."""
        found = self._proofs.get(object_id)
        if found is None:
            return self._ground.proof(object_id) if self._ground else ()
        return found

    def projects(self, team: str) -> list[str]:
        """Return the projects of a team of which something is held."""
        return [name for name in self.objects("prj_") if self.proof(name)[0] == team]

    def listed(self, register: Register, scope: str) -> Kept | None:
        """Return the list that a register commits to for a scope, where it is here."""
        name = self._list_of(register, scope)
        return None if name is None else self.lists[name]

    def remains(self, register: Register, scope: str) -> Index | None:
        """Return what a list has that a register commits to for a scope, where it is here."""
        name = self._list_of(register, scope)
        if name is None:
            return None
        if name not in self.indexes:
            self.indexes[name] = Index(self.lists[name])
        return self.indexes[name]

    def _list_of(self, register: Register, scope: str) -> str | None:
        named = register.value.get("lists", ())
        return next(
            (name for name in named if name in self.lists and self.lists[name].scope == scope), None
        )
