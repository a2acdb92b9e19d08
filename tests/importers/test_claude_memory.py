"""Memory folders of Claude Code."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.importers.sample import FACT, found, put, read, said


def fact(type_: str, body: str = "Words.") -> str:
    """Return a file of such a folder."""
    return f"---\nname: a-fact\ndescription: In short\nmetadata:\n  type: {type_}\n---\n\n{body}\n"


def test_a_fact_is_one_memory(tmp_path: Path) -> None:
    """The words become the memory, the description its summary, and links are listed."""
    (memory,) = found(read(put(tmp_path, "memory/paper-refill.md", FACT).parent))
    assert memory.content == "Refill the paper each Monday, see [[printer]]."
    assert memory.summary == "The printer's paper is refilled on Mondays"
    assert memory.source["links"] == ["printer"]
    assert memory.source["record"] == "paper-refill"
    assert memory.source["line"] == 8
    assert memory.key.startswith("paper-refill.md#")


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("user", "preference"),
        ("feedback", "procedure"),
        ("project", "fact"),
        ("reference", "environment"),
    ],
)
def test_their_types_become_ours(tmp_path: Path, theirs: str, ours: str) -> None:
    """Each of the four types has its place among ours."""
    (memory,) = found(read(put(tmp_path, "memory/a.md", fact(theirs)), "claude-memory"))
    assert memory.type == ours


def test_the_index_is_no_memory(tmp_path: Path) -> None:
    """`MEMORY.md` that only points at the facts gives nothing, and the facts give themselves."""
    put(tmp_path, "memory/MEMORY.md", "# Memory\n\n- [Paper](paper.md) — on Mondays\n")
    put(tmp_path, "memory/paper.md", fact("project"))
    assert said(read(tmp_path)) == ["Words."]


def test_an_index_with_words_of_its_own_loses_none(tmp_path: Path) -> None:
    """Lines of `MEMORY.md` that point at nothing are memories."""
    text = "- [Paper](paper.md) — on Mondays\n- The till is counted at six, every day of the week\n"
    put(tmp_path, "memory/MEMORY.md", text)
    assert said(read(tmp_path)) == ["The till is counted at six, every day of the week"]


def test_a_fact_without_words_is_its_description(tmp_path: Path) -> None:
    """Where only the front matter says something, that is the memory."""
    assert said(read(put(tmp_path, "a.md", fact("user", "")), "claude-memory")) == ["In short"]


def test_a_skill_is_not_taken_for_a_fact(tmp_path: Path) -> None:
    """A front matter with a name but none of the four types is of another kind."""
    put(tmp_path, "a/SKILL.md", "---\nname: tea\ndescription: Makes tea\n---\n\nBoil water.\n")
    put(tmp_path, "b.md", fact("user"))
    assert said(read(tmp_path)) == ["Words."]
