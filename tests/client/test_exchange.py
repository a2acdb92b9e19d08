"""What a client does with peers: it exchanges with them, and puts lost edits back."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from agent_memory_os import AsyncMemoryClient, MemoryClient
from agent_memory_os.errors import InvalidInput, NotAllowed, NotFound
from agent_memory_os.service.node import LocalNode
from agent_memory_os.service.peers import Address
from tests.api.served import serving
from tests.federation.shown import ANNS
from tests.laws.lost import shelve

NOWHERE = Address(url="http://127.0.0.1:9")


def lose(client: MemoryClient) -> None:
    """Let an edit of a memory of the client's agent lose to what it says now."""
    memory = client.add("it is green").memory
    assert isinstance(client.node, LocalNode)
    lost = memory.content._replace(content="it is blue")
    shelve(client.node.context.database, memory.id, lost)


def test_an_agent_puts_back_what_its_edits_lost(tmp_path: Path) -> None:
    """What an edit of its own lost is listed to it, and to no other agent."""
    home = str(tmp_path / "home")
    with MemoryClient(home, agent="planner") as client:
        lose(client)
        (found,) = client.conflicts()
        assert (found.lost.content, found.memory.text) == ("it is blue", "it is green")
        with MemoryClient(home, agent="coder") as other:
            assert other.conflicts() == ()
            with pytest.raises(NotFound, match="that you may see"):
                other.swap(found.id)
        assert client.swap(found.id).memory.text == "it is blue"
        assert client.conflicts() == ()
        with pytest.raises(InvalidInput, match="whole number"):
            client.swap("x")  # type: ignore[arg-type]


def test_a_client_exchanges_with_peers(tmp_path: Path) -> None:
    """Each peer is told of, and a name of none is refused."""
    with MemoryClient(str(tmp_path / "home"), agent="planner") as client:
        client.node.peers.add(ANNS, "ann", NOWHERE)
        (done,) = client.sync()
        assert (done.peer, done.state) == ("ann", "failed")
        assert client.sync("ann") == (done,)
        with pytest.raises(NotFound):
            client.sync("anna")
        assert client.node.sync.status().peers[0].peer.fault == done.fault


def test_a_served_node_exchanges_for_its_operator() -> None:
    """Its peers are added and exchanged with from elsewhere, by who has the operator's key."""
    with serving() as node, MemoryClient(url=node.url, key=node.keys["operator"], agent="ann") as c:
        c.node.peers.add(ANNS, "ann", NOWHERE)
        (done,) = c.sync()
        assert (done.peer, done.state) == ("ann", "failed")
        assert c.sync("ann") == (done,)
        with pytest.raises(NotFound):
            c.sync("anna")
        assert c.conflicts() == ()
        assert c.node.sync.status().peers[0].peer.fault == done.fault
        with (
            MemoryClient(url=node.url, key=node.keys["ann"]) as agent,
            pytest.raises(NotAllowed, match="may not do what the operator does"),
        ):
            agent.sync("ann")


def test_the_same_in_an_event_loop(tmp_path: Path) -> None:
    """The coroutines do what the methods do."""
    home = str(tmp_path / "home")
    with MemoryClient(home, agent="planner") as client:
        lose(client)
        client.node.peers.add(ANNS, "ann", NOWHERE)

    async def work() -> None:
        async with AsyncMemoryClient(home, agent="planner") as client:
            (done,) = await client.sync()
            assert done.state == "failed"
            (found,) = await client.conflicts()
            assert (await client.swap(found.id)).memory.text == "it is blue"

    asyncio.run(work())
