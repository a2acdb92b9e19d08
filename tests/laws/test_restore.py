"""Laws 9 and 10 over a restore: what was taken back since the backup stays so."""

from __future__ import annotations

from copy import deepcopy

from hypothesis import given
from hypothesis import strategies as st

from agent_memory_os.model.principal import Principal
from agent_memory_os.service.upkeep import restore
from tests.laws.gate import faults
from tests.laws.plan import START, Step, build, plans, some, steps
from tests.laws.world import Item, World, bytes_of, new_world

AFTER = (
    *("erase", "forget", "revoke", "leave", "dismiss", "end group", "bring back", "share"),
    *("add", "edit", "join", "hire", "found team", "link"),
)


class Kept:
    """What the oracle knew when a backup was made."""

    def __init__(self, world: World) -> None:
        self.agents, self.active = dict(world.agents), set(world.active)
        self.groups, self.items = deepcopy(world.groups), deepcopy(world.items)
        self.links = dict(world.links)

    def narrowed(self, world: World) -> None:
        """Make a world what it was, without what was taken away since."""
        self.without(self, world)
        self.is_now(world)

    def without(self, before: Kept, after: World) -> None:
        """Take away what was taken away between two states."""
        for scope, group in self.groups.items():
            if scope in before.groups:
                group.members -= before.groups[scope].members - after.groups[scope].members
                group.is_live &= after.groups[scope].is_live
        for name, item in self.items.items():
            if name in before.items:
                narrow(item, before.items[name], after.items[name])
        self.active -= before.active - after.active

    def is_now(self, world: World) -> None:
        """Make a world what it was."""
        gone = {item.id for item in self.items.values() if item.state == "erased"}
        world.links = {key: w for key, w in self.links.items() if not gone & set(key)}
        world.agents, world.active = self.agents, self.active
        world.groups, world.items = self.groups, self.items


def narrow(item: Item, before: Item, after: Item) -> None:
    """Take from a memory what was taken from it between two states."""
    if after.state != before.state and after.state in ("forgotten", "erased"):
        item.state = after.state if item.state != "erased" else "erased"
    if after.state != "erased":
        item.grants -= before.grants - after.grants


def filled(world: World, plan: list[Step]) -> World:
    """Fill a world with memories for every audience, and have more happen."""
    return build(world, [*START, *(Step("add", at, 1 + at, at) for at in range(8)), *plan])


def backed_up(world: World, name: str) -> tuple[str, Kept]:
    """Make a backup of a world; return its path, and what the oracle knew then."""
    return world.node.upkeep.backup(str(world.folder / name)).path, Kept(world)


def check(world: World, erased: set[str]) -> None:
    """Hold a restored world against the oracle, and look for what was erased."""
    assert list(faults(world)) == []
    found = world.node.upkeep.doctor(Principal.operator())
    assert [one for one in found if one.state == "fault"] == []
    with world.node.context.database.read() as snapshot:
        buried = {row[0] for row in snapshot.rows("SELECT id FROM tombstones")}
    assert buried == erased
    content = bytes_of(world)
    gone = [item for item in world.items.values() if item.id in erased]
    assert [w for item in gone for w in item.canaries if w.encode() in content] == []


def erased_in(world: World) -> set[str]:
    """Return the ids of what was erased in a world."""
    return {item.id for item in world.items.values() if item.state == "erased"}


@some(0.8)
@given(plans(14), st.lists(steps(AFTER), max_size=20))
def test_what_was_taken_back_since_stays_so(before: list[Step], after: list[Step]) -> None:
    """After a restore each path gives what the backup held, less what was taken away since."""
    with new_world() as world:
        filled(world, before)
        backup, kept = backed_up(world, "backup")
        build(world, after)
        erased = erased_in(world)
        restore(world.node.context, backup, force=True)
        kept.narrowed(world)
        check(world, erased)


@some(0.8)
@given(st.lists(steps(AFTER), max_size=12), st.lists(steps(AFTER), max_size=12))
def test_a_newer_backup_is_not_held_to_an_older_state(
    between: list[Step], after: list[Step]
) -> None:
    """Of a backup that is newer than what is there, only what was ended since is taken back."""
    with new_world() as world:
        filled(world, [])
        older, first = backed_up(world, "older")
        build(world, between)
        newer, second = backed_up(world, "newer")
        erased = erased_in(world)
        restore(world.node.context, older, force=True)
        first.narrowed(world)
        held = Kept(world)
        build(world, after)
        erased |= erased_in(world)
        second.without(held, world)
        restore(world.node.context, newer, force=True)
        second.is_now(world)
        check(world, erased)
