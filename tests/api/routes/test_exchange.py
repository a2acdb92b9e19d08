"""What the operator does with peers over HTTP: see, exchange, carry a bundle; and nobody else."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest

from agent_memory_os import settings, wiring
from agent_memory_os.api import guard
from agent_memory_os.model.principal import Principal
from agent_memory_os.service.memory.add import NewMemory
from agent_memory_os.service.node import LocalNode
from agent_memory_os.service.peers import Address
from tests.api.served import Served, serving
from tests.federation.shown import ANNS

OPERATOR = Principal.operator()
FILE = {"content-type": "application/octet-stream"}


class Hub(NamedTuple):
    """A node that is served, and one of another account that is its peer, of agent mira."""

    served: Served
    mira: LocalNode

    def post(self, path: str, body: Any = None, who: str = "operator") -> httpx.Response:  # noqa: ANN401
        """Post JSON with somebody's key."""
        return self.served[who].post(path, json=body)

    def get(self, path: str, **params: str) -> httpx.Response:
        """Ask with the operator's key."""
        return self.served["operator"].get(path, params=params or None)

    def exchange(self, **how: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
        """Exchange with the operator's key; return the line of the one peer that it was with."""
        (told,) = self.post("/v1/sync", how).json()["peers"]
        return dict(told)

    def import_(self, body: Any, *name: str) -> httpx.Response:  # noqa: ANN401 - bytes, or pieces
        """Post a bundle with the operator's key."""
        params = dict(zip(("name",), name, strict=False))
        client = self.served["operator"]
        return client.post("/v1/sync/import", content=body, params=params, headers=FILE)

    def remember(self, text: str) -> None:
        """Have mira share something with everybody."""
        mira = Principal.of_agent(self.mira.organisation.agent("mira").id)
        self.mira.memories.add(mira, NewMemory(text), "global")

    def audit(self, action: str) -> int:
        """Return how often the audit has an action."""
        entries = self.served.node.upkeep.audit(OPERATOR, limit=500).entries
        return [one.action for one in entries].count(action)


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[Hub]:
    """Give a served node, and another that knows it; each shares with the other by a folder."""
    between = tmp_path / "between"
    between.mkdir()
    where = Address(folder=str(between))
    with serving() as served:
        mira = wiring.open_node(settings.read(str(tmp_path / "mira"), None, {}))
        mira.organisation.add_agent("mira")
        served.node.peers.add(mira.peers.card().card, "mira", where, "shared")
        mira.peers.add(served.node.peers.card().card, "hub", where, "shared")
        try:
            yield Hub(served, mira)
        finally:
            mira.close()


def lines(answer: httpx.Response) -> list[dict[str, Any]]:
    """Return the objects of an answer of lines, which is whole."""
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/x-ndjson")
    assert int(answer.headers["content-length"]) == len(answer.content)
    return [json.loads(line) for line in answer.content.splitlines()]


def test_the_operator_sees_what_others_would(hub: Hub) -> None:
    """A preview has each memory that would go, a view what an agent reads; both are audited."""
    shared = hub.served.add("ann", "for apollo", audience="team:apollo")
    private = hub.served.add("ann", "for ann alone")
    told = hub.served.add("ann", "for \u2028 everybody", audience="global")
    rows = {row["object"]: row for row in lines(hub.get("/v1/peers/mira/preview"))}
    assert (shared in rows, private in rows) == (False, False)
    assert rows[told] == {
        "where": "everybody",
        "object": told,
        "owner": "ann",
        "words": "for \u2028 everybody",
        "rule": "it is shared with everybody, and this peer may have that",
        "has_content": True,
        "groups": rows[told]["groups"],
    }
    for agent, rules in (
        ("bob", {shared: "shared with team:apollo", told: "shared with global"}),
        ("ann", dict.fromkeys((shared, private, told), "it owns it")),
        ("eve", {told: "shared with global"}),
    ):
        found = lines(hub.get("/v1/view-as", agent=agent))
        assert {row["memory"]["id"]: row["rule"] for row in found} == rules
    for path in ("/v1/peers/nobody/preview", "/v1/view-as?agent=nobody"):
        assert hub.get(path).status_code == 404
    assert (hub.audit("preview"), hub.audit("view as")) == (1, 3)


def test_nobody_else_learns_of_peers_and_what_they_see(hub: Hub) -> None:
    """An agent's key, a reader's and one for metrics are refused alike, whatever is named."""
    hub.served.add("ann", "for apollo", audience="team:apollo")
    bundle = hub.post("/v1/sync/export", {"peer": "mira"}).content
    for who in ("ann", "bob", "eve", "reader", "metrics"):
        client = hub.served[who]
        refused = [
            *(client.get(f"/v1/peers/{name}/preview") for name in ("mira", "nobody")),
            *(client.get("/v1/view-as", params={"agent": name}) for name in (who, "ann", "ghost")),
            *(hub.post("/v1/sync", {"peers": [name]}, who) for name in ("mira", "nobody")),
            *(hub.post("/v1/sync/export", {"peer": name}, who) for name in ("mira", "nobody")),
            *(client.post("/v1/sync/import", content=one, headers=FILE) for one in (bundle, b"x")),
        ]
        told = [(one.status_code, one.json()["code"], one.json()["detail"]) for one in refused]
        assert {status for status, _, _ in told} == {403}
        assert len({*told[:5]}) == len({*told[5:]}) == 1, told
    assert (hub.audit("preview"), hub.audit("view as")) == (0, 0)
    assert hub.served.node.peers.get("mira").tried_at is None


def test_things_go_the_way_that_was_said(hub: Hub) -> None:
    """To push sends and takes nothing, to pull takes and sends nothing, and auto does both."""
    for _ in range(3):
        list(hub.mira.sync.run())
        hub.exchange()
    hub.served.add("ann", "of the hub", audience="global")
    told = hub.exchange(way="push")
    assert (told["state"], told["taken"], told["sent"] > 0) == ("done", 0, True)
    hub.remember("of mira")
    assert [one.taken >= told["sent"] for one in hub.mira.sync.run()] == [True]
    told = hub.exchange(way="pull", peers=["mira"])
    assert (told["state"], told["taken"] > 0, told["sent"]) == ("done", True, 0)
    hub.remember("more of mira")
    list(hub.mira.sync.run())
    hub.served.add("ann", "more of the hub", audience="global")
    told = hub.exchange()
    assert told["taken"] > 0
    assert told["sent"] > 0
    assert told == {**told, "peer": "mira", "aside": 0, "fault": ""}
    found = hub.served["eve"].get("/v1/memories").json()["memories"]
    assert {one["content"] for one in found} >= {"of mira", "more of mira"}


def test_a_peer_fails_alone(hub: Hub) -> None:
    """One that cannot be reached has its fault in its line; a name of none stops all of it."""
    hub.served.node.peers.add(ANNS, "far", Address(url="http://127.0.0.1:9"))
    done = {one["peer"]: one for one in hub.post("/v1/sync", {}).json()["peers"]}
    assert {name: one["state"] for name, one in done.items()} == {"far": "failed", "mira": "waits"}
    assert "connection refused" in done["far"]["fault"]
    tried = hub.served.node.peers.get("mira").tried_at
    told = hub.post("/v1/sync", {"peers": ["mira", "fat"]})
    assert (told.status_code, told.json()["detail"]) == (
        404,
        "There is no peer called 'fat'; did you mean far?",
    )
    assert hub.served.node.peers.get("mira").tried_at == tried
    assert hub.post("/v1/sync", {"way": "both"}).status_code == 422


def test_the_server_answers_while_it_exchanges(hub: Hub) -> None:
    """A peer that says nothing keeps nobody waiting, and whoever else tries it is told so."""
    with (
        ThreadPoolExecutor(1) as elsewhere,
        socket.create_server(("127.0.0.1", 0)) as silent,
    ):
        far = Address(url=f"http://127.0.0.1:{silent.getsockname()[1]}")
        device = hub.served.node.peers.add(ANNS, "far", far).peer.device
        first = elsewhere.submit(hub.exchange, peers=["far"])
        call, _ = silent.accept()
        with call:
            assert hub.served["ann"].get("/v1/memories").status_code == 200
            told = hub.exchange(peers=["far"])
            assert (told["device"], told["state"], told["fault"]) == (device, "busy", "")
            export = hub.post("/v1/sync/export", {"peer": "far"})
            assert (export.status_code, export.headers["retry-after"]) == (503, "1")
            assert not first.done()
        silent.close()
        assert first.result()["state"] == "failed"


def test_a_bundle_is_carried_both_ways(hub: Hub, tmp_path: Path) -> None:
    """What is exported for a peer only that can open, and what a peer made is taken in."""
    hub.served.add("ann", "for everybody", audience="global")
    made = hub.post("/v1/sync/export", {"peer": "mira"})
    assert made.headers["content-type"] == FILE["content-type"]
    assert int(made.headers["content-length"]) == len(made.content)
    assert b"for everybody" not in made.content
    file = tmp_path / "carried"
    file.write_bytes(made.content)
    (taken,) = hub.mira.sync.take(str(file))
    assert (taken.peer, taken.registers) == ("hub", int(made.headers["agent-memory-registers"]))
    hub.remember("of mira")
    sent = hub.mira.sync.export("hub", str(file), replace=True)
    done = hub.import_(file.read_bytes(), "carried").json()
    assert done == {"peer": "mira", "file": "carried", "registers": sent.registers, "aside": 0}
    assert sent.registers > 0
    assert "of mira" in hub.served["eve"].get("/v1/memories").text


@pytest.mark.parametrize(
    ("body", "status", "told"),
    [
        (b"", 422, "The file is no bundle of a node: of its first line, "),
        (b"[1]\n", 422, "The file is no bundle of a node: of its first line, "),
        (b"{}\n", 422, "The file was sent by nobody, which is no peer of this node."),
    ],
)
def test_what_is_no_bundle_is_refused(hub: Hub, body: bytes, status: int, told: str) -> None:
    """What no peer made is told in a sentence, and nothing of it is left in the home."""
    before = sorted(os.listdir(hub.served.home))
    answer = hub.import_(body)
    assert (answer.status_code, answer.json()["detail"][: len(told)]) == (status, told)
    assert sorted(os.listdir(hub.served.home)) == before


def test_a_bundle_has_a_greatest_length(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is longer is refused, whether it says so or not, and nothing of it is left."""
    made = hub.post("/v1/sync/export", {"peer": "mira"}).content
    monkeypatch.setattr(guard, "STREAMED", {"/v1/sync/import": len(made)})
    before = sorted(os.listdir(hub.served.home))
    assert hub.import_(made).status_code != 413
    for longer in (made + b"x", iter([made, b"x"])):
        assert hub.import_(longer).status_code == 413
    assert sorted(os.listdir(hub.served.home)) == before
