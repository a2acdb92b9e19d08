"""What a memory is linked to, near and far, as far as a principal may see it."""

from __future__ import annotations

from agent_memory_os.errors import InvalidInput
from agent_memory_os.model.canonical import fits
from agent_memory_os.model.link import Link
from agent_memory_os.model.memory import Memory
from agent_memory_os.service.memory.right import find
from agent_memory_os.store import links
from agent_memory_os.store.database import Snapshot
from agent_memory_os.store.gate import Gate
from agent_memory_os.value import NamedTuple

MAX_HOPS = 4
MAX_MEMORIES = 200
"""How many memories a graph shows; beyond them it is cut."""


class Graph(NamedTuple):
    """Memories, the one that was asked about first and then the nearer before the farther.

    ``links`` are those between them, oldest first. ``is_cut`` tells that there are more memories
    within the hops than are shown.
    """

    memories: tuple[Memory, ...]
    links: tuple[Link, ...]
    is_cut: bool


def around(snapshot: Snapshot, gate: Gate, memory: Memory, hops: int) -> Graph:
    """Return what is linked to a memory, at most ``hops`` links away, through what may be read.

    Nothing leads on over a memory that the gate hides, or that does not hold any more.
    """
    if not fits(hops, "count") or not 1 <= hops <= MAX_HOPS:
        raise InvalidInput(f"A graph reaches 1 to {MAX_HOPS} hops far.")
    found = {memory.id: memory}
    told: dict[str, list[Link]] = {}
    is_cut = False
    nearest = [memory.id]
    for _ in range(hops):
        reached: list[str] = []
        for near in nearest:
            told[near] = links.of_memory(snapshot, gate, near)
            for far in (link.dst if link.src == near else link.src for link in told[near]):
                if far in found:
                    continue
                if len(found) == MAX_MEMORIES:
                    is_cut = True
                    continue
                found[far] = find(snapshot, gate, far)
                reached.append(far)
        nearest = reached
    told |= {far: links.of_memory(snapshot, gate, far) for far in nearest}
    between = {link for each in told.values() for link in each if {link.src, link.dst} <= {*found}}
    ordered = sorted(between, key=lambda link: (link.created_at, link))
    return Graph(tuple(found.values()), tuple(ordered), is_cut)
