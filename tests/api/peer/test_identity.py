"""Which node answers is told to everybody but pages, and nothing beside it."""

from __future__ import annotations

from urllib.parse import urlsplit

import httpx

from agent_memory_os.federation.discovery.identity import PATH, Identity, asked
from agent_memory_os.service.peers.answer import peering_of
from tests.api.served import listening, opened


def test_a_stranger_learns_a_fingerprint_and_a_set_name() -> None:
    """Whatever name it calls the node by, it is told that and no more; a page or a body is not."""
    with opened(called="hub") as served:
        device = served.node.peers.card().device
        door = served.door._replace(peering=peering_of(served.node.context))
        with listening(door) as url:
            answer = httpx.get(f"{url}{PATH}", timeout=60, headers={"host": "whatever.example"})
            assert answer.json() == {"device": device, "called": "hub"}
            assert asked("127.0.0.1", urlsplit(url).port or 0) == Identity(device, "hub")
            page = httpx.get(f"{url}{PATH}", timeout=60, headers={"origin": "https://evil.example"})
            assert (page.status_code, page.json()["code"]) == (403, "not_allowed")
            assert httpx.post(f"{url}{PATH}", content=b"x").status_code in (405, 413)


def test_a_node_without_a_name_or_peers_tells_neither() -> None:
    """No name is told where none was set, and nobody answers where no peer is answered."""
    with opened() as served:
        door = served.door._replace(peering=peering_of(served.node.context))
        with listening(door) as url:
            assert httpx.get(f"{url}{PATH}").json()["called"] is None
        with listening(served.door) as url:
            assert httpx.get(f"{url}{PATH}").status_code == 404
