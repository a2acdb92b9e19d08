"""What a peer asks is answered as it was signed, or refused in words that it can act on."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from typing import BinaryIO

import httpx
import pytest

from agent_memory_os.api import spool
from agent_memory_os.api.app import routes
from agent_memory_os.api.peer import entry
from agent_memory_os.api.routes import sync
from agent_memory_os.errors import (
    AgentMemoryError,
    BadBundle,
    DamagedDatabase,
    Incompatible,
    InvalidInput,
    LimitReached,
    NotAllowed,
    NotFound,
    Refused,
    UnknownDevice,
)
from agent_memory_os.federation.hello import MAX_LINE_BYTES
from agent_memory_os.federation.transport.memory import Post
from agent_memory_os.federation.transport.responder import HELLO, MOST_BYTES, PULL, PUSH
from tests.api.peer.ask import Ask, call, checked, refused, rest, send
from tests.federation.sample import ANN, BOB, EVE
from tests.federation.transport.office import Node, Office, answering

WHOLE = MOST_BYTES[PUSH]
SECRET = "/home/secret"


class Other(Office):
    """An office that does something else with a bundle or an ask."""

    def __init__(self) -> None:
        super().__init__(Post(), BOB.id)
        self.act: Callable[[BinaryIO], Iterable[bytes]] = lambda _: ()

    def push(self, device: str, bundle: BinaryIO) -> None:
        """Take a bundle of a peer."""
        for piece in self.act(bundle):
            self.post.end(device, BOB.id).push([piece])

    def pull(self, _device: str, ask: BinaryIO) -> Iterable[bytes]:
        """Return what answers an ask."""
        return self.act(ask)


@pytest.fixture(scope="module")
def node() -> Iterator[Node]:
    """Give Bob's node, which Ann and Eve may ask."""
    with answering(BOB) as found:
        yield found


@pytest.fixture(scope="module")
def other() -> Iterator[tuple[Node, Other]]:
    """Give a node of Bob's with another office, which does what a test tells it."""
    office = Other()
    with answering(BOB, office) as found:
        yield found, office


def came(node: Node) -> list[bytes]:
    """Return what Bob's node was sent by Ann, and take it."""
    return list(node.post.bundles.pop((ANN.id, BOB.id), {}).values())


def answered(line: socket.socket) -> tuple[int, bytes]:
    """Return the status of the answer that comes until a connection is closed, and all of it."""
    told = rest(line)
    return int(told.split()[1]), told


