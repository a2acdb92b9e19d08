"""Law 9: what was revoked or forgotten is gone at once, in this process and in every other."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory_os.errors import AgentMemoryError
from agent_memory_os.model.principal import Principal
from agent_memory_os.service.memory.add import NewMemory
from agent_memory_os.service.node import LocalNode
from tests.laws.each import EACH
from tests.laws.path import WHOLE
from tests.laws.plan import START, Step, build, some
from tests.laws.world import World, new_world, open_again

ENDINGS: dict[str, Callable[[World, Principal, str], Any]] = {
    "revoked": lambda w, p, i: w.node.memories.revoke(p, i),
    "revoked by name": lambda w, p, i: w.node.memories.revoke(p, i, "agent:bob"),
    "forgotten": lambda w, p, i: w.node.memories.forget(p, i),
    "erased": lambda w, p, i: w.node.memories.erase(p, [i]),
    "out of the team": lambda w, _, __: w.node.organisation.leave("bob", "team:tq1z"),
    "the team ended": lambda w, _, __: w.node.organisation.remove_team("tq1z"),
    "out of the fleet": lambda w, _, __: w.node.organisation.remove_agent("bob"),
    "forgotten by the operator": lambda w, _, __: w.node.memories.forget_owner(
        Principal.operator(), "ann"
    ),
}
OF_THE_TEAM = ("out of the team", "the team ended")

PROGRAM = """
import json, sys
from agent_memory_os import settings, wiring
from agent_memory_os.errors import NotFound
from agent_memory_os.errors import AgentMemoryError
from agent_memory_os.model.principal import Principal
from agent_memory_os.model.recall import Filter, RecallRequest
home, agent, memory, now = sys.argv[1:]
node = wiring.open_node(settings.Settings(home, None))
reader = Principal.of_agent(agent)
asked = RecallRequest("gateway", int(now), 50, pinned=True, recent=True)
found = [repr(node.recall.search(reader, asked)), node.recall.pack(reader, asked, 4000).text]
found += [repr(node.memories.list(reader, Filter())), "".join(node.transfer.export(reader))]
try:
    found.append(repr(node.memories.get(reader, memory)))
except NotFound:
    pass
print(json.dumps(found))
"""


def everything(world: World, node: LocalNode, reader: Principal, memory_id: str) -> str:
    """Return all that every read path of a node gives to a reader, in words."""
    here = World(node, world.clock, world.folder)
    here.agents, here.active, here.groups = world.agents, world.active, world.groups
    found = [repr(path.ask(here, reader)) for path in WHOLE]
    for each in EACH:
        asked = memory_id[: each.length]
        try:
            found.append(repr(each.ask(here, reader, asked)))
        except AgentMemoryError as error:
            found.append(str(error).replace(asked, ""))
    return "\n".join(found)


def shared(world: World, way: str) -> tuple[str, Principal, Principal]:
    """Let ann share a memory with bob, linked with one of his, and have bob read it everywhere."""
    ann, bob = (Principal.of_agent(world.agents[name]) for name in ("ann", "bob"))
    audience = "team:tq1z" if way in OF_THE_TEAM else "agent:bob"
    new = NewMemory("gateway zqcanary", tags=("zqcanary",), pinned=True, session="s", position=1)
    memory = world.node.memories.add(ann, new, audience).memory
    mine = world.node.memories.add(bob, NewMemory("mine", session="s", position=2)).memory
    world.node.memories.link(bob, memory.id, mine.id)
    assert "zqcanary" in everything(world, world.node, bob, memory.id)
    return memory.id, ann, bob


@pytest.mark.parametrize("way", ENDINGS)
def test_nothing_of_it_is_left_here_nor_in_a_node_that_was_open_before(way: str) -> None:
    """No read path of this node, and of another one that has read it before, shows it again."""
    with new_world() as world:
        build(world, START)
        other = open_again(world.folder, world.clock, "other")
        memory_id, ann, bob = shared(world, way)
        assert "zqcanary" in everything(world, other, bob, memory_id)
        ENDINGS[way](world, ann, memory_id)
        for node in (world.node, other):
            left = everything(world, node, bob, memory_id)
            assert "zqcanary" not in left
            assert memory_id not in left
        other.close()


@pytest.mark.parametrize("way", ["revoked", "forgotten", "out of the team", "erased"])
def test_nothing_of_it_is_left_in_another_process(way: str) -> None:
    """A process that starts after the ending finds nothing of it, where one before did."""
    with new_world() as world:
        build(world, START)
        memory_id, ann, bob = shared(world, way)
        assert any("zqcanary" in text for text in in_a_process(world, bob, memory_id))
        ENDINGS[way](world, ann, memory_id)
        assert not any("zqcanary" in text for text in in_a_process(world, bob, memory_id))


def in_a_process(world: World, reader: Principal, memory_id: str) -> list[str]:
    """Return what a new process finds."""
    command = [sys.executable, "-c", PROGRAM, str(world.folder), str(reader.agent), memory_id]
    command.append(str(world.clock.now))
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return list(json.loads(done.stdout))


@some(0.4)
@given(st.lists(st.sampled_from(["share", "revoke", "edit", "look"]), min_size=1, max_size=4))
def test_the_last_word_counts(acts: list[str]) -> None:
    """After any order of sharing, editing and taking back, bob reads exactly if it is shared."""
    with new_world() as world:
        build(world, [*START, Step("add", 1, 0, 0)])
        ann, bob = (Principal.of_agent(world.agents[name]) for name in ("ann", "bob"))
        memory_id = world.node.memories.add(ann, NewMemory("gateway zqcanary")).memory.id
        is_shared = False
        for number, act in enumerate(acts):
            if act == "share":
                world.node.memories.share(ann, memory_id, "team:tq1z")
                is_shared = True
            elif act == "revoke":
                world.node.memories.revoke(ann, memory_id)
                is_shared = False
            elif act == "edit":
                text = f"gateway zqcanary {number}"
                world.node.memories.edit(ann, memory_id, {"content": text})
            found = "zqcanary" in everything(world, world.node, bob, memory_id)
            assert found == is_shared
