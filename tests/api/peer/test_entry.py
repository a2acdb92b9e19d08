"""Whoever is no known peer is told one and the same; a peer comes in once, and is answered to."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from agent_memory_os.errors import Busy
from agent_memory_os.federation.identity import PublicDevice, device_of
from agent_memory_os.federation.requests import CLOCK_SECONDS, DIGEST, INPUT, SIGNATURE, TO
from agent_memory_os.federation.transport.memory import Post
from agent_memory_os.federation.transport.responder import HELLO, MOST_BYTES, PULL, PUSH
from tests.api.peer.ask import Ask, call, checked, refused, rest, send
from tests.api.served import listening
from tests.federation.sample import ANN, BOB, EVE, made
from tests.federation.transport.office import Node, Office, answering

STRANGER = device_of(made(9), made(10))
WHOLE = MOST_BYTES[PUSH]
SIGNED = (DIGEST, TO, INPUT, SIGNATURE)


@pytest.fixture(scope="module")
def node() -> Iterator[Node]:
    """Give Bob's node, which Ann and Eve may ask."""
    with answering(BOB) as found:
        yield found


@pytest.fixture
def fresh() -> Iterator[Node]:
    """Give Bob's node for one test alone."""
    with answering(BOB) as found:
        yield found


def came(node: Node) -> list[bytes]:
    """Return what Bob's node was sent by Ann, and take it."""
    return list(node.post.bundles.pop((ANN.id, BOB.id), {}).values())


def plain(answer: httpx.Response) -> tuple[Any, ...]:
    """Return all that an answer tells, but for its time and the request's id."""
    headers = {n: v for n, v in answer.headers.items() if n not in ("date", "x-request-id")}
    shape = {name: part for name, part in answer.json().items() if name != "instance"}
    return answer.status_code, shape, headers


def strange(answer: httpx.Response) -> bool:
    """Say whether an answer is what a stranger is told, whatever it asks."""
    status, shape, headers = plain(answer)
    assert (shape["code"], shape["status"]) == ("unauthenticated", status)
    assert headers["connection"] == "close"
    assert not {SIGNATURE, DIGEST, INPUT, "agent-memory-to"} & set(headers)
    return bool(status == 401)


def test_a_peer_comes_in(node: Node) -> None:
    """What a peer signed is taken, by whatever name it calls the node, and the answer is signed."""
    for host in ("localhost", "node.example:1", "[::1]", ""):
        ask = Ask(body=host.encode())
        answer = send(node, ask, {**ask.signed(), "host": host})
        assert checked(answer, ask, node) == 204
    assert came(node) == [b"localhost", b"node.example:1", b"[::1]", b""]


def test_a_peer_is_answered_in_few_words(node: Node) -> None:
    """An answer has its signature and its time; what guards browsers is with refusals alone."""
    taken = send(node, Ask())
    assert set(taken.headers) == {"date", DIGEST, INPUT, SIGNATURE}
    assert came(node) == [b"bundle"]
    refused = send(node, Ask(target="/v1/sync/figs"))
    assert refused.headers["x-content-type-options"] == "nosniff"
    assert refused.headers["x-request-id"]


def test_a_stranger_is_told_one_and_the_same(node: Node) -> None:
    """Whatever is asked for, and however, who is not a peer gets the same answer each time."""
    key = {"authorization": f"Bearer {node.served.keys['operator']}"}
    origin = {"origin": node.url}
    answers = [
        send(node, Ask(target=target, method=method, body=body), headers)
        for target in (PUSH, PULL, HELLO, f"{PUSH}?x=1", f"{PUSH}/", "/v1/sync/", "/v1/sync/figs")
        for method, body in (("POST", b"x"), ("POST", b""), ("GET", b""), ("FIGS", b""))
        for headers in ({}, key, origin, {"content-type": "text/plain"}, {"host": "evil.example"})
    ]
    answers += [
        send(node, Ask(device=STRANGER)),
        send(node, Ask(device=STRANGER._replace(id=ANN.id))),
    ]
    answers += [send(node, Ask(to=EVE.id)), send(node, Ask(apart=10_000, device=STRANGER))]
    answers += [send(node, Ask(body=b"x" * 9_000_000), {})]
    assert all(map(strange, answers))
    assert all(plain(answer) == plain(answers[0]) for answer in answers)
    assert came(node) == []


def test_a_stranger_s_body_is_not_read(node: Node) -> None:
    """Who is no peer is answered before a byte of the body has come, and hung up on."""
    ask = Ask(body=b"x" * 1000, device=STRANGER)
    for headers in ({"x": "y"}, ask.signed()):
        with call(node) as line:
            line.sendall(ask.head(9_000_000, headers))
            assert rest(line).startswith(b"HTTP/1.1 401 ")


@pytest.mark.parametrize(
    "change",
    [
        {"method": "PUT"},
        {"method": "GET"},
        {"target": PULL},
        {"target": f"{PUSH}?x=2"},
        {"target": PUSH},
        {"target": f"{PUSH}/?x=1"},
        {"target": "/v1/%73ync/push?x=1"},
    ],
    ids=str,
)
def test_a_request_that_was_changed_is_nobody_s(node: Node, change: dict[str, str]) -> None:
    """Another method, path, query, or another way to write them, is not what was signed."""
    assert strange(send(node, Ask(target=f"{PUSH}?x=1"), **change))


