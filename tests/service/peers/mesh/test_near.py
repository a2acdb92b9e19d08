"""Nodes that are near are shown, and nothing that they say changes anything."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from agent_memory_os.federation.discovery import multicast
from agent_memory_os.federation.discovery.multicast import Heard
from agent_memory_os.service.peers import Address, Nearby
from agent_memory_os.service.peers.mesh.near import look
from agent_memory_os.wire.peers import of_nearby, to_nearby
from tests.federation.discovery.test_identity import DEVICE, answering, said
from tests.federation.shown import ANNS
from tests.store.sample import Fleet, found


@pytest.fixture
def fleet(tmp_path: Path) -> Fleet:
    """Give a node."""
    return found(tmp_path)


def near(fleet: Fleet, *ports: int, heard: tuple[Heard, ...] = ()) -> Nearby:
    """Return what is near, with some ports and announcements."""
    return look(fleet.node.context, lambda: [*heard], ports)


def test_a_spoofed_neighbor_changes_nothing(fleet: Fleet) -> None:
    """Whoever claims to be a peer is shown with its claim, and the peer is reached as before."""
    peer = fleet.node.peers.add(ANNS, "ann", Address(url="http://10.0.0.7:8765")).peer
    with answering(said(peer.device, '"bank"')) as port:
        shown = near(fleet, port, 9)
    (one,) = shown.neighbors
    assert one == (peer.device, "bank", f"http://127.0.0.1:{port}", "here", "peer", "ann")
    assert fleet.node.peers.get("ann") == peer
    assert to_nearby(of_nearby(shown)) == shown


def test_it_is_known_whose_a_neighbor_is(fleet: Fleet) -> None:
    """The node itself is no neighbor, and each device is shown once; a stranger is unknown."""
    own = fleet.node.peers.card().device
    with answering(said(own)) as mine, answering(said()) as one, answering(said()) as two:
        shown = near(fleet, mine, one, two)
    assert [(each.device, each.state, each.called) for each in shown.neighbors] == [
        (DEVICE, "unknown", "")
    ]


def test_the_network_leads_to_other_machines_alone(
    fleet: Fleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An announcement of this machine's own address is not asked; without the extra none is."""
    with answering(said()) as port:
        assert near(fleet, heard=(Heard(DEVICE, "127.0.0.1", port),)).neighbors == ()
    with answering(said(), host="::1") as port:
        assert near(fleet, heard=(Heard(DEVICE, "::1", port),)).neighbors == ()
    monkeypatch.setattr(multicast, "is_there", lambda: False)
    began = time.monotonic()
    assert look(fleet.node.context, _never, ()) == Nearby((), is_whole=False)
    assert time.monotonic() - began < 10


def _never() -> list[Heard]:
    raise AssertionError
