"""Strangers with a code: what they are answered, what they may cost, and who is not held up."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from agent_memory_os import wiring
from agent_memory_os.api.peer import pairing
from agent_memory_os.api.peer.pairing import MOST_TRIES
from agent_memory_os.errors import BadCode
from agent_memory_os.federation.pairing.message import CLOSE_PATH, MOST_BYTES, OPEN_PATH
from agent_memory_os.service.peers import Address
from agent_memory_os.service.peers.pairing import Guest, asker
from agent_memory_os.wire.problem import MEDIA_TYPE
from tests.api.peer.guest import Inviting, inviting, question, wrong
from tests.api.served import listening

MINUTE_MS = 60_000


@pytest.fixture
def two(tmp_path: Path) -> Iterator[Inviting]:
    """Give a served node with a team, and a stranger's."""
    with inviting(tmp_path) as found:
        yield found


def refused(answer: httpx.Response) -> tuple[int, str]:
    """Return the status and code of an answer that is a problem."""
    assert answer.headers["content-type"] == MEDIA_TYPE, answer.text
    return answer.status_code, answer.json()["code"]


def told(answer: httpx.Response) -> tuple[object, ...]:
    """Return all that an answer tells, but for its time and the request's id."""
    headers = {n: v for n, v in answer.headers.items() if n not in ("date", "x-request-id")}
    shape = {name: part for name, part in answer.json().items() if name != "instance"}
    return answer.status_code, shape, headers


def test_a_stranger_joins_by_a_code(two: Inviting) -> None:
    """The server that runs takes part at once: it has a new peer, and a member of its team."""
    joined = two.join(two.invite())
    [peer] = two.served.node.peers.list()
    assert (peer.name, peer.device, peer.ceiling) == ("mira", joined.device, "team:apollo")
    teams = {view.team.name: set(view.members) for view in two.served.node.organisation.teams()}
    assert teams == {"apollo": {"ann", "bob", "mira@mira"}}
    assert [one.state for one in two.mira.sync.run()] == ["done"]


def test_a_code_that_opens_nothing_is_answered_alike(two: Inviting) -> None:
    """Unknown, burnt, withdrawn, ended and used codes get one and the same answer."""
    url, node = two.served.url, two.served.node
    codes = {name: two.invite() for name in ("burnt", "withdrawn", "used", "ended")}
    for _ in range(3):
        assert two.try_code(wrong(codes["burnt"])).status_code == 200
    node.invitations.withdraw(int(codes["withdrawn"][:3]))
    two.join(codes["used"])
    numbers = {code[:3] for code in codes.values()}
    free = next(str(number) for number in range(100, 1000) if str(number) not in numbers)
    codes["unknown"] = free + codes["used"][3:]
    two.served.clock.ahead += 11 * MINUTE_MS
    answers = {name: two.ask(OPEN_PATH, question(code, url)) for name, code in codes.items()}
    assert {refused(answer) for answer in answers.values()} == {(409, "bad_code")}
    assert all(told(answer) == told(answers["unknown"]) for answer in answers.values())


@pytest.mark.parametrize("path", [OPEN_PATH, CLOSE_PATH])
def test_what_is_no_question_is_refused(two: Inviting, path: str) -> None:
    """Another body, a longer one, another kind and another method are told, and count no try."""
    code = two.invite()
    for body in (b"", b"{}", b"[]", b"x", b'{"number": 1e999}', b"\xff", b'{"number":' * 400):
        assert refused(two.ask(path, body)) == (422, "invalid_input"), body
    half = json.loads(question(code, two.served.url)) | {"url": "http://\ud800"}
    session = {"session": "0" * 32, "shown": "0" * 64, "joiner": "\ud800"}
    for odd in (half, session, dict.fromkeys(half, "\ud800"), dict.fromkeys(session, "é")):
        body = json.dumps(odd).encode()
        assert refused(two.ask(path, body)) == (422, "invalid_input"), body
    for size in (MOST_BYTES + 1, 9_000_000):
        assert refused(two.ask(path, b"x" * size)) == (413, "too_large")
    pieces = iter([b"x" * MOST_BYTES, b"x"])
    answer = httpx.post(
        f"{two.served.url}{path}", content=pieces, headers={"content-type": "application/json"}
    )
    assert refused(answer) == (413, "too_large")
    for kind in ("text/plain", "application/x-www-form-urlencoded", ""):
        answer = two.ask(path, b"{}", headers={"content-type": kind})
        assert refused(answer) == (415, "unsupported_media_type")
    for method in ("GET", "PUT", "OPTIONS", "FIGS"):
        answer = httpx.request(method, f"{two.served.url}{path}")
        assert refused(answer) == (405, "method_not_allowed")
        assert answer.headers["allow"] == "POST"
    assert two.served.node.invitations.get(int(code[:3])).tries_left == 3


@pytest.mark.parametrize(
    "more",
    [
        {"origin": "http://localhost"},
        {"origin": "null"},
        {"sec-fetch-site": "none"},
        {"sec-fetch-mode": "cors"},
        {"cookie": "agent_memory_1=x"},
    ],
    ids=str,
)
def test_no_page_tries_codes(two: Inviting, more: dict[str, str]) -> None:
    """What a browser sends is refused before it is a try."""
    code = two.invite()
    assert refused(two.try_code(code, headers=more)) == (403, "not_allowed")
    assert two.served.node.invitations.get(int(code[:3])).tries_left == 3


def test_it_answers_to_whatever_name(two: Inviting) -> None:
    """A joiner reaches the node by a name that its server was never told."""
    answer = two.try_code(two.invite(), headers={"host": "node.example:1"})
    assert answer.status_code == 200
    assert len(answer.content) <= MOST_BYTES


