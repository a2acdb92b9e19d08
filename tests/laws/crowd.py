"""One world with everything in it, made by hand: what a mutation of the gate must not pass by.

Ann and bob are in a team, ann in its project; cleo and ann are in another team; dan left the first
team, and ed was taken out of the fleet. Each audience has memories of each fate: kept, edited
before it was shared, taken back, shared again, forgotten, expired, not yet valid, erased.
"""

from __future__ import annotations

from agent_memory_os.store import audit
from tests.laws.lost import lose
from tests.laws.plan import (
    START,
    Step,
    add_item,
    build,
    edit_item,
    link_items,
    note_use,
    share_item,
    take,
)
from tests.laws.world import World

PLAIN, FACT, EXPIRED, NOT_YET = 0, 4, 8, 2
"""Kinds of memory, as ``plan.fields_of`` reads them."""

SAID, SAID_NEXT = 5, 11
"""Kinds that stand in a session, one behind the other."""


def crowd(world: World) -> World:
    """Fill a world with everything and return it."""
    build(world, [*START, Step("hire", 3)])
    first, project, other = world.groups.values()
    _move(world, "dan", first.name, joins=True)
    for owner, audiences in (
        ("ann", [[], ["global"], [project.scope, other.scope]]),
        ("bob", [[], [first.scope], [f"agent:{world.agents['ann']}"]]),
        ("cleo", [[]]),
        ("dan", [[first.scope]]),
    ):
        for chosen in audiences:
            _fates(world, owner, chosen)
        for kind, scopes in ((SAID_NEXT, ["global"]), (SAID, []), (SAID_NEXT, [])):
            add_item(world, owner, scopes, kind)
    _links(world)
    _move(world, "dan", first.name, joins=False)
    _end(world)
    for item in [one for one in world.items.values() if one.state == "active"][::2]:
        lose(world, item)
    _note(world)
    take(world, Step("wait", 0))
    return world


def _note(world: World) -> None:
    """Erase two memories, and write to the audit that each agent did something to each memory."""
    for name in ("ann", "cleo"):
        item = next(i for i in world.items.values() if i.owner == name and i.state == "active")
        world.node.memories.erase(world.principals()[f"agent {name}"], [item.id])
        item.state = "erased"
        world.links = {key: w for key, w in world.links.items() if item.id not in key}
        world.noted.append((name, item))
    with world.node.context.database.write() as transaction:
        for name, agent in world.agents.items():
            for item in world.items.values():
                audit.add(transaction, agent, "touch", item.id)
                world.noted.append((name, item))


def _move(world: World, name: str, team: str, *, joins: bool) -> None:
    group = next(group for group in world.groups.values() if group.name == team)
    organisation = world.node.organisation
    (organisation.join if joins else organisation.leave)(name, f"team:{team}")
    (group.members.add if joins else group.members.discard)(name)


def _fates(world: World, owner: str, scopes: list[str]) -> None:
    """Add a memory of each fate for some scopes; of a private one there are fewer."""
    world.clock.now += 1000
    add_item(world, owner, scopes, PLAIN)
    if not scopes:
        return
    for kind in (FACT, EXPIRED, NOT_YET):
        add_item(world, owner, scopes, kind)
    _late(world, owner, scopes)
    _taken_back(world, owner, scopes)
    forgotten = add_item(world, owner, scopes, PLAIN)
    world.node.memories.forget(world.principals()[f"agent {owner}"], forgotten.id)
    forgotten.state = "forgotten"


def _late(world: World, owner: str, scopes: list[str]) -> None:
    """Add a memory that is edited before it is shared, and again after."""
    late = add_item(world, owner, [], PLAIN)
    edit_item(world, late)
    world.clock.now += 1000
    for scope in scopes:
        share_item(world, late, scope)
    edit_item(world, late)


def _taken_back(world: World, owner: str, scopes: list[str]) -> None:
    """Add a memory that is taken back, and one that is edited meanwhile and shared again."""
    gone, back = (add_item(world, owner, scopes, PLAIN) for _ in range(2))
    for item in (gone, back):
        world.clock.now += 1000
        world.node.memories.revoke(world.principals()[f"agent {owner}"], item.id)
        item.grants.clear()
        edit_item(world, item)
    world.clock.now += 1000
    edit_item(world, back)
    for scope in scopes:
        share_item(world, back, scope)


def _links(world: World) -> None:
    """Link memories that all may read to some that few may."""
    for name in world.agents:
        principal = world.principals()[f"agent {name}"]
        seen = world.readable(principal)
        mine = [item for item in seen if item.owner == name]
        others = [item for item in seen if item.owner != name]
        pairs = [*zip(mine[1:4], mine, strict=False), *zip(mine, others, strict=False)]
        for src, dst in pairs:
            link_items(world, name, src, dst)


def _end(world: World) -> None:
    """End a team and a project that have memories, and take ed out of the fleet again."""
    for name in ("bob", "ann"):
        team = world.node.organisation.add_team(f"tq9{name}z")
        scope = f"team:{team.id}"
        _keep_group(world, scope, team.name)
        _move(world, name, team.name, joins=True)
        _move(world, "cleo", team.name, joins=True)
        add_item(world, name, [scope], PLAIN)
        _project(world, name, team.name, f"pq9{name}z")
    _project(world, "bob", "tq9bobz", "pq8z")
    world.node.organisation.remove_team("tq9annz")
    world.node.organisation.remove_project("tq9bobz/pq8z")
    for ended in ("tq9annz", "tq9bobz/pq8z"):
        world.groups[_scope_of(world, ended)].is_live = False
    _leave_and_return(world)
    _dismiss_ed(world)


def _project(world: World, owner: str, team: str, name: str) -> None:
    """Make a project of a team for its owner and cleo, with a memory in it."""
    project = world.node.organisation.add_project(team, name)
    scope = f"project:{project.id}"
    _keep_group(world, scope, f"{team}/{name}", team=_scope_of(world, team))
    for member in (owner, "cleo"):
        world.node.organisation.join(member, f"project:{team}/{name}")
        world.groups[scope].members.add(member)
    add_item(world, owner, [scope], PLAIN)


def _leave_and_return(world: World) -> None:
    """Let cleo leave the team, and with it the project, and join the team alone again."""
    _move(world, "cleo", "tq9bobz", joins=False)
    _move(world, "cleo", "tq9bobz", joins=True)
    world.groups[_scope_of(world, "tq9bobz/pq9bobz")].members.discard("cleo")


def _dismiss_ed(world: World) -> None:
    world.agents["ed"] = world.node.organisation.add_agent("ed").id
    world.active.add("ed")
    note_use(world, "ed")
    for scopes in ([], ["global"]):
        add_item(world, "ed", scopes, PLAIN)
    world.node.organisation.remove_agent("ed")
    world.active.discard("ed")


def _keep_group(world: World, scope: str, name: str, team: str = "") -> None:
    from tests.laws.world import Group

    world.groups[scope] = Group(scope, name, team)


def _scope_of(world: World, name: str) -> str:
    return next(group.scope for group in world.groups.values() if group.name == name)
