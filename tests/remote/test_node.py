"""A local node and a remote one are the same to a checker: nouns, methods, and what each takes."""

from __future__ import annotations

import inspect
from functools import cached_property
from typing import Any, get_type_hints

import pytest

from agent_memory_os.remote.events import RemoteEvents
from agent_memory_os.remote.invitations import RemoteInvitations
from agent_memory_os.remote.keys import RemoteKeys
from agent_memory_os.remote.memories import RemoteMemories
from agent_memory_os.remote.node import RemoteNode
from agent_memory_os.remote.organisation import RemoteMoves, RemoteOrganisation
from agent_memory_os.remote.peers import (
    RemoteConflicts,
    RemotePeers,
    RemoteQuarantine,
    RemoteReceipts,
    RemoteSync,
)
from agent_memory_os.remote.recall import RemoteRecall
from agent_memory_os.remote.transfer import RemoteTransfer
from agent_memory_os.remote.upkeep import RemoteUpkeep
from agent_memory_os.service import nouns
from agent_memory_os.service.node import LocalNode
from tests.laws.test_surface import NOUNS
from tests.remote.test_same import ACTS

HERE = {
    "events.begin",
    "events.check",
    "events.pulse",
    "events.since",
    "keys.authenticate",
    "keys.note",
    "keys.sent",
    "memories.append",
    "sync.parcel",
    "sync.unpack",
    "upkeep.copy",
}
"""What a server asks of its own node, and nobody else of one that is served."""

CLASSES = NOUNS | {
    "RemoteConflicts": RemoteConflicts,
    "RemoteEvents": RemoteEvents,
    "RemoteInvitations": RemoteInvitations,
    "RemoteMoves": RemoteMoves,
    "RemoteKeys": RemoteKeys,
    "RemoteMemories": RemoteMemories,
    "RemoteOrganisation": RemoteOrganisation,
    "RemotePeers": RemotePeers,
    "RemoteQuarantine": RemoteQuarantine,
    "RemoteRecall": RemoteRecall,
    "RemoteReceipts": RemoteReceipts,
    "RemoteSync": RemoteSync,
    "RemoteTransfer": RemoteTransfer,
    "RemoteUpkeep": RemoteUpkeep,
}


def kinds(node: type) -> dict[str, type]:
    """Return the class of each noun of a node."""
    getters = {
        name: value.func for name, value in vars(node).items() if isinstance(value, cached_property)
    }
    return {name: get_type_hints(getter, CLASSES)["return"] for name, getter in getters.items()}


def methods(kind: type) -> dict[str, Any]:
    """Return the public methods of a noun."""
    return {
        name: value
        for name, value in vars(kind).items()
        if inspect.isfunction(value) and not name.startswith("_")
    }


LOCAL, REMOTE = kinds(LocalNode), kinds(RemoteNode)
PROMISED: dict[str, type] = {
    name: getattr(nouns, value.fget.__annotations__["return"])
    for name, value in vars(nouns.Node).items()
    if isinstance(value, property) and name != "warnings"
}
SHARED = [
    f"{noun}.{name}"
    for noun, kind in LOCAL.items()
    for name in methods(kind)
    if f"{noun}.{name}" not in HERE
]


def test_both_have_every_noun_and_every_method() -> None:
    """What one node offers the other offers too, but for what a server alone asks of its own."""
    assert set(LOCAL) == set(REMOTE) == set(PROMISED)
    for nodes in (REMOTE, PROMISED):
        assert sorted(SHARED) == sorted(
            f"{noun}.{name}" for noun, kind in nodes.items() for name in methods(kind)
        )


@pytest.mark.parametrize("method", SHARED)
def test_a_method_takes_and_gives_the_same(method: str) -> None:
    """Names, order, kinds, defaults and types of what a method takes agree, and what it returns."""
    noun, _, name = method.partition(".")
    here, there, promised = (
        inspect.signature(methods(nodes[noun])[name]) for nodes in (LOCAL, REMOTE, PROMISED)
    )
    for other in (there, promised):
        assert plain(other) == plain(here)
        assert str(other.return_annotation) == str(here.return_annotation)


def plain(signature: inspect.Signature) -> list[tuple[object, ...]]:
    """Return what a signature says of each parameter."""
    return [
        (one.name, one.kind, "a function" if callable(one.default) else one.default, unaliased(one))
        for one in signature.parameters.values()
    ]


def unaliased(parameter: inspect.Parameter) -> str:
    """Return a parameter's type as it is called where it is at home."""
    return str(parameter.annotation).replace("Imported", "Finding")


def test_the_script_tries_every_method() -> None:
    """Each method that both have is done to both, value by value."""
    tried = {step.method for step in ACTS}
    elsewhere = {"transfer.size_of", "transfer.import_path", "transfer.take", "transfer.export"}
    # What is near changes at any moment; tests/acceptance/peers/test_mesh.py tries it.
    elsewhere |= {"peers.neighbors"}
    assert tried | elsewhere | {"recall.now"} == set(SHARED)
