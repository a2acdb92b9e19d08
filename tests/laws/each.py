"""The read paths that are asked about one memory: each answers, or says that there is none."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from agent_memory_os.errors import AgentMemoryError
from agent_memory_os.model.principal import Principal
from agent_memory_os.model.recall import Filter
from tests.laws.whole import MANY
from tests.laws.world import Item, World


class Each(NamedTuple):
    """A path that is asked about one memory, and answers exactly where ``answers`` says so.

    ``length`` is how many characters of the memory's id it is asked with.
    """

    name: str
    ask: Callable[[World, Principal, str], Any]
    answers: Callable[[World, Principal, Item], bool]
    check: Callable[[World, Principal, Item, Any], Iterable[str]] = lambda *_: ()
    length: int = 36


def is_readable(world: World, principal: Principal, item: Item) -> bool:
    """Say whether a memory is there for a principal."""
    # What has expired is not offered any more, and can still be read by whoever may read it.
    return item.state == "active" and world.may_read(principal, item)


def is_shown(world: World, principal: Principal, item: Item) -> bool:
    """Say whether a memory is there for a principal, and holds now."""
    return is_readable(world, principal, item) and item.is_current(world.clock.now)


def is_found_by_less(world: World, principal: Principal, item: Item) -> bool:
    """Say whether the first characters of an id are enough: of what is shown, and of one's own."""
    return is_readable(world, principal, item) and (
        world.is_own(principal, item) or item.is_current(world.clock.now)
    )


def links_of(world: World, principal: Principal, item: Item, answer: Any) -> Iterable[str]:  # noqa: ANN401
    """Yield what is wrong with the links of a memory."""
    expected = {
        (*key, weight)
        for key, weight in world.links.items()
        if item.id in key[:2]
        and is_shown(world, principal, world.items[key[1] if key[0] == item.id else key[0]])
    }
    given = {(one.src, one.dst, one.relation, one.by, one.weight) for one in answer}
    if given != expected:
        yield f"the links are {sorted(given)}, and should be {sorted(expected)}"


def graph_of(world: World, principal: Principal, item: Item, answer: Any) -> Iterable[str]:  # noqa: ANN401
    """Yield what is wrong with what a memory is linked to, two hops far."""
    found = nearest = {item.id}
    for _ in range(2):
        ends = {end for key in world.links if nearest & {*key[:2]} for end in key[:2]}
        nearest = {one for one in ends - found if is_shown(world, principal, world.items[one])}
        found = found | nearest
    if {one.id for one in answer.memories} != found or answer.memories[0].id != item.id:
        yield f"it leads to {sorted(one.id for one in answer.memories)}, not to {sorted(found)}"
    between = {(*key, weight) for key, weight in world.links.items() if {*key[:2]} <= found}
    given = {(one.src, one.dst, one.relation, one.by, one.weight) for one in answer.links}
    if given != between:
        yield f"the links are {sorted(given)}, and should be {sorted(between)}"


def state_of(world: World, _: Principal, item: Item, answer: Any) -> Iterable[str]:  # noqa: ANN401
    """Yield what is wrong with the state of a memory: who asks for one by its id is told of it."""
    state = "active" if item.is_current(world.clock.now) else "expired"
    if item.state == "active" and answer.state_at(world.clock.now) != state:
        yield f"its state is {answer.state_at(world.clock.now)}, and should be {state}"


def versions_of(world: World, principal: Principal, item: Item, answer: Any) -> Iterable[str]:  # noqa: ANN401
    """Yield what is wrong with the history of a memory."""
    scopes = world.sight(principal).scopes
    is_own = world.is_own(principal, item)
    expected = [v.canary for v in item.versions if is_own or v.seen_by & scopes]
    given = [version.content.content.split()[-1] for version in answer]
    if given != expected:
        yield f"the versions are {given}, and should be {expected}"


def past_of(world: World, principal: Principal, item_id: str) -> list[str]:
    """Return what a memory said when each version began, as far as a principal may know."""
    world.node.memories.get(principal, item_id)
    item = world.items.get(item_id)
    instants = [version.since for version in item.versions] if item else []
    found = []
    for at in (*instants, world.clock.now, 0):
        try:
            found.append(repr(world.node.memories.as_of(principal, item_id, at)))
        except AgentMemoryError as error:
            found.append(str(error))
    return found


EACH: tuple[Each, ...] = (
    Each("memories.get", lambda w, p, i: w.node.memories.get(p, i), is_readable, state_of),
    Each("memories.get", lambda w, p, i: w.node.memories.get(p, i), is_found_by_less, length=20),
    Each("memories.links", lambda w, p, i: w.node.memories.links(p, i), is_readable, links_of),
    Each("memories.graph", lambda w, p, i: w.node.memories.graph(p, i, 2), is_readable, graph_of),
    Each(
        "memories.history", lambda w, p, i: w.node.memories.history(p, i), is_readable, versions_of
    ),
    Each("memories.as_of", past_of, is_readable),
    Each(
        "memories.timeline",
        lambda w, p, i: w.node.memories.timeline(p, i, Filter(), MANY),
        is_readable,
    ),
)
