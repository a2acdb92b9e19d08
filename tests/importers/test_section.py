"""Markdown to blocks, and blocks to pieces."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agent_memory_os.importers.section import PIECE, Block, blocks, pieces

LINES = st.sampled_from(
    [
        "# one",
        "## two",
        "- a",
        "  - nested",
        "  more",
        "1. first",
        "2. second",
        "words",
        "words:",
        "```",
        "~~~",
        "    code",
        "",
        "---",
        "===",
        "<!-- note -->",
        "| a | b |",
        "* * *",
        "\ttab",
        "> quoted",
    ]
)


def kinds(text: str) -> list[tuple[str, str]]:
    """Return kind and text of the blocks of a text."""
    return [(block.kind, block.text) for block in blocks(text)]


def test_blocks_are_told_apart() -> None:
    """Headings of both forms, bullets, numbered lists, code and paragraphs are each one block."""
    text = (
        "Title\n===\n\nwords\nmore\n- a\n  b\n\n  c\n- d\n\n1. x\n\n2. y\n\n"
        "```sh\n# no\n- no\n```\n## T ##\n"
    )
    assert kinds(text) == [
        ("heading", "Title"),
        ("text", "words\nmore"),
        ("bullet", "- a\n  b\n\n  c"),
        ("bullet", "- d"),
        ("steps", "1. x\n\n2. y"),
        ("code", "```sh\n# no\n- no\n```"),
        ("heading", "T"),
    ]


def test_blocks_know_their_lines() -> None:
    """A block says on which line it begins, from 1."""
    assert [block.line for block in blocks("\n# a\n\nb\nc\n\n- d\n- e\n")] == [2, 4, 7, 8]


def test_what_is_nested_stays_with_its_bullet() -> None:
    """Bullets and code below a bullet belong to it, without their indent."""
    text = "- a\n  - b\n    - c\n  ```\n  - d\n  ```\n- e\n"
    first, second = pieces(blocks(text))
    assert first.text == "a\n- b\n  - c\n```\n- d\n```"
    assert second.text == "e"


def test_code_right_below_a_bullet_that_leads_belongs_to_it() -> None:
    """Code that is not indented is taken in where the bullet ends with a colon."""
    (piece,) = pieces(blocks("- build:\n```\nmake\n```\n"))
    assert piece.text == "build:\n```\nmake\n```"


def test_a_year_at_the_start_of_a_line_is_no_list() -> None:
    """A number goes on with the paragraph before it, unless a list begins there."""
    assert kinds("opened in\n2026. It rained.\n") == [("text", "opened in\n2026. It rained.")]


def test_paragraphs_are_kept_together_up_to_a_size() -> None:
    """Paragraphs of a section are one piece, and a new one begins before it grows too long."""
    words = "w" * (PIECE // 3)
    sizes = [len(piece.text) for piece in pieces(blocks(f"{words}\n\n" * 7))]
    blanks = 4  # between three paragraphs
    assert sizes == [PIECE + blanks, PIECE + blanks, PIECE // 3]


def test_a_paragraph_that_leads_stays_with_its_code() -> None:
    """What announces the code is in the same piece, whatever their sizes."""
    code = "```\n" + "x\n" * PIECE + "```"
    (piece,) = pieces(blocks(f"Build it so:\n\n{code}\n"))
    assert piece.text == f"Build it so:\n\n{code}"


def test_headings_follow_their_levels() -> None:
    """A heading ends those of its own level and below."""
    text = "# a\n\n### b\n\none\n\n## c\n\ntwo\n\n# d\n\nthree\n"
    assert [piece.headings for piece in pieces(blocks(text))] == [("a", "b"), ("a", "c"), ("d",)]


def test_code_that_does_not_end_runs_to_the_end() -> None:
    """Nothing after an open fence is lost or taken for anything else."""
    assert kinds("```\n# a\n- b\n") == [("code", "```\n# a\n- b")]


@given(st.lists(LINES, max_size=40).map("\n".join))
def test_no_word_is_lost_and_none_is_invented(text: str) -> None:
    """Every word of a text is in exactly as many blocks as it stands in the text."""
    told = "\n".join(block.text for block in blocks(text))
    for word in ("words", "nested", "code", "first", "second", "quoted", "one", "two", "tab"):
        assert told.count(word) == text.count(word)


@given(st.text(alphabet="#-*1. `~\n\t:<>!a=§", max_size=200))
def test_any_text_has_blocks_in_order(text: str) -> None:
    """Blocks begin on rising lines and are not blank, and pieces come from them."""
    cut: list[Block] = list(blocks(text))
    lines = [block.line for block in cut]
    assert lines == sorted(set(lines))
    assert all(block.text.strip() or block.kind == "heading" for block in cut)
    assert all(piece.line in lines for piece in pieces(iter(cut)))
