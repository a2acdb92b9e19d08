"""The right to write: finding a memory that is about to be changed, and who may change it.

The owner changes its memories; the operator may do whatever its account may. Whoever reads a
memory that is not its own is told that only the owner may change it; whoever may not read it is
told that it is not there.
"""

from __future__ import annotations

from agent_memory_os.errors import NotAllowed, NotFound
from agent_memory_os.model.memory import Memory
from agent_memory_os.model.principal import Principal
from agent_memory_os.service.context import OPERATOR, check_clock
from agent_memory_os.store import audit, memories, organisation
from agent_memory_os.store.database import Snapshot
from agent_memory_os.store.gate import Gate, open_gate
from agent_memory_os.store.write import Writer


def find(snapshot: Snapshot, gate: Gate, memory_id: str, *, forgotten: bool = False) -> Memory:
    """Return one memory, or raise :class:`NotFound` with words that tell nothing more.

    A forgotten memory is found by its owner alone, and only where it is asked for.
    """
    found = memories.get(snapshot, gate, memory_id)
    if found is not None and found.state != "active":
        is_own = gate.sight.principal.is_operator or found.owner == gate.sight.principal.agent
        found = found if forgotten and is_own else None
    if found is None:
        raise not_found(memory_id)
    return found


def not_found(memory_id: str) -> NotFound:
    """Return what is said of a memory that is not there, or is not to be seen."""
    return NotFound(f"There is no memory {memory_id} that you may see.")


def own(
    writer: Writer, principal: Principal, memory_id: str, act: str, *, forgotten: bool = False
) -> Memory:
    """Return a memory that the principal may change; what an operator changes is audited."""
    gate = open_gate(writer.transaction, principal)
    memory = find(writer.transaction, gate, memory_id, forgotten=forgotten)
    if not organisation.is_own(writer.transaction, memory.owner):
        raise NotAllowed(
            f"Only {memory.owner_name}, its owner, may {act} {memory.id}: it is of another account."
        )
    if principal.is_operator:
        audit.add(writer.transaction, OPERATOR, act, memory.id)
    elif memory.owner != principal.agent:
        raise NotAllowed(
            f"Only {memory.owner_name}, its owner, may {act} {memory.id}. To correct it, add a "
            "memory of your own, and say that it supersedes this one.",
            "supersede",
            memory=memory.id,
        )
    return memory


def left(writer: Writer, principal: Principal, memory: Memory) -> dict[str, str]:
    """Return the teams and projects of an audience that the owner has left: scope to name.

    What was shared with them stays there as it was. What the owner writes reaches them no more;
    what the operator writes does.
    """
    if principal.is_operator:
        return {}
    return {
        scope: name
        for name, scope in zip(memory.audience, memory.grants, strict=True)
        if scope.partition(":")[0] in ("team", "project")
        and organisation.standing_add(writer.transaction, scope, memory.owner) is None
    }


def check_reach(writer: Writer, principal: Principal, memory: Memory) -> None:
    """Raise :class:`NotAllowed` where an edit would reach a team or project that was left.

    Raises :class:`ClockWrong` where it would reach anybody, and nothing can be shared now.
    """
    if memory.grants:
        check_clock(writer.transaction)
    for name in left(writer, principal, memory).values():
        raise NotAllowed(
            f"You are no member of {name}, and {memory.id} is shared with it. To edit it, take it "
            "back there first.",
            "revoke",
            memory=memory.id,
            audience=name,
        )


def proof_of(writer: Writer, memory: Memory) -> tuple[str, str, str]:
    """Return what a memory's id commits to."""
    return (writer.account, memory.owner, memories.nonce_of(writer.transaction, memory.id))


def check_supersession(agent: str | None, newer: Memory, older: Memory) -> None:
    """Raise :class:`NotAllowed` unless an agent owns one of two memories of which it says this."""
    if agent not in (newer.owner, older.owner):
        raise NotAllowed(
            f"Only the owner of {newer.id} or of {older.id} may say that one supersedes the other."
        )