@pytest.mark.parametrize("name", SIGNED)
def test_a_header_that_was_changed_is_nobody_s(node: Node, name: str) -> None:
    """A header of the signature that is missing, changed, or there twice, is none."""
    ask = Ask()
    signed = ask.signed()
    value = signed[name]
    without = {one: value for one, value in signed.items() if one != name}
    assert strange(send(node, ask, without))
    digit = re.sub(
        r"[0-9](?=[^0-9]*$)", lambda found: str((int(found[0]) + 1) % 10), value, count=1
    )
    for other in (
        value.upper(),
        value[:-2] + value[-1:],
        f"{value}, {value}",
        digit + "2" * (digit == value),
    ):
        assert strange(send(node, ask, {**without, name: other}))
    assert strange(send(node, ask, [*without.items(), (name, value), (name, value)]))
    assert came(node) == []
    assert checked(send(node, ask, signed), ask, node) == 204
    assert came(node) == [b"bundle"]


def test_a_request_is_taken_once(fresh: Node) -> None:
    """The same again is refused, also after a restart; at another node it is a stranger's."""
    ask = Ask()
    signed = ask.signed()
    assert checked(send(fresh, ask, signed), ask, fresh) == 204
    again = send(fresh, ask, signed)
    assert refused(again, ask, fresh) == (401, "replayed")
    with listening(fresh.served.door) as url:
        fresh.served.url = url
        assert refused(send(fresh, ask, signed), ask, fresh) == (401, "replayed")
    with answering(EVE) as other:
        assert strange(send(other, ask, signed))
        assert strange(send(other, ask, {**signed, TO: EVE.id}))
        assert other.post.bundles == {}
    assert came(fresh) == [b"bundle"]


@pytest.mark.parametrize(("apart", "words"), [(-600, "behind"), (600, "ahead of")])
def test_a_clock_that_is_off_is_told(node: Node, apart: int, words: str) -> None:
    """A peer whose clock is off is told by how much, in an answer that can be trusted."""
    ask = Ask(apart=apart)
    answer = send(node, ask)
    assert refused(answer, ask, node) == (401, "clock_apart")
    found = re.search(rf"signed (\d+) seconds {words} the clock", answer.json()["detail"])
    assert found
    assert abs(int(found[1]) - 600) <= 60
    near = Ask(apart=apart // 600 * (CLOCK_SECONDS - 60))
    assert checked(send(node, near), near, node) == 204
    assert came(node) == [b"bundle"]


def test_a_peer_is_told_that_there_is_no_such_path(node: Node) -> None:
    """What a peer asks for in vain is refused, and signed."""
    asks = [
        *(Ask(target=target) for target in ("/v1/sync/", "/v1/sync/figs", f"{PUSH}/")),
        *(Ask(method=method) for method in ("GET", "PUT", "DELETE", "FIGS")),
    ]
    for ask in asks:
        assert refused(send(node, ask), ask, node) == (404, "not_found")


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
def test_no_browser_comes_in(node: Node, more: dict[str, str]) -> None:
    """What a browser sends is refused, whatever it was signed with."""
    ask = Ask()
    assert strange(send(node, ask, {**ask.signed(), **more}))
    assert came(node) == []


def test_a_named_origin_is_a_stranger_too() -> None:
    """A page that may call this server is let read nothing here, not even that it is refused."""
    friend = "https://console.example"
    with answering(BOB) as node:
        door = node.served.door._replace(origins=frozenset((friend,)))
        with listening(door) as url:
            node.served.url = url
            asking = {"origin": friend, "access-control-request-method": "POST"}
            for method in ("OPTIONS", "POST"):
                answer = send(node, Ask(method=method, body=b""), asking)
                assert strange(answer)
                assert "access-control-allow-origin" not in answer.headers


def test_without_what_answers_there_is_nothing(fresh: Node) -> None:
    """A server that is given nothing to answer peers has no such paths, for anybody."""
    with listening(fresh.served.door._replace(peering=None)) as url:
        fresh.served.url = url
        key = {"authorization": f"Bearer {fresh.served.keys['operator']}"}
        for headers in (key, {"content-type": "application/json"}, Ask().signed()):
            kind = {"content-type": "application/json"}
            answers = [
                send(fresh, Ask(target=target), {**kind, **headers})
                for target in (PUSH, "/v1/figs/push")
            ]
            assert [answer.status_code for answer in answers] == [404, 404]
            assert plain(answers[0]) == plain(answers[1])


def test_a_node_that_cannot_look_says_so_in_few_words() -> None:
    """Where it cannot be told who asks, nobody is let in, and nothing is told of why."""

    class Unready(Office):
        def known(self, device: str) -> PublicDevice | None:
            raise Busy(f"/home/secret holds {device}.")

    with answering(BOB, Unready(Post(), BOB.id)) as node:
        answer = send(node, Ask())
        assert (answer.status_code, answer.json()["code"]) == (503, "busy")
        assert "secret" not in answer.text
        assert ANN.id not in answer.text
        assert SIGNATURE not in answer.headers


def test_the_log_names_no_path_of_a_stranger(node: Node, caplog: pytest.LogCaptureFixture) -> None:
    """What a peer and a stranger ask for is in the log as other requests are."""
    caplog.set_level("INFO", "agent_memory_os.requests")
    ask = Ask()
    send(node, ask, {**ask.signed(), "x-request-id": "known"})
    send(node, Ask(target="/v1/sync/figs"), {"x-request-id": "strange"})
    came(node)
    told: dict[str, dict[str, Any]] = {}
    until = time.monotonic() + 30
    while len(told) < 2 and time.monotonic() < until:
        time.sleep(0.001)
        told = {vars(one)["request"]: vars(one) for one in caplog.records}
    assert (told["known"]["route"], told["known"]["status"]) == (PUSH, 204)
    assert (told["strange"]["route"], told["strange"]["status"]) == ("/v1/sync", 401)
