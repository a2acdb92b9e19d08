"""What is wrong with a world, by the law of the gate: each fault is a sentence."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from agent_memory_os.errors import AgentMemoryError, NotFound
from agent_memory_os.model.identifier import derive
from agent_memory_os.model.principal import Principal
from agent_memory_os.store.gate import open_gate, readable
from tests.laws.each import EACH, Each
from tests.laws.path import WHOLE
from tests.laws.whole import Whole
from tests.laws.world import Item, World

NEVER = derive("memory", "never there")
NOWHERE = derive("memory", "nowhere")


def faults(
    world: World, paths: tuple[Whole, ...] = WHOLE, each_path: tuple[Each, ...] = EACH
) -> Iterator[str]:
    """Yield every breach of the law of the gate that any principal can see in a world."""
    for who, principal in world.principals().items():
        hidden = world.hidden_words(principal)
        for path in paths:
            for fault in _of_whole(world, principal, path, hidden):
                yield f"{path.name} ({path.label}) to {who}: {fault}"
        for each in each_path:
            for item in world.items.values():
                for fault in _of_each(world, principal, each, item, hidden):
                    yield f"{each.name} of {item.id} to {who}: {fault}"
        for item in world.items.values():
            for fault in _of_writing(world, principal, item):
                yield f"{who} writing to {item.id}: {fault}"
        for fault in _of_rule(world, principal):
            yield f"the gate for {who}: {fault}"


def _of_whole(
    world: World, principal: Principal, path: Whole, hidden: dict[str, str]
) -> Iterator[str]:
    answer = path.ask(world, principal)
    told = path.tells(world, principal)
    yield from revealed(answer, {word: why for word, why in hidden.items() if word not in told})
    if path.expected is not None:
        expected, extra = path.expected(world, principal), path.extra(world, principal)
        given = [name for name in path.ids(answer) if name in expected or name not in extra]
        if not path.in_order:
            given, expected = sorted(given), sorted(expected)
        if given != expected:
            yield f"gave {given}, and should give {expected}"


def _of_each(
    world: World, principal: Principal, each: Each, item: Item, hidden: dict[str, str]
) -> Iterator[str]:
    try:
        answer = each.ask(world, principal, item.id[: each.length])
    except AgentMemoryError as error:
        if each.answers(world, principal, item):
            yield f"said {str(error)!r}, and should answer"
        elif not world.is_own(principal, item) and not is_as_if_never_there(
            world, principal, each, item, error
        ):
            yield f"said {str(error)!r}, which tells that the memory is there"
        return
    if not each.answers(world, principal, item):
        yield "answered, and should say that there is none"
    yield from revealed(answer, hidden)
    yield from each.check(world, principal, item, answer)


def is_as_if_never_there(
    world: World, principal: Principal, each: Each, item: Item, error: AgentMemoryError
) -> bool:
    """Say whether what was said about a hidden memory is what is said about one that never was."""
    try:
        each.ask(world, principal, NEVER[: each.length])
    except NotFound as other:
        asked = (item.id[: each.length], NEVER[: each.length])
        said = (str(error).replace(asked[0], "THAT"), str(other).replace(asked[1], "THAT"))
        return (type(error), said[0]) == (type(other), said[1])
    return False


def revealed(answer: object, hidden: dict[str, str]) -> Iterator[str]:
    """Yield what an answer shows that it must not."""
    text = repr(answer)
    for word, reason in hidden.items():
        if word in text:
            yield f"showed {word}, of {reason}"


WRITES: dict[str, Any] = {
    "edit": lambda m, p, i: m.edit(p, i, {"content": "taken over"}),
    "share": lambda m, p, i: m.share(p, i, "global"),
    "revoke": lambda m, p, i: m.revoke(p, i),
    "forget": lambda m, p, i: m.forget(p, i),
    "bring_back": lambda m, p, i: m.bring_back(p, i),
    "erase": lambda m, p, i: m.erase(p, [i]),
    "link": lambda m, p, i: m.link(p, i, NOWHERE),
    "link_to": lambda m, p, i: m.link(p, NOWHERE, i),
    "unlink": lambda m, p, i: m.unlink(p, i, NOWHERE),
    "supersede": lambda m, p, i: m.supersede(p, i, NOWHERE),
    "supersede_with": lambda m, p, i: m.supersede(p, NOWHERE, i),
}


def _of_writing(world: World, principal: Principal, item: Item) -> Iterator[str]:
    """Yield what the refusals of writes tell about a memory that a principal may not see."""
    if world.is_own(principal, item) or (
        world.may_read(principal, item) and item.state == "active"
    ):
        return
    for verb, write in WRITES.items():
        asked = Each(verb, partial(_write, write), _never)
        try:
            asked.ask(world, principal, item.id)
        except AgentMemoryError as error:
            if not is_as_if_never_there(world, principal, asked, item, error):
                yield f"{verb} said {str(error)!r}, which tells that the memory is there"
        else:
            yield f"{verb} was done"


def _write(write: Any, world: World, principal: Principal, memory_id: str) -> object:  # noqa: ANN401
    return write(world.node.memories, principal, memory_id)


def _never(_: World, __: Principal, ___: Item) -> bool:
    return False


def _of_rule(world: World, principal: Principal) -> Iterator[str]:
    """Yield where the SQL gate and the pure rule differ."""
    with world.node.context.database.read() as snapshot:
        gate = open_gate(snapshot, principal)
        if gate.sight.scopes != world.sight(principal).scopes:
            yield f"its scopes are {sorted(gate.sight.scopes)}"
        rows: dict[str, int] = dict(snapshot.rows("SELECT id, rowid FROM memories"))
        let_through = readable(snapshot, gate, rows.values())
    for item in world.items.values():
        allowed = world.may_read(principal, item)
        if (rows.get(item.id, 0) in let_through) != allowed:
            yield f"the pure rule says {allowed} of {item.id}, and the SQL gate does not"
