"""A ceiling is a word, or teams and projects by their ids."""

from __future__ import annotations

import pytest

from agent_memory_os.model.routing.ceiling import is_ceiling

TEAM, PROJECT = "team:team_" + "a" * 32, "project:prj_" + "a" * 32


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("full", True),
        ("shared", True),
        ("granted", True),
        (TEAM, True),
        (f"{TEAM},{PROJECT}", True),
        ("", False),
        ("some", False),
        ("global", False),
        (f"{TEAM},global", False),
        (f"{TEAM},", False),
        ("team:apollo", False),
    ],
)
def test_what_a_ceiling_is(text: str, *, is_one: bool) -> None:
    """Its form is that in which it is kept; a name that people use is none."""
    assert is_ceiling(text) == is_one
