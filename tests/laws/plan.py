"""What may happen in a world, and how Hypothesis draws it.

A step is a verb and a few small numbers. What the numbers mean depends on what there is when the
step is taken, so that a list of steps that is cut short or changed is still a plan: that is what
lets Hypothesis find the smallest one. A step that makes no sense then does nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from hypothesis import settings
from hypothesis import strategies as st

from agent_memory_os.errors import AgentMemoryError
from agent_memory_os.model.principal import Principal
from agent_memory_os.service.keys import DAY_MS
from agent_memory_os.service.memory.add import NewMemory
from agent_memory_os.store.keys import Use
from tests.laws.lost import lose
from tests.laws.world import HOUR, SECOND, Group, Item, Version, World, key_of

WORDS = ("gateway", "deploy", "coffee", "invoice")
NAMES = ("ann", "bob", "cleo", "dan")
TYPES = ("note", "fact", "event")
TEXTS = ("summary", "tags", "source", "author", "session")

Thing = TypeVar("Thing")


class Step(NamedTuple):
    """One thing that happens: a verb of :data:`VERBS`, and numbers that choose among what is."""

    verb: str
    a: int = 0
    b: int = 0
    c: int = 0


def pick(things: list[Thing], number: int) -> Thing | None:
    """Return one of some things by a number that may be too large, or nothing of none."""
    return things[number % len(things)] if things else None


def take(world: World, step: Step) -> None:
    """Take a step in a world, and let a second pass."""
    world.clock.now += SECOND
    VERBS[step.verb](world, step)


def build(world: World, steps: list[Step]) -> World:
    """Take steps in a world and return it."""
    for step in steps:
        take(world, step)
    return world


def _hire(world: World, step: Step) -> None:
    name = NAMES[step.a % len(NAMES)]
    if name not in world.active:
        is_new = name not in world.agents
        world.agents[name] = world.node.organisation.add_agent(name).id
        world.active.add(name)
        if is_new:
            note_use(world, name)


def note_use(world: World, name: str) -> None:
    """Note that an agent used a key of its own."""
    use = Use(world.clock.now // DAY_MS, key_of(name), world.agents[name], 1, 1, 1)
    world.node.keys.note([use], [])


def _dismiss(world: World, step: Step) -> None:
    name = pick(sorted(world.active), step.a)
    if name is not None and step.b % 3 == 0:
        world.node.organisation.remove_agent(name)
        world.active.discard(name)
        for group in world.groups.values():
            group.members.discard(name)


def _found_team(world: World, _: Step) -> None:
    name = f"tq{next(world.numbers)}z"
    scope = f"team:{world.node.organisation.add_team(name).id}"
    world.groups[scope] = Group(scope, name)


def _found_project(world: World, step: Step) -> None:
    team = pick(teams(world), step.a)
    if team is not None:
        name = f"pq{next(world.numbers)}z"
        scope = f"project:{world.node.organisation.add_project(team.name, name).id}"
        world.groups[scope] = Group(scope, f"{team.name}/{name}", team.scope)


def teams(world: World) -> list[Group]:
    """Return the live teams."""
    return [group for group in world.groups.values() if not group.team and group.is_live]


def live(world: World) -> list[Group]:
    """Return the live teams, and the live projects of live teams."""
    groups = [group for group in world.groups.values() if group.is_live]
    return [group for group in groups if not group.team or world.groups[group.team].is_live]


def full_name(group: Group) -> str:
    """Return a group's scope as people write it."""
    return f"{group.scope.partition(':')[0]}:{group.name}"


def _join(world: World, step: Step) -> None:
    name, group = pick(sorted(world.active), step.a), pick(live(world), step.b)
    if name is None or group is None:
        return
    if group.team and name not in world.groups[group.team].members:
        with_error(lambda: world.node.organisation.join(name, full_name(group)))
        return
    world.node.organisation.join(name, full_name(group))
    group.members.add(name)


def with_error(act: Callable[[], object]) -> str:
    """Do what must be refused, and return the words of the refusal."""
    try:
        done = act()
    except AgentMemoryError as error:
        return str(error)
    raise AssertionError(f"this was not refused, and gave {done!r}")


def _leave(world: World, step: Step) -> None:
    group = pick(live(world), step.a)
    name = pick(sorted(group.members), step.b) if group else None
    if name is None or group is None:
        return
    world.node.organisation.leave(name, full_name(group))
    for one in world.groups.values():
        if one is group or one.team == group.scope:
            one.members.discard(name)


