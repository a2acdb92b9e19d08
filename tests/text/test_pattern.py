"""Patterns that are compiled once, when they are needed."""

from __future__ import annotations

import re

from agent_memory_os.text.pattern import pattern


def test_a_pattern_is_compiled_once() -> None:
    """The same source gives the same compiled expression, with its flags."""
    assert pattern("a+b") is pattern("a+b")
    assert pattern("a+b", re.IGNORECASE).fullmatch("AAB")
    assert not pattern("a+b").fullmatch("AAB")
