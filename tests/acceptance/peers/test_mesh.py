"""A mesh of real servers: members that meet without the hub, and what a person is shown of it."""

from __future__ import annotations

import socket
import time
from pathlib import Path
from typing import Any

import pytest

from agent_memory_os import settings, wiring
from agent_memory_os.federation.transport import outward
from agent_memory_os.service.peers.mesh import turns
from tests.acceptance.nodes import device, meet, node, sync, texts
from tests.acceptance.peers.test_pairing import Hub, fresh, hub, join
from tests.cli.program import Program
from tests.server.process import PATIENCE, key_of, serving

__all__ = ["hub"]

CAT = "cat.example"


@pytest.fixture
def _network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let this machine be the network between the nodes, with a name in it."""
    found = socket.getaddrinfo

    def lookup(host: str, *given: Any, **more: Any) -> Any:  # noqa: ANN401 - the system's
        return found("127.0.0.1" if host == CAT else host, *given, **more)

    monkeypatch.setattr(socket, "getaddrinfo", lookup)
    monkeypatch.setattr(outward, "is_refused", lambda _: False)


def member(folder: Path, hub: Hub, name: str) -> Program:
    """Return a node that joined the hub's team by a code."""
    made = fresh(folder, name)
    join(made, hub, hub.invite(), "--agent", "scout", "--called", name)
    return made


def free_port() -> int:
    """Return a port that nobody listens at now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.mark.measured
@pytest.mark.usefixtures("_network")
def test_members_meet_without_the_hub(tmp_path: Path, hub: Hub) -> None:
    """Who tells its URL is exchanged with past the hub, which may be gone."""
    ben, cat = member(tmp_path, hub, "ben"), member(tmp_path, hub, "cat")
    at = free_port()
    with serving(
        cat, "--port", str(at), "--url", f"http://{CAT}:{at}", AGENT_MEMORY_CALLED="kitty"
    ):
        for one in (cat, ben, cat):
            assert sync(one)["sam"]["state"] == "done"
        opened = wiring.open_node(settings.read(str(ben.home), None, {}))
        turns.due(opened.context)
        (learned,) = (one for one in opened.peers.list() if one.is_learned)
        assert (learned.name, learned.device) == ("kitty", device(cat))
        assert learned.address.url == f"http://{CAT}:{at}"
        ben.add("past the hub", "--share", "team:apollo")
        ben.add("private to scout")
        hub.server.stop()
        done = {one.peer: one.state for one in opened.sync.run()}
        assert done == {"kitty": "done", "sam": "failed"}
        assert "past the hub" in texts(cat)
        assert "private to scout" not in texts(cat)
        opened.close()
    told = ben.do("sync", "status")
    assert max(map(len, told.splitlines()[:3])) <= 80
    assert "kitty" in told
    assert "apollo" in told
    assert "ok, learned" in told
    assert "sam: The peer at" in told
    assert "Next try: now." in told
    whole = {one["name"]: one for one in ben.json("sync", "status")["peers"]}
    assert whole["kitty"]["learned"] is True
    assert whole["kitty"]["teams"] == ["apollo"]
    assert whole["sam"]["next_at"] is not None
    assert ben.json("status")["failed_peers"] == ["sam"]
    assert "peers        2, last seen just now, 1 failed" in ben.do("status")
    ben.do("peers", "remove", "kitty", "--yes")
    (ben.home / "node.toml").write_text('default_agent = "scout"\nacquaint = "off"\n')
    ben.run("sync", "auto", "--jitter", "0")
    assert [one["name"] for one in ben.json("peers", "list")["peers"]] == ["sam"]


def test_what_is_told_inward_is_refused(tmp_path: Path) -> None:
    """A node tells nobody a URL that they would not ask, and says so when it starts."""
    alone = node(tmp_path, "alone", "scout")
    assert "leads to this machine" in alone.fails(2, "serve", "--url", "http://127.0.0.1:1")
    (alone.home / "node.toml").write_text('called = "not a name"\n')
    assert "called" in alone.fails(2, "serve", "--port", "0")


@pytest.mark.measured
def test_neighbors_of_this_machine(tmp_path: Path) -> None:
    """A node that is served here is found, with its name, and whether it is a peer."""
    one, two = node(tmp_path, "one", "scout"), node(tmp_path, "two", "scout")
    with (two.home / "node.toml").open("a") as file:
        file.write('announce = "on"\n')
    with serving(two) as server:
        assert any("It is not announced" in note for note in server.said["notes"])
    everywhere = "0.0.0.0"
    with serving(two, "--any", "--host", everywhere, AGENT_MEMORY_CALLED="desk") as server:
        until = time.monotonic() + PATIENCE
        while not any("announced" in event["event"] for event in server.events):
            assert time.monotonic() < until
            time.sleep(0.1)
        (found,) = [
            each for each in one.json("neighbors")["neighbors"] if each["device"] == device(two)
        ]
        assert found == {
            "device": device(two),
            "called": "desk",
            "url": server.url,
            "where": "here",
            "state": "unknown",
            "peer": None,
        }
        shown = one.run("neighbors")
        assert "desk" in shown.out
        assert "agent-memory join CODE --url URL" in shown.err
        key = key_of(two, "op", "--kind", "operator")
        asked = one.json("--node", server.url, "neighbors", AGENT_MEMORY_KEY=key)
        assert device(two) not in str(asked), "a node is no neighbor of itself"
        meet(one, "friend", two, "--url", "http://10.0.0.7:8765")
        (found,) = [
            each for each in one.json("neighbors")["neighbors"] if each["device"] == device(two)
        ]
        assert (found["state"], found["peer"]) == ("peer", "friend")
        assert one.json("peers", "show", "friend")["peer"]["url"] == "http://10.0.0.7:8765"
        assert server.stop() == 0
