"""Links between memories: their relations, weights and who may say what.

A link is what one agent asserts about two memories that it may read; what another asserts of the
same two is another link, so that nobody can weaken or take back what someone else said. Whoever may
not read both ends never learns of it. ``supersedes`` by the owner of the older memory hides or
reorders it; by the owner of the newer one it is a proposal, shown as a mark.
"""

from __future__ import annotations

from agent_memory_os.errors import InvalidInput
from agent_memory_os.model.canonical import fits
from agent_memory_os.value import NamedTuple

SUPERSEDES = "supersedes"
RELATIONS = (
    "related_to",
    SUPERSEDES,
    "caused_by",
    "derived_from",
    "contradicts",
    "co_recalled",
)
DEFAULT_WEIGHT = 500


class Link(NamedTuple):
    """A link as a reader gets it: memory ids, weight in thousandths, who asserts it, since when."""

    src: str
    dst: str
    relation: str
    weight: int
    by: str
    created_at: int


def check(src: str, dst: str, relation: str, weight: int) -> None:
    """Raise :class:`InvalidInput` for a link that cannot be."""
    check_terms(relation, weight)
    if src == dst:
        raise InvalidInput("A memory is not linked to itself.")


def check_terms(relation: str, weight: int) -> None:
    """Raise :class:`InvalidInput` for a relation or a weight that there is not."""
    if relation not in RELATIONS:
        known = ", ".join(RELATIONS)
        raise InvalidInput(f"There is no relation {relation!r}; the relations are {known}.")
    if weight == 0 or not fits(weight, "thousandths"):
        raise InvalidInput("The weight of a link lies above 0 and at most 1.")
