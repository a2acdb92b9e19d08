"""Laws 1 and 9 over the wire: a served node shows each key no more than a local one its agent."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given, settings

from agent_memory_os.errors import NotAllowed, Unauthenticated
from agent_memory_os.model.principal import Principal
from agent_memory_os.model.recall import Filter
from agent_memory_os.remote.node import RemoteNode
from agent_memory_os.server.serve import Serving, door_for
from agent_memory_os.service.memory.add import NewMemory
from tests.api.operation import OPERATIONS
from tests.api.served import listening
from tests.laws.alias import ALIASES, EACH_ALIAS
from tests.laws.crowd import crowd
from tests.laws.each import EACH
from tests.laws.far import served
from tests.laws.gate import faults, revealed
from tests.laws.path import WHOLE
from tests.laws.plan import START, Step, build, plans
from tests.laws.world import new_world


@settings(max_examples=max(5, settings().max_examples // 12))
@given(plans())
def test_no_path_over_the_wire_shows_what_is_hidden(plan: list[Step]) -> None:
    """Whatever happened, every path gives each key exactly what the pure rule allows."""
    with new_world() as world:
        build(world, [*START, *plan])
        with served(world) as far:
            assert list(faults(far, (*WHOLE, *ALIASES), (*EACH, *EACH_ALIAS))) == []


def test_the_world_that_has_everything() -> None:
    """In a world with memories of each fate, no path over the wire shows what is hidden."""
    with new_world() as world, served(crowd(world)) as far:
        assert list(faults(far, WHOLE)) == []


def test_no_alias_shows_what_is_hidden() -> None:
    """In that world, no route of the earlier systems shows what is hidden, or another's name."""
    with new_world() as world, served(crowd(world)) as far:
        assert list(faults(far, ALIASES, EACH_ALIAS)) == []


def test_every_alias_that_reads_is_known() -> None:
    """Each alias that gives memories, or what is counted of them, is asked by the laws."""
    reads = {
        one.path.replace("{memory}/", "").replace("/{memory}", "")
        for one in OPERATIONS
        if one.right == "read" and one.schema["tags"][0] in ("earlier", "engram")
    }
    told = {path.name for path in ALIASES} | {each.name for each in EACH_ALIAS}
    # A session is read by the node of remote, and a node's name is the one it was asked by.
    assert reads - told == {"/api/node", "/v1/sessions/{session}/messages"}


def test_nobody_acts_for_another() -> None:
    """No key opens what another principal may see, whoever a request names, and a gone one none."""
    with new_world() as world:
        crowd(world)
        local, every = world.node, world.principals()
        with listening(door_for(local, local.context.home, Serving("127.0.0.1", 0))) as url:
            for name in sorted(world.active):
                own = every[f"agent {name}"]
                node = RemoteNode(url, local.keys.create(name, "agent", name).token)
                for principal in every.values():
                    if principal.agent not in (name, own.agent):
                        said = " ".join(_refusals(node, principal))
                        assert not list(revealed(said, world.hidden_words(own)))
                assert node.memories.list(own, Filter()).memories
                local.organisation.remove_agent(name)
                with pytest.raises(Unauthenticated):
                    node.memories.list(own, Filter())
                node.close()


def _refusals(node: RemoteNode, principal: Principal) -> Iterator[str]:
    """Yield with what words a key is refused that is used in the name of another principal."""
    for ask in (
        lambda: node.memories.list(principal, Filter()),
        lambda: list(node.transfer.export(principal)),
        lambda: node.upkeep.stats(principal),
        lambda: node.memories.add(principal, NewMemory("never")),
    ):
        with pytest.raises(NotAllowed) as raised:
            ask()
        yield str(raised.value)
