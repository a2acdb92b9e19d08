"""Who is asking."""

from __future__ import annotations

import pytest

from agent_memory_os.model.principal import Principal, Sight


def test_a_principal_is_an_agent_or_the_operator() -> None:
    """An agent's principal has its id, and the operator's has none."""
    assert Principal.of_agent("agt_x") == Principal("agt_x", is_operator=False)
    assert Principal.operator() == Principal(None, is_operator=True)


def test_a_principal_has_no_default() -> None:
    """Nobody becomes a principal by leaving something out."""
    with pytest.raises(TypeError):
        Principal()  # type: ignore[call-arg]


def test_nobody_is_neither_agent_nor_operator() -> None:
    """The sight of nobody has no agent, no scopes and not the operator's right."""
    sight = Sight.of_nobody()
    assert sight.principal == Principal(None, is_operator=False)
    assert sight.scopes == frozenset()