@pytest.mark.parametrize("size", [0, 1, 300_000, WHOLE])
def test_bundles_go_both_ways(other: tuple[Node, Other], size: int) -> None:
    """A bundle of any size up to the most comes as it was sent, there and back."""
    bundle = bytes(range(256)) * (size // 256) + b"x" * (size % 256)

    def echoed(file: BinaryIO) -> Iterable[bytes]:
        return [file.read()]

    node, office = other
    office.act = echoed
    there, back = Ask(PUSH, bundle), Ask(PULL, bundle)
    assert checked(send(node, there), there, node) == 204
    assert came(node) == [bundle]
    answer = send(node, back)
    assert checked(answer, back, node) == (200 if size else 204)
    assert answer.content == bundle


def test_what_no_node_understands_is_carried_too(node: Node) -> None:
    """A body is for whoever opens bundles to judge: what a peer signed is taken as it is."""
    for body in (b"plaintext", b"\0\xff" * 100, b"{", b"\n"):
        ask = Ask(PUSH, body)
        answer = send(node, ask, {**ask.signed(), "content-type": "text/plain"})
        assert checked(answer, ask, node) == 204
        assert came(node) == [body]


def test_another_body_is_refused(node: Node) -> None:
    """A body that is not the one that was signed is dropped, and the peer is told."""
    ask = Ask(PUSH, b"bundle")
    for body in (b"other", b"bundle ", b"", b"bundl"):
        assert refused(send(node, ask, body=body), ask, node) == (401, "bad_signature")
    assert came(node) == []


@pytest.mark.parametrize(
    ("target", "most"), [(HELLO, MAX_LINE_BYTES), (PULL, WHOLE), (PUSH, WHOLE)]
)
def test_a_body_has_a_greatest_length(other: tuple[Node, Other], target: str, most: int) -> None:
    """A longer one is refused unread if it says how long it is, and else cut off."""
    node, office = other
    office.act = lambda _: ()
    ask = Ask(target, b"x" * most)
    assert checked(send(node, ask), ask, node) in (200, 204)
    longer = Ask(target, b"x" * (most + 1))
    with call(node) as line:
        line.sendall(longer.head(most + 1))
        status, told = answered(line)
        assert (status, b'"code":"too_large"' in told) == (413, True)

    def pieces() -> Iterator[bytes]:
        for _ in range(10):
            yield b"x" * (most // 8)

    with httpx.Client(verify=False, timeout=60) as client:
        answer = client.post(f"{node.url}{target}", content=pieces(), headers=longer.signed())
    assert refused(answer, longer, node) == (413, "too_large")


def test_a_body_that_breaks_off_is_not_taken(node: Node) -> None:
    """Of a body that ends before it is whole nothing is left."""
    ask = Ask(PUSH, b"bundle")
    with call(node) as line:
        line.sendall(ask.head(1000) + b"bundle")
        line.shutdown(socket.SHUT_WR)
        with suppress(ConnectionError):
            rest(line)
    assert checked(send(node, ask), ask, node) == 204
    assert came(node) == [b"bundle"]


def test_a_slow_body_is_given_up(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    """A body that does not come in time is refused; meanwhile others are answered."""
    monkeypatch.setattr(sync, "_BODY_SECONDS", 0.5)
    slow, ask = Ask(PUSH, b"x" * 1000), Ask(PUSH, b"bundle")
    with call(node) as line:
        line.sendall(slow.head(1000) + b"x" * 500)
        assert checked(send(node, ask), ask, node) == 204
        status, told = answered(line)
    assert (status, b"did not come within" in told, b"\r\nsignature: am=" in told) == (
        422,
        True,
        True,
    )
    assert came(node) == [b"bundle"]


def test_a_peer_has_few_requests_at_once(other: tuple[Node, Other]) -> None:
    """One more than its share is told to come again, signed; another peer is not held up."""
    going, let_go = threading.Semaphore(0), threading.Event()

    def waiting(file: BinaryIO) -> Iterable[bytes]:
        if file.read() == b"wait":
            going.release()
            assert let_go.wait(60)
        return ()

    node, office = other
    office.act = waiting
    with ExitStack() as held:
        for _ in range(entry.MOST_AT_ONCE):
            line = held.enter_context(call(node))
            line.sendall(Ask(PULL, b"wait").head(4) + b"wait")
            assert going.acquire(timeout=60)
        ask, hers = Ask(PUSH, b""), Ask(PUSH, b"", device=EVE)
        answer = send(node, ask)
        assert refused(answer, ask, node) == (503, "busy")
        assert answer.headers["retry-after"] == "1"
        assert checked(send(node, hers), hers, node) == 204
        let_go.set()
        until = time.monotonic() + 60
        while (again := checked(send(node, ask := Ask(PUSH, b"")), ask, node)) != 204:
            assert (again, time.monotonic() < until) == (503, True)


def test_peers_leave_threads_to_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """However much peers ask for, agents are answered, and what peers asked waits for its turn."""
    monkeypatch.setattr(entry, "MOST_AT_WORK", 2)
    going, let_go, office = threading.Semaphore(0), threading.Event(), Other()

    def waiting(file: BinaryIO) -> Iterable[bytes]:
        going.release()
        assert let_go.wait(60)
        return [file.read()]

    office.act = waiting
    with answering(BOB, office) as node, ThreadPoolExecutor(3) as pool:
        agent, asks = node.served["ann"], [Ask(PULL, b"%d" % number) for number in range(3)]
        assert not node.served[""].is_closed  # made here, and not by each thread
        answers = [pool.submit(send, node, ask) for ask in asks]
        assert [going.acquire(timeout=60) for _ in range(2)] == [True, True]
        assert agent.get(f"{node.url}/v1/whoami").status_code == 200
        assert not going.acquire(blocking=False)
        let_go.set()
        assert [one.result().content for one in answers] == [ask.body for ask in asks]


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (BadBundle("The bundle is cut off."), 409),
        (Incompatible("The peer speaks protocol 1 at most."), 409),
        (InvalidInput("This is no hello of a node."), 422),
        (LimitReached("The limit is reached.", limit="bytes", seconds="9"), 429),
        (NotAllowed("This peer may not."), 403),
        (UnknownDevice("The device is not known here."), 401),
    ],
    ids=lambda case: getattr(case, "code", str(case)),
)
@pytest.mark.parametrize("target", [PULL, PUSH])
def test_what_is_wrong_with_what_was_sent_is_told(
    other: tuple[Node, Other], target: str, error: AgentMemoryError, status: int
) -> None:
    """A peer is told in an answer that is signed what was wrong with what it sent."""

    def failing(_: BinaryIO) -> Iterable[bytes]:
        yield b"some"
        raise error

    (node, office), ask = other, Ask(target)
    office.act = failing
    answer = send(node, ask)
    assert refused(answer, ask, node) == (status, error.code)
    assert answer.json()["detail"] == str(error)
    assert "Bearer" not in answer.headers.get("www-authenticate", "")


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (DamagedDatabase(f"{SECRET} is damaged."), 503),
        (NotFound(f"There is no {SECRET}."), 503),
        (Refused(f"{SECRET} is refused."), 503),
        (OSError(28, "No space left on device", SECRET), 503),
        (OSError(5, "Input/output error", SECRET), 503),
        (KeyError(SECRET), 500),
    ],
    ids=str,
)
@pytest.mark.parametrize("target", [PULL, PUSH])
def test_what_is_wrong_here_is_told_to_nobody(
    other: tuple[Node, Other], target: str, error: Exception, status: int
) -> None:
    """Of a fault of this node a peer learns that there is one, and no word of it."""

    def failing(_: BinaryIO) -> Iterable[bytes]:
        yield b"some"
        raise error

    (node, office), ask = other, Ask(target)
    office.act = failing
    answer = send(node, ask)
    assert refused(answer, ask, node)[0] == status
    assert SECRET not in answer.text


