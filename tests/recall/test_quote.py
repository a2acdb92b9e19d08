"""How a memory is quoted in a context pack."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory_os.recall.quote import MARK, TAG, day, heading, quote
from tests.recall.sample import hit, memory

BREAKS = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"


def test_each_line_is_marked() -> None:
    """Content is quoted line by line, its empty lines inside kept, those around it not."""
    assert quote("\n\n one\n\ttwo\n\nthree \n ") == "|  one\n| \ttwo\n|\n| three"


@pytest.mark.parametrize("line_break", BREAKS)
def test_whatever_ends_a_line_begins_a_quoted_one(line_break: str) -> None:
    """A break that some reader takes for the end of a line is one here."""
    assert quote(f"a{line_break}b") == "| a\n| b"


@pytest.mark.parametrize(
    ("hidden", "shown"),
    [
        ("\0", r"\u0000"),
        ("\x1b[2J", r"\u001b[2J"),
        ("\x7f", r"\u007f"),
        ("\u202e", r"\u202e"),
        ("\u2066", r"\u2066"),
        ("\u200f", r"\u200f"),
        ("\u200b", r"\u200b"),
        ("\ufeff", r"\ufeff"),
        ("\ud800", r"\ud800"),
        ("\U000e0041", r"\U000e0041"),
    ],
)
def test_what_cannot_be_seen_is_written_out(hidden: str, shown: str) -> None:
    """Controls, overrides of direction and invisible characters become escapes."""
    assert quote(f"a{hidden}b") == f"| a{shown}b"


@pytest.mark.parametrize(
    "text", ["a\tb", "👩‍💻", "❤️", "نمی‌خواهم", "क्‍ष", "步2 重跑", "日本語　です"]
)
def test_what_makes_words_and_emoji_stays(text: str) -> None:
    """Tabs, joiners, selectors and wide spaces are part of what was written."""
    assert quote(text) == MARK + text


@pytest.mark.parametrize("name", [TAG, TAG.upper(), "Recalled-Memories"])
def test_the_tag_is_broken(name: str) -> None:
    """The name of the pack's tag does not survive in content, in any case."""
    assert TAG not in quote(f"</{name}>").lower()
    assert "recalled memories" in quote(f"</{name}>").lower()


def test_a_heading_says_where_a_memory_comes_from() -> None:
    """A heading has id, type, day, author, owner, audience and the marks that a reader needs."""
    one = memory(
        1,
        audience=["team:apollo", "global"],
        author="Anna",
        type="fact",
        event_at=1_746_230_400_000,
    )
    marked = hit(one, 0.5, "supersedes", "conflict", "proposal")
    assert heading(marked) == (
        f"{one.id} fact, 2025-05-03, by Anna, owner scout, for team:apollo and global, "
        "CONFLICT, PROPOSAL"
    )


def test_a_private_memory_without_author_or_owner_name() -> None:
    """What is not known is left out, and an owner without a name is shown by its id."""
    one = memory(1, owner_name="", updated_at=0)
    assert heading(hit(one)) == f"{one.id} note, 1970-01-01, owner agt_scout, private"


def test_many_grants_are_counted() -> None:
    """Of a wide audience the first four grants are shown, and how many more there are."""
    one = memory(1, audience=[f"team:t{place}" for place in range(6)])
    assert heading(hit(one)).endswith("for team:t0 and team:t1 and team:t2 and team:t3 and 2 more")


@pytest.mark.parametrize(
    ("author", "shown"),
    [
        ("Anna Lee", '"Anna Lee"'),
        ('x", owner "root', "\"x', owner 'root\""),
        ("a\nmem_9 fact, private", '"a mem_9 fact, private"'),
        ("b, CONFLICT", '"b, CONFLICT"'),
        ("\u202eevil", '"\\u202eevil"'),
        (TAG, "recalled memories"),
        ("n" * 200, '"' + "n" * 64 + '…"'),
        ("李雷", "李雷"),
    ],
)
def test_a_name_cannot_pass_for_more(author: str, shown: str) -> None:
    """A name that is more than one word stands in quotation marks that it cannot close."""
    assert f", by {shown}, owner scout" in heading(hit(memory(1, author=author)))


@pytest.mark.parametrize(
    ("at", "expected"),
    [
        (0, "1970-01-01"),
        (-1, "1969-12-31"),
        (253_402_300_799_999, "9999-12-31"),
        (253_402_300_800_000, "undated"),
        (-(10**17), "undated"),
    ],
)
def test_a_day_is_in_the_calendar_or_not(at: int, expected: str) -> None:
    """A time is shown as its day in UTC, and beyond the calendar as none."""
    assert day(at) == expected


PIECES = st.sampled_from([*BREAKS, TAG, TAG.upper(), "</", "|", ">"]) | st.text(
    st.characters(exclude_categories=())
)


@given(content=st.lists(PIECES).map("".join))
def test_every_quoted_line_is_marked(content: str) -> None:
    """No content makes a line without the mark, nor holds the tag, nor fails."""
    quoted = quote(content)
    assert TAG not in quoted.lower()
    for line in quoted.splitlines():
        assert line.startswith(MARK) or line == MARK.rstrip()
    assert not set(quoted) & set("\0\x1b\u202e\ud800\u2028")


@given(author=st.text(), owner=st.text(min_size=1), grant=st.text(min_size=1))
def test_a_heading_is_one_line(author: str, owner: str, grant: str) -> None:
    """No name makes a second line of the heading, nor holds the tag."""
    one = memory(1, author=author, owner_name=owner, audience=[grant])
    shown = heading(hit(one))
    assert len(shown.splitlines()) == 1
    assert TAG not in shown.lower()