def test_pairing_locks_nobody_out(two: Inviting) -> None:
    """Once a minute's codes are tried no more are; people, agents and peers are served as ever."""
    two.served.clock.stop_at(wiring.clock())
    two.join(two.invite())
    statuses = [two.try_code("100-zoo-zoo-zoo").status_code for _ in range(MOST_TRIES + 5)]
    assert statuses.count(409) == MOST_TRIES - 1
    limited = two.try_code("100-zoo-zoo-zoo")
    assert refused(limited) == (429, "limit_reached")
    assert int(limited.headers["retry-after"]) <= 3
    assert two.served["ann"].get("/v1/whoami").status_code == 200
    assert two.served["operator"].get("/v1/peers").status_code == 200
    signed_in = two.served.door.sessions.invite()
    page = httpx.get(f"{two.served.url}/sign-in", params={"code": signed_in})
    assert page.status_code in (200, 303)
    assert [one.state for one in two.mira.sync.run()] == ["done"]
    code = two.invite()
    with pytest.raises(Exception, match="try again in"):
        two.join(code)
    assert two.served.node.invitations.get(int(code[:3])).tries_left == 3
    two.served.clock.ahead += MINUTE_MS
    assert two.try_code(code).status_code == 200


def test_a_node_that_was_renewed_goes_on(two: Inviting) -> None:
    """Files that were edited while somebody looks at an offer end nothing."""
    address = Address(url=two.served.url)
    begun = Guest(two.invite(), address, asker(address))
    node = two.served.node
    node.renew(node.context._replace(room=None), "ann")
    assert begun.join(two.mira.context, ["mira"], "mira").peer.is_own is False
    assert len(node.peers.list()) == 1


def test_a_server_that_answers_no_peers_pairs_with_nobody(two: Inviting) -> None:
    """Where a node cannot sign as itself there are no such paths, and the joiner is told so."""
    with listening(two.served.door._replace(peering=None)) as url:
        two.served.url = url
        code = two.invite()
        assert refused(two.try_code(code)) == (404, "not_found")
        with pytest.raises(Exception, match="pairs with nobody"):
            two.join(code)


def test_a_fault_of_the_node_is_its_own_business(two: Inviting) -> None:
    """Where the node's keys are gone a stranger learns only that it is not answered."""
    code = two.invite()
    keys = Path(two.served.home) / "keys"
    keys.rename(f"{keys}.away")
    answer = two.try_code(code)
    assert refused(answer) == (503, "busy")
    assert two.served.home not in answer.text
    Path(f"{keys}.away").rename(keys)
    two.join(code)


def test_somebody_who_stops_half_way_holds_up_nobody(two: Inviting) -> None:
    """A question whose body does not come costs no place; one that ends early is refused."""
    host, _, port = two.served.url.removeprefix("http://").partition(":")
    head = (
        f"POST {CLOSE_PATH} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n"
        "content-length: 100\r\n\r\n{"
    ).encode()
    held = [socket.create_connection((host, int(port)), 60) for _ in range(20)]
    for line in held:
        line.sendall(head)
    time.sleep(0.1)
    assert two.try_code(two.invite()).status_code == 200
    for line in held:
        line.close()
    two.join(two.invite())


def test_a_question_has_to_come_soon(two: Inviting, monkeypatch: pytest.MonkeyPatch) -> None:
    """A body that does not come is not waited for, and one that ends early is refused."""
    monkeypatch.setattr(pairing, "_BODY_SECONDS", 0.1)
    host, _, port = two.served.url.removeprefix("http://").partition(":")
    head = b"POST %s HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n" % (
        CLOSE_PATH.encode()
    )
    with socket.create_connection((host, int(port)), 60) as line:
        line.sendall(head + b"content-length: 100\r\n\r\n{")
        said = b"".join(iter(lambda: line.recv(65_536), b""))
    assert said.startswith(b"HTTP/1.1 422 ")
    assert b"did not come within" in said


def test_only_so_many_wait(two: Inviting, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who comes when many are held is told to come again, and it is no try."""
    monkeypatch.setattr(pairing, "MOST_WAITING", 0)
    code = two.invite()
    answer = two.try_code(code)
    assert refused(answer) == (503, "busy")
    assert answer.headers["retry-after"] == "1"
    monkeypatch.undo()
    assert two.served.node.invitations.get(int(code[:3])).tries_left == 3
    two.join(code)


def test_a_wrong_session_is_no_session(two: Inviting) -> None:
    """The second question is taken from who asked the first, once."""
    code = two.invite()
    asked: list[tuple[str, bytes]] = []
    ask = asker(Address(url=two.served.url))

    def kept(path: str, line: bytes) -> bytes:
        asked.append((path, line))
        return ask(path, line)

    Guest(code, Address(url=two.served.url), kept).join(two.mira.context, ["mira"], "mira")
    path, line = asked[-1]
    assert path == CLOSE_PATH
    assert refused(two.ask(path, line)) == (409, "bad_code")
    with pytest.raises(BadCode):
        two.join(code)


def test_what_pairing_needs_is_not_imported_before_somebody_asks() -> None:
    """A server that starts imports nothing of what codes and their keys are made with."""
    program = (
        "import agent_memory_os.server.serve, agent_memory_os.service.peers.answer, sys\n"
        "import agent_memory_os.api.routes.invitations, agent_memory_os.service.peers.pairing\n"
        "print(*(name for name in sys.modules if name.startswith(('spake2', 'mnemonic'))))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    )
    assert done.stdout.strip() == ""
