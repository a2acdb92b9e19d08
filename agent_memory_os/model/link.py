"""Links between memories: their relations, weights and who may say what.

A link is asserted by an account about two memories that the asserting agent may read. Whoever may
not read both ends never learns of it. ``supersedes`` by the owner of the older memory hides or
reorders it; by anyone else it is a proposal, shown as a mark.
"""

from __future__ import annotations

from typing import NamedTuple

from agent_memory_os.errors import InvalidInput

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
    if relation not in RELATIONS:
        known = ", ".join(RELATIONS)
        raise InvalidInput(f"There is no relation {relation!r}; the relations are {known}.")
    if src == dst:
        raise InvalidInput("A memory is not linked to itself.")
    if not 0 < weight <= 1000:  # noqa: PLR2004 - a weight is thousandths
        raise InvalidInput("The weight of a link lies above 0 and at most 1.")