def _end_group(world: World, step: Step) -> None:
    group = pick(live(world), step.a)
    if group is None or step.b % 3:
        return
    group.is_live = False
    if group.team:
        world.node.organisation.remove_project(group.name)
    else:
        world.node.organisation.remove_team(group.name)


def audiences(world: World, owner: str) -> dict[str, str]:
    """Return what an agent may share with: each scope with its audience as people write it."""
    found = {"global": "global"}
    found |= {f"agent:{world.agents[name]}": f"agent:{name}" for name in sorted(world.active)}
    groups = [group for group in live(world) if world.is_in(owner, group)]
    return found | {group.scope: full_name(group) for group in groups}


def _add(world: World, step: Step) -> None:
    owner = pick(sorted(world.active), step.a)
    if owner is None:
        return
    choices = audiences(world, owner)
    scopes = [s for place, s in enumerate(choices) if step.b >> place & 1][:2]
    add_item(world, owner, scopes, step.c)


def add_item(world: World, owner: str, scopes: list[str], kind: int) -> Item:
    """Add a memory of an agent for some scopes; ``kind`` chooses its words and fields."""
    choices = audiences(world, owner)
    audience = ", ".join(choices[scope] for scope in scopes) or "private"
    number = next(world.numbers)
    canary, words = f"zq{number}xv1", WORDS[kind % len(WORDS)]
    fields = fields_of(world, kind, canary)
    new = NewMemory(f"{words} {canary}", **fields)
    principal = Principal.of_agent(world.agents[owner])
    memory = world.node.memories.add(principal, new, audience).memory
    version = Version(canary, memory.content.updated_at)
    created = memory.content.created_at
    item = Item(memory.id, owner, number, created, words, [version], set(scopes), fields=fields)
    world.items[item.id] = item
    world.note_readers(item)
    return item


def fields_of(world: World, kind: int, canary: str) -> dict[str, Any]:
    """Return fields of a memory: a canary in each that holds text, and times that matter."""
    now = world.clock.now
    fields: dict[str, Any] = {
        "type": TYPES[kind % len(TYPES)],
        "summary": f"summary {canary}",
        "tags": (f"tag{canary}", f"t{kind % 2}"),
        "source": {"file": f"file{canary}"},
        "author": f"author{canary}",
        "session": "shared" if kind % 2 else f"session{canary}",
        "position": kind % 5,
        "pinned": kind % 3 == 0,
        "importance": 100 * (kind % 11),
    }
    if kind % 7 == 1:
        fields["expires_at"] = now + SECOND * (kind % 4)
    if kind % 7 == 2:
        fields["valid_from"] = now + HOUR
    if kind % 5 == 3:
        fields["event_at"] = now - HOUR * (kind % 9)
    return fields


def _edit(world: World, step: Step) -> None:
    item = pick(active_items(world), step.a)
    if item is None:
        return
    if item.owner in world.active and left(world, item):
        changes = {"content": "never kept"}
        with_error(lambda: world.node.memories.edit(as_owner(world, item), item.id, changes))
        return
    edit_item(world, item)


def left(world: World, item: Item) -> set[str]:
    """Return the groups that a memory is shared with and that its owner has left."""
    groups = [world.groups[scope] for scope in item.grants if scope in world.groups]
    return {group.scope for group in groups if item.owner not in group.members}


def edit_item(world: World, item: Item) -> None:
    """Write a new version of a memory, with a canary of its own in each field."""
    canary = f"zq{item.order}xv{len(item.versions) + 1}"
    fields = {
        "content": f"{item.words} {canary}",
        "summary": f"summary {canary}",
        "tags": (f"tag{canary}", *item.fields["tags"][1:]),  # type: ignore[index]
        "source": {"file": f"file{canary}"},
        "author": f"author{canary}",
        "session": f"session{canary}",
    }
    outcome = world.node.memories.edit(as_owner(world, item), item.id, fields, f"why {canary}")
    item.fields |= {name: fields[name] for name in TEXTS}
    item.versions.append(Version(canary, outcome.memory.content.updated_at))
    world.note_readers(item)


def as_owner(world: World, item: Item) -> Principal:
    """Return the owner of a memory, or the operator where the owner may not act any more."""
    if item.owner in world.active:
        return Principal.of_agent(world.agents[item.owner])
    return Principal.operator()


def active_items(world: World) -> list[Item]:
    """Return the memories that are neither forgotten nor erased, the newest first.

    A small number then chooses a new one, so that much happens to the same.
    """
    return [item for item in reversed(world.items.values()) if item.state == "active"]


