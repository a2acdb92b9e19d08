"""Forgetting what one owner has, some at a time."""

from __future__ import annotations

from agent_memory_os.model.principal import Principal
from agent_memory_os.service.context import actor_of
from agent_memory_os.service.memory import change
from agent_memory_os.service.memory.right import own
from agent_memory_os.service.named import find_owner
from agent_memory_os.store.memory.owner import ids_of_owner
from agent_memory_os.store.write import Writer


def forget_some(writer: Writer, principal: Principal, owner: str, most: int) -> int:
    """Forget up to ``most`` memories of an owner; return how many there were."""
    agent = find_owner(writer.transaction, owner)
    ids = ids_of_owner(writer.transaction, agent.id, most)
    for memory_id in ids:
        memory = own(writer, principal, memory_id, "forget")
        change.forget(writer, memory, actor_of(principal))
    return len(ids)
