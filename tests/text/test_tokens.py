"""The estimate of tokens."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory_os.text.tokens import estimate

ANY_TEXT = st.text(st.characters())


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        # As counted by cl100k_base, o200k_base and Claude 2's tokenizer.
        ("The deploy of the checkout service is planned for Friday.", (11, 11, 11)),
        ("def clean(text: str) -> str:\n    return text.strip()\n", (14, 14, 17)),
        ("用户身份验证 数据库", (6, 5, 6)),
        ("👍🎉🚀", (9, 5, 7)),
        ('{"a": [1, 2, 3], "b": null}', (17, 17, 15)),
    ],
)
def test_estimates_lie_near_the_counts(text: str, counts: tuple[int, ...]) -> None:
    """No estimate is under three quarters of the largest count, or over twice it."""
    assert 0.75 * max(counts) <= estimate(text) <= 2 * max(counts)


@given(ANY_TEXT, ANY_TEXT)
def test_two_texts_never_take_more_together(one: str, other: str) -> None:
    """The whole is no more than the sum of its parts, and no less than one of them."""
    together = estimate(one + other)
    assert max(estimate(one), estimate(other)) <= together <= estimate(one) + estimate(other)


@given(ANY_TEXT)
def test_only_nothing_takes_nothing(text: str) -> None:
    """Every text takes a token, and none takes more than three a character."""
    assert (estimate(text) == 0) == (text == "")
    assert estimate(text) <= 3 * len(text)
