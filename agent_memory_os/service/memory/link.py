"""Writing links, and that one memory supersedes another."""

from __future__ import annotations

from agent_memory_os.model.identifier import link_id
from agent_memory_os.model.link import SUPERSEDES
from agent_memory_os.model.memory import Memory
from agent_memory_os.model.register import LINK
from agent_memory_os.store import links
from agent_memory_os.store.registers import Draft
from agent_memory_os.store.write import Writer


def put_link(writer: Writer, src: str, dst: str, relation: str, weight: int, by: str) -> None:
    """Write what somebody says of a link; of no weight, that it says so no more."""
    proof = (src, dst, relation, by)
    writer.put(Draft(link_id(*proof), LINK, {"weight": weight}, proof))


def put_supersession(writer: Writer, newer: Memory, older: Memory, weight: int, by: str) -> None:
    """Write that one memory supersedes another; that it was the other way round is taken back."""
    if by in links.asserted(writer.transaction, older.id, newer.id, SUPERSEDES):
        put_link(writer, older.id, newer.id, SUPERSEDES, 0, by)
    put_link(writer, newer.id, older.id, SUPERSEDES, weight, by)
