"""What the tests of moves ask of a node."""

from __future__ import annotations

from collections.abc import Iterable

from agent_memory_os.model.memory import Memory
from agent_memory_os.model.principal import Principal
from agent_memory_os.model.recall import Filter, RecallRequest
from agent_memory_os.service.moves import EVERYTHING, Chosen, Step
from agent_memory_os.service.node import LocalNode
from tests.store.sample import OPERATOR


def moved(node: LocalNode, source: str, target: str, chosen: Chosen = EVERYTHING) -> Step:
    """Move everything that is chosen; return what that came to."""
    return total(node.moves.run(OPERATOR, source, target, chosen))


def total(steps: Iterable[Step]) -> Step:
    """Return what some steps did together."""
    done = list(steps)
    return Step(sum(s.moved for s in done), sum(s.skipped for s in done), done[-1].cursor)


def shown(node: LocalNode, principal: Principal) -> dict[str, str]:
    """Return the owner of each memory that is shown to somebody, by its words."""
    return {one.text: one.owner_name for one in every(node, principal)}


def every(node: LocalNode, principal: Principal, state: str = "active") -> tuple[Memory, ...]:
    """Return the memories in a state that somebody may read."""
    return node.memories.list(principal, Filter(state=state), 1000).memories


def found(node: LocalNode, principal: Principal, words: str) -> list[tuple[str, str]]:
    """Return the owner and the id of what a search finds."""
    hits = node.recall.search(principal, RecallRequest(words, node.recall.now())).hits
    return [(hit.memory.owner_name, hit.memory.id) for hit in hits]
