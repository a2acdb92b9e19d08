"""A world whose node is served, and asked over the wire: by each agent with a key of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from agent_memory_os.model.principal import Principal
from agent_memory_os.remote.node import RemoteNode
from agent_memory_os.server.serve import Serving, door_for
from agent_memory_os.service.node import LocalNode
from tests.api.served import listening
from tests.laws.world import World

NOUNS = (
    *("memories", "recall", "organisation", "transfer", "upkeep", "events", "keys"),
    *("conflicts", "invitations", "moves", "peers", "quarantine", "receipts", "sync"),
)


class _Noun:
    """A noun of a served node: each method is asked with the key of the principal that it takes."""

    def __init__(self, noun: str, nodes: dict[Principal, RemoteNode]) -> None:
        self._noun = noun
        self._nodes = nodes

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def ask(principal: Principal, *given: Any, **more: Any) -> Any:  # noqa: ANN401 - a method's
            node = self._nodes[principal]
            return getattr(getattr(node, self._noun), name)(principal, *given, **more)

        return ask


class Far:
    """What a world asks in the place of its node; ``context`` is the node's own."""

    def __init__(self, local: LocalNode, nodes: dict[Principal, RemoteNode]) -> None:
        self.context = local.context
        self.nodes = nodes
        for noun in NOUNS:
            setattr(self, noun, _Noun(noun, nodes))


def get(world: World, principal: Principal, at: str, **params: Any) -> dict[str, Any]:  # noqa: ANN401
    """Return what a served world answers a principal at a path, or raise the error it tells of."""
    return _ask(world, principal, "GET", at, params=params)


def post(world: World, principal: Principal, at: str, body: dict[str, Any]) -> dict[str, Any]:
    """Return what it answers to a body."""
    return _ask(world, principal, "POST", at, body=body)


def _ask(world: World, principal: Principal, method: str, at: str, **more: Any) -> dict[str, Any]:  # noqa: ANN401
    assert isinstance(world.node, Far)
    transport = world.node.nodes[principal]._transport  # noqa: SLF001 - what it asks with
    return dict(transport.ask(method, at, principal, **more))


@contextmanager
def served(world: World) -> Iterator[World]:
    """Serve a world's node, and let those of its agents that may act ask it with their keys.

    Who has no key, nobody and strangers, cannot ask: that is tested where keys are.
    """
    local = world.node
    every = world.principals()
    may_act = {name: one for name, one in every.items() if one.is_operator or world.name_of(one)}
    door = door_for(local, local.context.home, Serving("127.0.0.1", 0))
    with listening(door) as url:
        nodes = {}
        for name, principal in may_act.items():
            kind = "operator" if principal.is_operator else "agent"
            token = local.keys.create(f"law {name}", kind, principal.agent).token
            nodes[principal] = RemoteNode(url, token)
        world.node = Far(local, nodes)  # type: ignore[assignment] # it has every noun
        world.principals = lambda: may_act  # type: ignore[method-assign]
        try:
            yield world
        finally:
            world.node = local
            for node in nodes.values():
                node.close()
