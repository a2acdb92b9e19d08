"""Law 1: no read path returns, counts or reveals what the principal may not read."""

from __future__ import annotations

import pytest
from hypothesis import given

from tests.laws.crowd import crowd
from tests.laws.gate import faults, revealed
from tests.laws.plan import START, Step, build, plans, some
from tests.laws.world import new_world


@some(0.6)
@given(plans())
def test_no_path_shows_what_is_hidden_and_each_shows_what_is_not(plan: list[Step]) -> None:
    """Whatever happened, every path gives each principal exactly what the pure rule allows."""
    with new_world() as world:
        build(world, [*START, *plan])
        assert list(faults(world)) == []


DAMAGE = (
    "UPDATE memories SET content = content || '!' WHERE rowid % 2",
    "UPDATE memories SET state = 'forgotten', forgotten_at = 1 WHERE state = 'active'",
    "DELETE FROM grants WHERE memory % 2",
    "UPDATE grants SET until = 1 WHERE until IS NULL",
    "DELETE FROM memberships",
    "UPDATE links SET weight = 1",
    "DELETE FROM documents WHERE memory % 2",
    "DELETE FROM registers WHERE grp LIKE 'memory.%' AND lseq % 2",
    "UPDATE agents SET name = name || 'x'",
)


@pytest.mark.parametrize("statement", DAMAGE)
def test_a_doctor_tells_nobody_of_what_is_hidden(statement: str) -> None:
    """Whatever is damaged, an agent is told of no memory, team or project that it may not see."""
    with new_world() as world:
        crowd(world)
        readers = {who: one for who, one in world.principals().items() if not one.is_operator}
        hidden = {who: world.hidden_words(one) for who, one in readers.items()}
        with world.node.context.database.write() as transaction:
            transaction.execute(statement)
        for who, reader in readers.items():
            found = world.node.upkeep.doctor(reader)
            assert any(one.state != "ok" for one in found)
            assert list(revealed(found, hidden[who])) == []
