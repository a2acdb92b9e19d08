"""Whatever happens while the index is made anew, it is as if nothing had happened meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory_os.store.database import Database, Snapshot, Transaction
from agent_memory_os.store.upkeep import index, reindex
from tests.laws.plan import START, Step, build, plans, steps, take
from tests.laws.world import World, bytes_of, new_world

pytestmark = pytest.mark.measured

BUSY = ("add", "add", "edit", "share", "revoke", "forget", "bring back", "erase", "leave")
WRONG = {
    "pages": "DELETE FROM terms_data",
    "the lookup table": "DELETE FROM terms_idx",
    "settings": "DELETE FROM terms_config",
    "entries that were never made": "DELETE FROM documents WHERE memory % 2 = 0",
    "other words": "UPDATE documents SET terms = 'other words' WHERE memory % 3 = 0",
    "what is no text": "UPDATE documents SET terms = CAST(x'ff' AS TEXT) WHERE memory % 3 = 1",
    "scopes": "UPDATE documents SET scopes = '1'",
    "totals": "UPDATE scopes SET words = 7, documents = 7",
    "lives": "UPDATE memories SET state = 'forgotten' WHERE rowid % 2 = 0",
}


class Interrupted(Database):
    """A file in which something is done before each transaction."""

    before: Callable[[], None] = staticmethod(lambda: None)

    @contextmanager
    def read(self) -> Iterator[Snapshot]:
        """Open a snapshot, after something."""
        self.before()
        with super().read() as snapshot:
            yield snapshot

    @contextmanager
    def write(self, *, keeps_log: bool = False) -> Iterator[Transaction]:
        """Open a transaction, after something."""
        self.before()
        with super().write(keeps_log=keeps_log) as transaction:
            yield transaction


def interrupted(world: World, plan: list[Step], every: int) -> Interrupted:
    """Return a world's file, in which a step of a plan is taken before each few transactions."""
    left = iter(plan)
    count = 0

    def before() -> None:
        nonlocal count
        count += 1
        step = next(left, None) if count % every == 0 else None
        if step is not None:
            take(world, step)

    held = world.node.context.database
    database = Interrupted(held.path, held.clock, held.chance)
    database.before = before
    return database


def furnished(world: World, plan: list[Step]) -> World:
    """Fill a world with memories for every audience, and have more happen."""
    return build(world, [*START, *(Step("add", at, 1 + at, at) for at in range(12)), *plan])


def check(world: World, count: int) -> None:
    """Hold the index against the memories, and look for bytes of what was erased."""
    database = world.node.context.database
    with database.read() as snapshot:
        assert count == snapshot.value("SELECT count(*) FROM documents")
    assert index.faults(database, thorough=True) == []
    gone = [item for item in world.items.values() if item.state == "erased"]
    content = bytes_of(world)
    assert [w for item in gone for w in item.canaries if w.encode() in content] == []


@contextmanager
def hurried(**limits: object) -> Iterator[None]:
    """Have a small store be taken in as many pieces as a large one."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(reindex, "pause", lambda: None)
        for name, value in {"_SLICE": 3, "_FEW": 1, **limits}.items():
            patched.setattr(reindex, name, value)
        yield


@pytest.mark.parametrize("patience", [0, 5])
@given(plans(8), st.lists(steps(BUSY), min_size=6, max_size=30), st.integers(1, 2))
def test_what_happens_meanwhile_is_in_the_new_index(
    patience: int, before: list[Step], meanwhile: list[Step], every: int
) -> None:
    """After any writes between any two of its transactions, the index holds what it should."""
    with new_world() as world, hurried(_PATIENCE=patience):
        furnished(world, before)
        held = interrupted(world, meanwhile, every)
        count = reindex.rebuild(held)
        held.close()
        check(world, count)


@given(plans(8), st.lists(st.sampled_from([*WRONG]), min_size=1, max_size=3))
def test_whatever_is_wrong_is_right_afterwards(before: list[Step], wrong: list[str]) -> None:
    """Whatever was lost or altered of the index, or beneath it, it then holds what it should."""
    with new_world() as world, hurried():
        furnished(world, before)
        with world.node.context.database.write() as transaction:
            for name in wrong:
                transaction.execute(WRONG[name])
        world.node.close()
        check(world, reindex.rebuild(world.node.context.database))
