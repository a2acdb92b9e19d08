"""The beat of a served node: it exchanges with peers that have a URL, and waits for nobody."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from agent_memory_os import settings
from agent_memory_os.server import logs
from agent_memory_os.server.beat import Beat
from agent_memory_os.service.memory.add import NewMemory
from agent_memory_os.service.peers import Address, PeerChange
from tests.acceptance.nodes import NOBODY, further, meet, node
from tests.cli.program import Program
from tests.federation.shown import ANNS, BOBS
from tests.server.process import PATIENCE, serving
from tests.store.sample import Fleet, found


def beat_of(fleet: Fleet, seconds: float = 3600.0) -> Beat:
    """Return the beat of a fleet's home, which has not begun."""
    return Beat(settings.read(str(fleet.home), None, {}), lambda: 0.0, seconds)


def tried(fleet: Fleet, name: str) -> int | None:
    """Return when a peer was last tried."""
    return fleet.node.peers.get(name).tried_at


def failures(fleet: Fleet) -> int:
    """Return how often a peer could not be reached."""
    ((found,),) = fleet.ask("SELECT failures FROM peers WHERE name = 'ann'")
    assert isinstance(found, int)
    return found


def test_it_tries_those_with_a_url_and_less_and_less_often(tmp_path: Path) -> None:
    """A peer that does not answer is put off; one that is changed is tried at the next beat."""
    fleet = found(tmp_path)
    fleet.node.peers.add(ANNS, "ann", Address(url=NOBODY))
    fleet.node.peers.add(BOBS, "bob", Address(folder=str(tmp_path)))
    beat, minutes = beat_of(fleet), []
    for minute in range(70):
        fleet.say("UPDATE peers SET tried_at = tried_at - 60000")
        before = failures(fleet)
        beat.once()
        minutes += [minute] if failures(fleet) > before else []
    assert minutes == [0, 2, 6, 14, 30, 60]
    assert tried(fleet, "bob") is None
    assert "does not answer" in fleet.node.peers.get("ann").fault
    fleet.node.peers.change("ann", PeerChange(address=Address(url="http://127.0.0.1:10")))
    beat.once()
    assert tried(fleet, "ann") is not None


def test_it_can_be_held_back(tmp_path: Path) -> None:
    """With sync = "off" in node.toml it does nothing, until that is taken out again."""
    fleet = found(tmp_path)
    fleet.node.peers.add(ANNS, "ann", Address(url=NOBODY))
    beat = beat_of(fleet)
    (fleet.home / "node.toml").write_text('sync = "off"\n')
    beat.once()
    assert tried(fleet, "ann") is None
    (fleet.home / "node.toml").write_text('sync = "on"\n')
    beat.once()
    assert tried(fleet, "ann") is not None


def test_it_goes_on_whatever_happens(tmp_path: Path) -> None:
    """A fault of the home ends no beat, and it stops when it is told to."""
    fleet = found(tmp_path)
    fleet.node.peers.add(ANNS, "ann", Address(url=NOBODY))
    (fleet.home / "node.toml").write_text("sync = 5\n")
    beat = beat_of(fleet, 0.01)
    beat.start()
    until = time.monotonic() + PATIENCE
    (fleet.home / "node.toml").write_text("")
    while tried(fleet, "ann") is None and time.monotonic() < until:
        time.sleep(0.01)
    assert tried(fleet, "ann") is not None
    beat.stop()
    assert "beat" not in {thread.name for thread in threading.enumerate()}


def test_it_brings_what_a_served_peer_has(tmp_path: Path) -> None:
    """What another node serves is here after a beat, and what is here is there."""
    hub = node(tmp_path, "hub", "scout")
    away = further(tmp_path, "away", hub, "scout")
    with serving(hub) as server:
        meet(hub, "away", away, "--own")
        meet(away, "hub", hub, "--url", server.url)
        hub.add("from the hub")
        beat = Beat(settings.read(str(away.home), None, {}), lambda: 0.0)
        for _ in range(3):
            beat.once()
        assert listed(away) == listed(hub) == ["from the hub"]


def listed(program: Program) -> list[str]:
    """Return what the default agent of a node may read."""
    return [memory["content"] for memory in program.json("list")["memories"]]


def test_agents_do_not_wait_for_it(tmp_path: Path) -> None:
    """While it exchanges, the node's file takes writes of others."""
    fleet = found(tmp_path)
    fleet.node.peers.add(ANNS, "ann", Address(url=NOBODY))
    beat = beat_of(fleet, 0.001)
    beat.start()
    for number in range(50):
        fleet.node.memories.add(fleet.ada, NewMemory(f"number {number}"))
    beat.stop()
    assert fleet.ask("SELECT count(*) FROM memories") == [(50,)]


def test_the_log_tells_which_peer(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Of a peer that does not answer its fingerprint is in the line, and no name."""
    fleet = found(tmp_path)
    peer = fleet.node.peers.add(ANNS, "ann", Address(url=NOBODY)).peer
    beat_of(fleet).once()
    (line,) = [logs.shape_of(record) for record in caplog.records if record.name.endswith("peers")]
    assert (line["event"], line["peer"]) == ("a peer could not be reached", peer.device)
    assert "ann" not in line.values()
