"""Whatever is wrong on the way to a node, or answers in its place, is told in one sentence."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator

import pytest

from agent_memory_os.errors import (
    AgentMemoryError,
    InvalidInput,
    LimitReached,
    NotAllowed,
    Unauthenticated,
    Unreachable,
)
from agent_memory_os.model.key import Limits
from agent_memory_os.model.principal import Principal
from agent_memory_os.model.recall import Filter, RecallRequest
from agent_memory_os.remote.node import RemoteNode
from agent_memory_os.service.memory.add import NewMemory
from tests.api.served import Served, serving
from tests.remote.other import HTML, JSON, answering, closed_port, cut_off, says

OPERATOR = Principal.operator()
PROBLEM = "application/problem+json"
KEY = "amk_0123456789_secret"


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    """Give a node that is served, one for all tests of this file."""
    with serving() as found:
        yield found


def told(url: str, key: str = "") -> AgentMemoryError:
    """Return what a call at a URL ends in."""
    node = RemoteNode(url, key)
    with pytest.raises(AgentMemoryError) as raised:
        node.memories.list(OPERATOR, Filter())
    node.close()
    words = str(raised.value)
    assert words.endswith(".")
    assert "\n" not in words
    assert key not in words or not key
    return raised.value


@pytest.mark.parametrize(
    "url",
    [
        "",
        "localhost",
        "localhost:8765",
        "ftp://localhost",
        "http://",
        "http://:8765",
        "http://localhost:0",
        "http://localhost:99999",
        "http://localhost:x",
        "http://localhost/?x=1",
        "http://localhost/#x",
        "http://[::1",
        "http://lo calhost",
        "http://löcalhost",
        "http://localhost:8765/v1",
        "https://localhost/node/v1/",
        "http://user:secret@localhost",
        "http://amk_secret@localhost",
        "http://localhost/?key=amk_secret",
        "http://localhost/?token=secret",
        "http://localhost/#secret",
        "http://localhost/amk_secret",
        "amk_0123456789_secret",
        "unix:",
        "unix:a\0b",
    ],
)
def test_what_is_no_url_is_refused(url: str) -> None:
    """A URL that cannot be one is refused at once, and a secret in it is not repeated."""
    with pytest.raises(InvalidInput) as raised:
        RemoteNode(url)
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize("key", ["a b", "ä", "a\nb", "a\0"])
def test_what_is_no_key_is_refused(key: str) -> None:
    """A key that no header can hold is refused at once, and is not repeated."""
    with pytest.raises(InvalidInput, match="no key of a node"):
        RemoteNode("http://localhost", key)


def test_nobody_there() -> None:
    """An unknown host, a closed port and a socket that is not there are told apart."""
    assert isinstance(told("http://nowhere.invalid"), Unreachable)
    refused = told(f"http://127.0.0.1:{closed_port()}")
    assert isinstance(refused, Unreachable)
    assert str(refused).endswith("does not answer: connection refused.")
    gone = told("unix:/nowhere/at/all")
    assert str(gone) == (
        "The node at unix:/nowhere/at/all does not answer: no such file or directory."
    )


def test_https_where_there_is_none() -> None:
    """A node that speaks HTTP, asked by HTTPS, is told in words and not in those of a library."""
    with answering(says("400 Bad Request", HTML, b"")) as url:
        error = told(url.replace("http:", "https:"))
    assert str(error).endswith("does not answer: it does not speak HTTPS.")


@pytest.mark.parametrize(
    "answer",
    [
        says("200 OK", HTML, b"<html>hello</html>"),
        says("200 OK", JSON, b"<html>hello</html>"),
        says("200 OK", JSON, b"[]"),
        says("200 OK", JSON, b"7"),
        says("200 OK", JSON, b'{"hello": "world"}'),
        says("200 OK", JSON, b'{"memories": 7, "cursor": null}'),
        says("200 OK", JSON, b'{"memories": [{"id": "mem_a"}], "cursor": null}'),
        says("200 OK", JSON, b"[" * 100_000),
        says("200 OK", JSON, b""),
        says("200 OK", JSON, b"{}", "content-encoding: gzip\r\n"),
        says("204 No Content", HTML, b""),
        says("302 Found", HTML, b"moved", "location: http://127.0.0.1:1/\r\n"),
        says("404 Not Found", HTML, b"<h1>Not Found</h1>"),
        says("403 Forbidden", JSON, b'{"detail": "no"}'),
        says("401 Unauthorized", PROBLEM, b'{"title": "another problem"}'),
        says("400 Bad Request", PROBLEM, b"nothing"),
    ],
)
def test_what_is_no_node_is_told_so(answer: bytes) -> None:
    """A page, another JSON or another problem is no node's, whatever its status."""
    with answering(answer) as url:
        error = told(url, "amk_0123456789_secret")
        assert isinstance(error, Unreachable)
        assert "no node of Agent Memory OS" in str(error)


@pytest.mark.parametrize(
    "answer",
    [
        says("502 Bad Gateway", HTML, b"<h1>Bad Gateway</h1>"),
        b"",
        b"SSH-2.0-OpenSSH_9.6\r\n",
        b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nshort",
        cut_off(JSON, b'{"memories": [], "cursor": null}'),
    ],
)
def test_what_breaks_off_is_told_so(answer: bytes) -> None:
    """A proxy without a node, no HTTP, and an answer that ends too soon are no answer."""
    with answering(answer) as url:
        error = told(url, "amk_0123456789_secret")
        assert isinstance(error, Unreachable)
        assert f"The node at {url} does not answer: " in str(error)


