"""Law 1: no read path returns, counts or reveals what the principal may not read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import pytest
from hypothesis import given

from agent_memory_os.errors import AgentMemoryError
from agent_memory_os.model.principal import Principal
from tests.laws.crowd import crowd
from tests.laws.each import EACH
from tests.laws.gate import faults, revealed
from tests.laws.path import WHOLE
from tests.laws.plan import START, Step, build, plans, some
from tests.laws.world import World, new_world


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
    *(
        f"UPDATE {table} SET {column} = CAST(CAST({column} AS BLOB) || X'FF' AS TEXT)"
        for table, column in (
            ("memories", "content"),
            ("memories", "tags"),
            ("memories", "author"),
            ("memory_versions", "value"),
            ("documents", "terms"),
            ("teams", "name"),
            ("registers", "value"),
            ("shelf", "value"),
        )
    ),
    "UPDATE memories SET tags = content",
    "UPDATE memories SET source = '[' || tags || ']'",
    "UPDATE memory_versions SET value = '{}'",
    "UPDATE memory_versions SET value = 'x' || value",
    "UPDATE shelf SET value = 'x' || value",
    "UPDATE documents SET terms = 'x' || terms",
    "UPDATE proofs SET proof = 'x' || proof",
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


@pytest.mark.parametrize("statement", DAMAGE)
def test_damage_tells_nobody_of_what_is_hidden(statement: str) -> None:
    """Whatever is damaged, each path answers, or fails in words that show nothing hidden."""
    with new_world() as world:
        crowd(world)
        readers = {who: one for who, one in world.principals().items() if not one.is_operator}
        hidden = {who: world.hidden_words(one) for who, one in readers.items()}
        with world.node.context.database.write() as transaction:
            transaction.execute(statement)
        for who, reader in readers.items():
            for said, told in damaged_answers(world, reader):
                unknown = {word: why for word, why in hidden[who].items() if word not in told}
                assert list(revealed(said, unknown)) == [], who


def damaged_answers(world: World, reader: Principal) -> Iterator[tuple[str, set[str]]]:
    """Yield what each path answers, or says where it fails, and what its reader may know."""
    for path in WHOLE:
        yield said_by(partial(path.ask, world, reader)), path.tells(world, reader)
    for each in EACH:
        for name in world.items:
            yield said_by(partial(each.ask, world, reader, name)).replace(name, "THAT"), set()


def said_by(ask: Callable[[], object]) -> str:
    """Return an answer, or the words of the error, with all that they hold."""
    try:
        return repr(ask())
    except AgentMemoryError as error:
        return repr([str(error), error.about])