def _share(world: World, step: Step) -> None:
    item = pick(active_items(world), step.a)
    if item is not None:
        scope = pick(list(audiences(world, item.owner)), step.b)
        share_item(world, item, str(scope))


def share_item(world: World, item: Item, scope: str) -> None:
    """Share a memory with one more scope."""
    audience = audiences(world, item.owner)[scope]
    world.node.memories.share(as_owner(world, item), item.id, audience)
    item.grants.add(scope)
    world.note_readers(item)


def _revoke(world: World, step: Step) -> None:
    item = pick(active_items(world), step.a)
    if item is None:
        return
    if step.b % 3 == 0:
        world.node.memories.revoke(as_owner(world, item), item.id)
        item.grants.clear()
    elif item.grants:
        scope = str(pick(sorted(item.grants), step.b))
        world.node.memories.revoke(as_owner(world, item), item.id, scope)
        item.grants.discard(scope)


def _forget(world: World, step: Step) -> None:
    item = pick(active_items(world), step.a)
    if item is not None:
        world.node.memories.forget(as_owner(world, item), item.id)
        item.state = "forgotten"


def _bring_back(world: World, step: Step) -> None:
    item = pick([item for item in world.items.values() if item.state == "forgotten"], step.a)
    if item is not None:
        if item.owner in world.active:
            # It comes back to whoever its owner may still share with.
            item.grants -= left(world, item)
        world.node.memories.bring_back(as_owner(world, item), item.id)
        item.state = "active"


def _erase(world: World, step: Step) -> None:
    item = pick([item for item in world.items.values() if item.state != "erased"], step.a)
    if item is not None and step.b % 3 == 0:
        world.node.memories.erase(as_owner(world, item), [item.id])
        if item.owner in world.active:
            world.noted.append((item.owner, item))
        item.state = "erased"
        world.links = {key: w for key, w in world.links.items() if item.id not in key}


def _link(world: World, step: Step) -> None:
    name = pick(sorted(world.active), step.a)
    if name is None:
        return
    principal = Principal.of_agent(world.agents[name])
    seen = world.readable(principal)
    src, dst = pick(seen, step.b), pick(seen, step.c)
    if src is not None and dst is not None and src is not dst:
        link_items(world, name, src, dst)


def link_items(world: World, name: str, src: Item, dst: Item) -> None:
    """Let an agent say that one memory is related to another, and supersedes it if it may."""
    principal = Principal.of_agent(world.agents[name])
    world.node.memories.link(principal, src.id, dst.id, "related_to", 700)
    world.links[src.id, dst.id, "related_to", world.agents[name]] = 700
    if src.owner == name:
        world.node.memories.supersede(principal, dst.id, src.id)
        world.links[src.id, dst.id, "supersedes", world.agents[name]] = 500


def _wait(world: World, step: Step) -> None:
    world.clock.now += (step.a % 4) * HOUR


VERBS: dict[str, Callable[[World, Step], None]] = {
    "add": _add,
    "edit": _edit,
    "share": _share,
    "revoke": _revoke,
    "forget": _forget,
    "bring back": _bring_back,
    "erase": _erase,
    "link": _link,
    "join": _join,
    "leave": _leave,
    "hire": _hire,
    "dismiss": _dismiss,
    "found team": _found_team,
    "found project": _found_project,
    "end group": _end_group,
    "wait": _wait,
    "lose": lambda world, step: lose(world, *active_items(world)[step.a :][:1]),
}

START = [
    Step("hire", 0),
    Step("hire", 1),
    Step("hire", 2),
    Step("found team"),
    Step("found project", 0),
    Step("join", 0, 0),
    Step("join", 1, 0),
    Step("join", 0, 1),
    Step("found team"),
    Step("join", 2, 2),
    Step("join", 0, 2),
]
"""Three agents, ann and bob in one team, ann in its project, cleo and ann in another team."""


def some(share: float) -> settings:
    """Return settings that search a share of what the profile would: for laws that are costly."""
    return settings(max_examples=max(10, int(settings().max_examples * share)))


NUMBERS = st.integers(0, 3) | st.integers(0, 60)
OFTEN = ("add", "add", "add", "share", "share", "edit", "edit", "revoke", "revoke", "link")


def steps(verbs: tuple[str, ...] = (*OFTEN, *VERBS)) -> st.SearchStrategy[Step]:
    """Draw a step of some verbs."""
    return st.builds(Step, st.sampled_from(verbs), NUMBERS, NUMBERS, NUMBERS)


def plans(most: int = 18) -> st.SearchStrategy[list[Step]]:
    """Draw what happens in a world after its beginning."""
    return st.lists(steps(), min_size=1, max_size=most)