def test_a_key_that_is_repeated_is_not_told() -> None:
    """What answers with a problem may be anything: a key that it says again is shown to nobody."""
    shape = {"code": "refused", "detail": f"{KEY} is no good.", "about": {"key": f"x{KEY}"}}
    with answering(says("409 Conflict", PROBLEM, json.dumps(shape).encode())) as url:
        error = told(url, KEY)
    assert str(error) == "… is no good."
    assert KEY not in str(error.about)


def test_a_problem_of_a_newer_node_is_told() -> None:
    """A code that is not known here is a refusal, with the words and the remedy that came."""
    shape = {"code": "brand_new", "detail": "Too new.", "remedy": "x", "about": {"message": "y"}}
    with answering(says("409 Conflict", PROBLEM, json.dumps(shape).encode())) as url:
        error = told(url)
    assert (type(error).__name__, str(error), error.remedy) == ("Refused", "Too new.", "x")
    assert error.about == {"message": "y"}


def test_keys_that_open_nothing(served: Served) -> None:
    """No key, a wrong one, an expired and a revoked one are told, and the key in no word of it."""
    keys, clock = served.node.keys, served.clock
    expired = keys.create("expired", "agent", "ann", expires_at=clock() + 3_600_000).token
    revoked = keys.create("revoked", "agent", "ann").token
    node = RemoteNode(served.url, revoked)
    assert node.acting(None).agent is not None
    keys.revoke("revoked")
    with pytest.raises(Unauthenticated, match="unknown, revoked or expired"):
        node.acting(None)
    clock.ahead += 7_200_000
    for key in ("", "amk_0123456789_wrong", expired, revoked):
        assert isinstance(told(served.url, key), Unauthenticated)
    clock.ahead = 0


def test_who_acts_is_who_the_key_says(served: Served) -> None:
    """An agent's key is its agent's; the operator's is for whoever is named, and made if wanted."""
    ann = served.node.organisation.agent("ann").id
    agent, operator = (RemoteNode(served.url, served.keys[who]) for who in ("ann", "operator"))
    for named in (None, "ann", ann):
        assert agent.acting(named, create=True).agent == ann
    with pytest.raises(NotAllowed, match="stands for agent ann, and not for bob"):
        agent.acting("bob")
    assert operator.acting("ann").agent == ann
    with pytest.raises(AgentMemoryError, match="no agent called 'ghost'"):
        operator.acting("ghost")
    made = operator.acting("ghost", create=True)
    assert made.agent == served.node.organisation.agent("ghost").id
    with pytest.raises(InvalidInput, match="say which agent acts") as raised:
        operator.acting(None)
    assert raised.value.remedy == "name_actor"
    for key in ("metrics", "ann"):
        with pytest.raises(NotAllowed):
            RemoteNode(served.url, served.keys[key]).upkeep.check()
    with pytest.raises(NotAllowed):
        RemoteNode(served.url, served.keys["metrics"]).acting(None)


def test_a_reader_may_ask_at_any_length_and_change_nothing(served: Served) -> None:
    """A key that may only read searches and packs, and is refused what writes."""
    node = RemoteNode(served.url, served.keys["reader"])
    who = node.acting(None)
    asked = RecallRequest("发布 " * 3000, 0)
    assert node.recall.search(who, asked).hits == ()
    assert node.recall.pack(who, asked, 300).text == ""
    for act in (
        lambda: node.memories.add(who, NewMemory("never")),
        lambda: list(node.memories.add_many(who, [(NewMemory("never"), "private")])),
        lambda: node.transfer.take(who, [], ""),
        lambda: node.memories.erase(who, []),
    ):
        with pytest.raises(NotAllowed, match="may read only"):
            act()


def test_a_limit_is_told_with_how_long_it_lasts(served: Served) -> None:
    """A limit that is reached comes as the error that it is, with the seconds to wait."""
    token = served.node.keys.create("slow", "agent", "bob", limits=Limits(requests=1)).token
    node = RemoteNode(served.url, token)
    node.acting(None)
    with pytest.raises(LimitReached) as raised:
        node.acting(None)
    assert int(raised.value.about["seconds"]) > 0


def test_a_connection_serves_many_threads_and_outlives_its_close(served: Served) -> None:
    """Several threads ask through one node; after a close, and in a child, it connects again."""
    node = RemoteNode(served.url, served.keys["eve"])
    who = node.acting(None)
    faults: list[Exception] = []

    def work(number: int) -> None:
        try:
            for item in range(5):
                node.memories.add(who, NewMemory(f"thread {number} item {item}"))
        except AgentMemoryError as error:
            faults.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults
    node.close()
    node.close()
    assert len(node.memories.list(who, Filter(), 100).memories) == 30
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:  # pragma: no cover - a child takes no measure
        found = len(node.memories.list(who, Filter(), 100).memories)
        os.write(writing, str(found).encode())
        os._exit(0)
    os.waitpid(child, 0)
    assert os.read(reading, 10) == b"30"
    assert len(node.memories.list(who, Filter(), 100).memories) == 30
    os.close(reading)
    os.close(writing)
    node.close()


def test_what_was_idle_and_is_closed_is_asked_again() -> None:
    """A read is asked again where the connection was let go meanwhile; a write is not."""
    calls: list[bytes] = []
    page = says("200 OK", JSON, b'{"memories": [], "cursor": null}')

    def answer(asked: bytes) -> bytes:
        calls.append(asked)
        return b"" if len(calls) == 1 else page

    with answering(answer) as url:
        node = RemoteNode(url)
        assert node.memories.list(OPERATOR, Filter()).memories == ()
        assert len(calls) == 2
        calls.clear()
        with pytest.raises(Unreachable):
            node.memories.add(OPERATOR, NewMemory("once"), owner="ann")
        assert len(calls) == 1
        node.close()
