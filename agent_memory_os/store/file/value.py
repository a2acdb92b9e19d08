"""What stands in a row, held against what our schema lets stand there.

The tables are strict: in a sound file a row has what its columns say. In a damaged one a text may
be bytes, or nothing, or none of the words that we write, and whoever uses it would fail far from
here. So a row is looked at where it becomes a value.
"""

from __future__ import annotations

from functools import cache

from agent_memory_os.value import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

VALUE_ERRORS = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""What a value that nobody wrote may lead to, wherever it is used."""

_KINDS: dict[str, type] = {"t": str, "i": int, "b": bytes}


class WrongValue(ValueError):
    """What stands in the file is nothing that we write there: it is damaged."""


def fit(row: tuple[Any, ...], form: str) -> tuple[Any, ...]:
    """Return a row whose columns are as ``form`` says, or raise :class:`WrongValue`.

    A letter for each column: ``t``, text; ``i``, an integer; ``b``, bytes; a capital letter where
    it may be missing.
    """
    if not _fits(form, tuple(map(type, row))):
        raise WrongValue("a value is of another kind than its column")
    return row


@cache
def _fits(form: str, types: tuple[type, ...]) -> bool:
    # Rows of few kinds come again and again: each is looked at once.
    return len(form) == len(types) and all(
        kind is _KINDS[letter.lower()] or (letter.isupper() and kind is type(None))
        for letter, kind in zip(form, types, strict=True)
    )
