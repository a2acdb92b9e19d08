"""What others do out of one reader's sight: steps that must change nothing for it.

Each function does something among the others of a world and with memories that the reader may not
read, neither before nor after, or to the hidden side of a memory that it may read: a grant that
does not reach it, a link whose other end it may not see.
"""

from __future__ import annotations

from agent_memory_os.model.principal import Principal
from tests.laws.plan import (
    Step,
    add_item,
    as_owner,
    audiences,
    edit_item,
    link_items,
    pick,
    share_item,
    take,
)
from tests.laws.world import Item, World

VERBS = ("add", "edit", "share", "revoke", "forget", "bring back", "erase", "link", "twin")


def hidden_items(world: World, reader: Principal) -> list[Item]:
    """Return the memories that a reader may not read, the newest first."""
    items = [item for item in reversed(world.items.values()) if item.state != "erased"]
    return [item for item in items if not world.may_read(reader, item)]


def unseen_scopes(world: World, reader: Principal, owner: str) -> list[str]:
    """Return the audiences of an agent that do not reach a reader."""
    reached = world.sight(reader).scopes
    return [scope for scope in audiences(world, owner) if scope not in reached]


def happen(world: World, reader: Principal, step: Step) -> None:
    """Let one thing happen out of a reader's sight; nothing where there is nobody to do it."""
    others = sorted(world.active - {world.name_of(reader)})
    if not others:
        return
    owner = others[step.a % len(others)]
    hidden = [item for item in hidden_items(world, reader) if item.owner in world.active]
    if step.verb in ("add", "twin"):
        _add(world, reader, owner, step)
    elif step.verb == "share":
        _share(world, reader, step)
    elif step.verb == "link":
        _link(world, reader, owner, step)
    elif (item := pick(hidden, step.a)) is not None:
        _change(world, item, step)


def _add(world: World, reader: Principal, owner: str, step: Step) -> None:
    scopes = unseen_scopes(world, reader, owner)
    chosen = [scope for place, scope in enumerate(scopes) if step.b >> place & 1][:2]
    item = add_item(world, owner, chosen, step.c)
    if step.verb == "twin":
        _say_the_same(world, item, pick(world.shown(reader), step.b))


def _say_the_same(world: World, item: Item, other: Item | None) -> None:
    """Let a hidden memory say what one says that the reader sees, in the same session."""
    if other is None:
        return
    session = str(other.fields["session"])
    changes = {"content": f"{other.words} {other.versions[-1].canary}", "session": session}
    changes["position"] = int(str(other.fields["position"])) + 1  # type: ignore[assignment]
    world.node.memories.edit(as_owner(world, item), item.id, changes)


def _share(world: World, reader: Principal, step: Step) -> None:
    """Share a memory, also one that the reader sees, with somebody else."""
    items = [i for i in reversed(world.items.values()) if i.state == "active"]
    item = pick(
        [i for i in items if i.owner in world.active and not _is_of(world, reader, i)], step.a
    )
    if item is not None:
        scope = pick(unseen_scopes(world, reader, item.owner), step.b)
        if scope is not None:
            share_item(world, item, scope)


def _is_of(world: World, reader: Principal, item: Item) -> bool:
    return item.owner == world.name_of(reader)


def _link(world: World, reader: Principal, owner: str, step: Step) -> None:
    """Link a hidden memory with any other, so that it supersedes what the reader sees."""
    agent = Principal.of_agent(world.agents[owner])
    seen = world.readable(agent)
    src = pick([item for item in seen if not world.may_read(reader, item)], step.b)
    dst = pick(seen, step.c)
    if src is not None and dst is not None and src is not dst:
        link_items(world, owner, src, dst)


def _change(world: World, item: Item, step: Step) -> None:
    owner = as_owner(world, item)
    memories = world.node.memories
    if item.state == "forgotten":
        if step.verb == "bring back":
            memories.bring_back(owner, item.id)
            item.state = "active"
    elif step.verb == "edit":
        edit_item(world, item)
    elif step.verb == "revoke":
        memories.revoke(owner, item.id)
        item.grants.clear()
    elif step.verb == "forget":
        memories.forget(owner, item.id)
        item.state = "forgotten"
    elif step.verb == "erase":
        memories.erase(owner, [item.id])
        item.state = "erased"
        world.links = {key: w for key, w in world.links.items() if item.id not in key}


def move_others(world: World, reader: Principal, step: Step) -> None:
    """Let another agent leave or join a group that the reader is not in."""
    before = world.sight(reader)
    groups = [g for g in world.groups.values() if g.scope not in before.scopes and g.is_live]
    if groups:
        name = sorted(world.active)[step.a % len(world.active)]
        if name != world.name_of(reader) and not groups[0].team:
            place = list(world.groups.values()).index(groups[step.b % len(groups)])
            take(world, Step("join", sorted(world.active).index(name), place))
