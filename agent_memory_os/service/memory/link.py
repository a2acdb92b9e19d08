"""Writing links between memories, as registers."""

from __future__ import annotations

from agent_memory_os.model.identifier import link_id
from agent_memory_os.model.link import SUPERSEDES
from agent_memory_os.model.memory import Memory
from agent_memory_os.model.register import LINK
from agent_memory_os.store import links
from agent_memory_os.store.registers import Draft
from agent_memory_os.store.write import Writer


def put(writer: Writer, src: str, dst: str, relation: str, weight: int, by: str) -> None:
    """Write that an agent asserts a link; one of no weight is taken back."""
    proof = (src, dst, relation, by)
    writer.put(Draft(link_id(*proof), LINK, {"weight": weight}, proof))


def put_supersession(writer: Writer, newer: Memory, older: Memory, weight: int, by: str) -> None:
    """Write that one memory supersedes another; that it was the other way round is taken back."""
    if by in links.asserted(writer.transaction, older.id, newer.id, SUPERSEDES):
        put(writer, older.id, newer.id, SUPERSEDES, 0, by)
    put(writer, newer.id, older.id, SUPERSEDES, weight, by)
