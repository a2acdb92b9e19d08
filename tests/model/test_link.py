"""Links between memories: what can be one."""

from __future__ import annotations

from typing import cast

import pytest

from agent_memory_os.errors import InvalidInput
from agent_memory_os.model.link import DEFAULT_WEIGHT, RELATIONS, SUPERSEDES, Link, check


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("weight", [1, DEFAULT_WEIGHT, 1000])
def test_every_relation_with_any_weight_is_a_link(relation: str, weight: int) -> None:
    """Two memories can be linked by each relation, with a weight above 0 and at most 1."""
    check("mem_a", "mem_b", relation, weight)
    assert SUPERSEDES in RELATIONS


@pytest.mark.parametrize(
    ("src", "dst", "relation", "weight", "words"),
    [
        ("mem_a", "mem_b", "likes", 500, "the relations are related_to, supersedes"),
        ("mem_a", "mem_b", "", 500, "no relation"),
        ("mem_a", "mem_a", "related_to", 500, "not linked to itself"),
        ("mem_a", "mem_b", "related_to", 0, "weight of a link"),
        ("mem_a", "mem_b", "related_to", -1, "weight of a link"),
        ("mem_a", "mem_b", "related_to", 1001, "weight of a link"),
        ("mem_a", "mem_b", "related_to", True, "weight of a link"),
        ("mem_a", "mem_b", "related_to", cast("int", 0.5), "weight of a link"),
    ],
)
def test_what_can_be_no_link_is_refused(
    src: str, dst: str, relation: str, weight: int, words: str
) -> None:
    """A relation that is not known, a memory with itself and a weight out of range are refused."""
    with pytest.raises(InvalidInput, match=words):
        check(src, dst, relation, weight)


def test_a_link_says_who_asserts_it() -> None:
    """A link carries its ends, relation, weight, asserter and time."""
    link = Link("mem_a", "mem_b", SUPERSEDES, 500, "agt_a", 7)
    assert (link.src, link.dst, link.by, link.created_at) == ("mem_a", "mem_b", "agt_a", 7)