def test_a_disk_that_is_full_is_told_in_few_words(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where there is no room for a body, the peer is to come again, and learns no path."""
    monkeypatch.setattr(spool, "LEAST_FREE", 2**62)
    ask = Ask(PUSH)
    answer = send(node, ask)
    assert refused(answer, ask, node) == (503, "busy")
    assert node.served.home not in answer.text
    assert came(node) == []


def test_an_answer_that_is_too_long_is_our_fault(other: tuple[Node, Other]) -> None:
    """Nothing of an answer goes out that is longer than a peer takes."""
    (node, office), ask = other, Ask(PULL)
    office.act = lambda _: [b"x"] * 2 + [b"x" * (WHOLE - 1)]
    assert refused(send(node, ask), ask, node) == (500, "error")


def test_hello_shows_what_there_is(node: Node) -> None:
    """A hello is given to who answers, and its own comes back, or nothing."""
    ask = Ask(HELLO, b"ann\n")
    answer = send(node, ask)
    assert (checked(answer, ask, node), answer.content) == (200, b"")
    node.post.hellos[BOB.id, ANN.id] = b"bob\n"
    answer = send(node, ask)
    assert (checked(answer, ask, node), answer.content) == (200, b"bob\n")
    assert node.post.hellos[ANN.id, BOB.id] == b"ann\n"


def test_an_answer_may_be_made_from_the_ask_piece_by_piece(other: tuple[Node, Other]) -> None:
    """What answers may read the ask while it answers."""

    def doubled(file: BinaryIO) -> Iterable[bytes]:
        return (line * 2 for line in file)

    (node, office), ask = other, Ask(PULL, b"a\nb\n")
    office.act = doubled
    assert send(node, ask).content == b"a\na\nb\nb\n"


def test_no_schema_tells_of_them(node: Node) -> None:
    """The schema has no path of peers, also where they are answered, but the operator's alone."""
    told = node.served["ann"].get(f"{node.url}/v1/openapi.json").json()
    assert told["paths"].keys() == routes().openapi()["paths"].keys()
    assert sorted(path for path in told["paths"] if "sync" in path) == [
        "/v1/sync",
        "/v1/sync/export",
        "/v1/sync/import",
        "/v1/sync/status",
    ]
