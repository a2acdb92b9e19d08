"""A row is what its columns say, or the file is damaged."""

from __future__ import annotations

import pytest

from agent_memory_os.store.file.value import WrongValue, fit


@pytest.mark.parametrize(
    ("row", "form"),
    [((), ""), (("a", 1, b"x"), "tib"), ((None, None, None), "TIB"), (("a", None), "tI")],
)
def test_a_row_that_fits_is_given_back(row: tuple[object, ...], form: str) -> None:
    """A row of the kinds of its columns is given back, and again when it comes again."""
    assert fit(row, form) is row
    assert fit(row, form) is row


@pytest.mark.parametrize(
    ("row", "form"),
    [((b"a",), "t"), ((None,), "t"), (("1",), "i"), ((1.0,), "I"), ((True,), "i"), (("a",), "tt")],
)
def test_a_row_that_does_not_fit_is_damage(row: tuple[object, ...], form: str) -> None:
    """Whatever is of another kind, missing, or one too few, is no row of ours."""
    with pytest.raises(WrongValue):
        fit(row, form)
