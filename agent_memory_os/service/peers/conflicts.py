"""What concurrent edits lost: two devices changed one memory, and neither had seen the other's.

The later one holds. The other is kept for a while, is shown to the memory's owner and the operator
and to nobody else, and can be put back: as an edit of the owner's, like any other, so that what
held until then stays in the memory's history.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from agent_memory_os.errors import DamagedDatabase, NotFound
from agent_memory_os.model.memory import Content, Memory, from_value
from agent_memory_os.model.principal import Principal
from agent_memory_os.model.register import time_of
from agent_memory_os.service.context import Context, actor_of
from agent_memory_os.service.memories import Outcome
from agent_memory_os.service.memory import change
from agent_memory_os.service.memory.right import check_reach, find, own
from agent_memory_os.store import memories
from agent_memory_os.store.database import Snapshot
from agent_memory_os.store.file.value import VALUE_ERRORS
from agent_memory_os.store.gate import Gate, open_gate
from agent_memory_os.store.peer import shelf
from agent_memory_os.store.peer.shelf import Lost
from agent_memory_os.value import NamedTuple

PUT_BACK = "put back after an edit on another device"


class LostEdit(NamedTuple):
    """An edit that lost: its number, the memory as it is now, and what the edit said.

    ``device`` made it, ``written_at`` when, and ``lost_at`` it lost here; milliseconds of UTC.
    """

    id: int
    memory: Memory
    lost: Content
    device: str
    written_at: int
    lost_at: int


class Conflicts:
    """Every act on what concurrent edits lost."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def list(self, principal: Principal) -> tuple[LostEdit, ...]:
        """Return what was lost of the principal's own memories, the newest first."""
        with self._context.seeing(principal, "conflicts") as (snapshot, gate):
            return tuple(_own(snapshot, gate))

    def get(self, principal: Principal, number: int) -> LostEdit:
        """Return one lost edit of the principal's own memories, or raise :class:`NotFound`."""
        with self._context.seeing(principal, "conflicts") as (snapshot, gate):
            return _one(snapshot, gate, number)

    def swap(self, principal: Principal, number: int) -> Outcome:
        """Put a lost edit back, as an edit; what held until then stays in the history."""
        with self._context.widening() as writer:
            transaction = writer.transaction
            found = _one(transaction, open_gate(transaction, principal), number)
            memory = own(writer, principal, found.memory.id, "edit")
            check_reach(writer, principal, memory)
            fields = {name: getattr(found.lost, name) for name in change.EDITABLE}
            edit = change.Edit(fields, PUT_BACK, actor_of(principal))
            change.edit(writer, memory, edit, allow_secrets=True)
            shelf.take(transaction, number)
            now = find(transaction, open_gate(transaction, principal), memory.id)
            return Outcome(now, now.version != memory.version)


def _one(snapshot: Snapshot, gate: Gate, number: int) -> LostEdit:
    for found in _own(snapshot, gate):
        if found.id == number:
            return found
    raise NotFound(f"There is no lost edit {number} that you may see.")


def _own(snapshot: Snapshot, gate: Gate) -> Iterator[LostEdit]:
    """Yield what was lost of memories that a principal owns, or all of it to the operator."""
    principal = gate.sight.principal
    for one in shelf.lost(snapshot):
        memory = memories.get(snapshot, gate, one.memory)
        is_own = memory is not None and (principal.is_operator or memory.owner == principal.agent)
        if memory is not None and is_own and memory.state == "active":
            yield _edit(one, memory)


def _edit(one: Lost, memory: Memory) -> LostEdit:
    try:
        lost = from_value(json.loads(one.value))[0]
    except VALUE_ERRORS as error:
        raise DamagedDatabase("What an edit lost cannot be read.") from error
    return LostEdit(one.id, memory, lost, one.device, time_of(one.stamp), one.at)
