"""How many contacts a revocation needs: until all that ever held a memory have dropped it.

A contact is one exchange along each edge of a graph, those farthest from whoever takes the memory
back first: so nothing gets farther than one edge with each. ``python -m
tests.laws.nodes.drill.contacts`` prints the figures of ``docs/federation.md``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable

from agent_memory_os.model.register import CONTENT
from agent_memory_os.value import NamedTuple
from tests.laws.nodes.drill.stage import Stage
from tests.laws.nodes.node import Node
from tests.laws.nodes.run import opened

NAMES = ("ann1", "cleo1", "ann2", "bea1", "cleo2", "bea2")
"""Who is in a graph, in their order; the first one begins."""

SIZES = {"ann": 2, "bea": 2, "cleo": 2}
MOST = 8
"""How often all meet before it is given up."""

Edge = tuple[int, int]


def _line(size: int) -> list[Edge]:
    return [(number, number + 1) for number in range(size - 1)]


GRAPHS: dict[str, list[Edge]] = {
    "a line of six": _line(6),
    "a star of six, from its middle": [(0, number) for number in range(1, 6)],
    "a star of six, from a point": [(1, number) for number in (0, 2, 3, 4, 5)],
    "a ring of six": [*_line(6), (5, 0)],
}


class Course(NamedTuple):
    """What takes a memory back, and whose nodes have to drop it by that."""

    take_back: Callable[[Stage, str], None]
    of: tuple[str, ...]


def _revoke(stage: Stage, memory: str) -> None:
    stage.revoke(stage.node("ann1"), memory, stage.team)


def _forget(stage: Stage, memory: str) -> None:
    stage.forget(stage.node("ann1"), memory)


def _remove(stage: Stage, _: str) -> None:
    stage.remove(stage.node("ann1"), stage.agent(stage.node("bea1")), stage.team)


ACTS = {
    "a grant is revoked": Course(_revoke, ("bea", "cleo")),
    "the memory is forgotten": Course(_forget, ("bea", "cleo")),
    "a member is taken out": Course(_remove, ("bea",)),
}


def distances(edges: Iterable[Edge]) -> dict[int, int]:
    """Return how many edges each place of a graph is away from the first one."""
    found, both = {0: 0}, [edge for one, other in edges for edge in ((one, other), (other, one))]
    while new := {other for one, other in both if one in found} - found.keys():
        found |= dict.fromkeys(new, max(found.values()) + 1)
    return found


def dropped(graph: str, act: str, *, is_far_first: bool) -> dict[int, list[int]]:
    """Return at which contacts the nodes dropped a memory that all held, by their distance.

    ``is_far_first``: who is farther begins each exchange, else who is nearer.
    """
    edges, course = GRAPHS[graph], ACTS[act]
    away = distances(edges)
    with opened(0, SIZES, "", is_small=False, mends=False) as nodes:
        nodes.pair()
        stage = Stage(nodes)
        places = [stage.node(name) for name in NAMES]
        ways = sorted(edges, key=lambda edge: -max(away[one] for one in edge))
        pairs = [tuple(sorted(edge, key=away.__getitem__, reverse=is_far_first)) for edge in ways]
        memory = stage.write(places[0], stage.team)
        for _ in range(max(away.values())):
            _contact(stage, places, pairs)
        watched = {
            number: node for number, node in enumerate(places) if node.place.account in course.of
        }
        assert all(holds(node, memory) for node in watched.values())
        course.take_back(stage, memory)
        found: dict[int, list[int]] = {}
        for contact in range(1, MOST + 1):
            _contact(stage, places, pairs)
            for number in [one for one, node in watched.items() if not holds(node, memory)]:
                found.setdefault(away[number], []).append(contact)
                del watched[number]
        assert not watched
        return found


def _contact(stage: Stage, places: list[Node], pairs: Iterable[tuple[int, ...]]) -> None:
    for first, second in pairs:
        stage.sync(places[first], places[second])


def holds(node: Node, memory: str) -> bool:
    """Say whether a node holds a content of a memory."""
    return any(
        one.register.object == memory and one.register.group == CONTENT for one in node.held()
    )


def main() -> int:
    """Print, for each graph and act, how far it is and how many contacts it took."""
    sys.stdout.write("| graph | farthest | " + " | ".join(ACTS) + " |\n|---|---|---|---|---|\n")
    for graph, edges in GRAPHS.items():
        taken = []
        for act in ACTS:
            both = [dropped(graph, act, is_far_first=way) for way in (True, False)]
            taken.append(max(one for found in both for some in found.values() for one in some))
        farthest = max(distances(edges).values())
        row = [graph, str(farthest), *map(str, taken)]
        sys.stdout.write(f"| {' | '.join(row)} |\n")
        sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
