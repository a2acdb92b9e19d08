"""What stands before every route turns away whatever a hostile page could make a browser send."""

from __future__ import annotations

import logging
import re
import socket
import time
from collections.abc import Callable, Iterator
from functools import partial

import httpx
import pytest

from agent_memory_os.api.door import MAX_BODY
from agent_memory_os.server import sockets
from agent_memory_os.wire.problem import MEDIA_TYPE
from tests.api.operation import OPERATIONS, Operation
from tests.api.served import Served, serving

FRIEND = "https://console.example"


@pytest.fixture(scope="module")
def befriended() -> Iterator[Served]:
    """Give a node that pages of another origin may call, by another name too."""
    with serving(hosts=("Memory.Example",), origins=(FRIEND,)) as found:
        yield found


def wait_for(holds: Callable[[], bool]) -> None:
    """Wait until something holds that a thread of the server brings about."""
    until = time.monotonic() + 30
    while not holds() and time.monotonic() < until:
        time.sleep(0.001)


def refused(done: httpx.Response) -> None:
    """Check that an answer is a refusal, told as every refusal is."""
    assert done.status_code == 403, done.text
    assert done.headers["content-type"] == MEDIA_TYPE
    assert done.json()["code"] == "not_allowed"


@pytest.mark.parametrize("operation", OPERATIONS, ids=str)
def test_no_route_answers_to_a_hostile_page(served: Served, operation: Operation) -> None:
    """A foreign Host, a foreign Origin and a text/plain POST are turned away from every route."""
    operator, path = served["operator"], operation.at()
    port = served.url.rpartition(":")[2]
    for host in ("evil.example", f"evil.example:{port}", f"127.0.0.1.evil.example:{port}"):
        refused(operator.request(operation.method, path, headers={"host": host}))
    for origin in ("http://evil.example", f"http://evil.example:{port}", "null", "file://"):
        refused(operator.request(operation.method, path, headers={"origin": origin}))
    for kind in ("text/plain", "TEXT/PLAIN; charset=utf-8", "application/x-www-form-urlencoded"):
        for body in (b'{"content": "x"}', b""):
            told = {"content-type": kind}
            refused(operator.post(path, content=body, headers=told))
    for site in ("cross-site", "same-site"):
        refused(operator.request(operation.method, path, headers={"sec-fetch-site": site}))


@pytest.mark.parametrize("name", ["localhost", "LOCALHOST", "127.0.0.1", "[::1]"])
def test_the_names_of_this_machine_are_known(served: Served, name: str) -> None:
    """The server answers to the names of the machine that it runs on, with any port or none."""
    for host in (name, f"{name}:1"):
        assert served[""].get("/healthz", headers={"host": host}).status_code == 200
        own = {"host": host, "origin": f"http://{host}"}
        assert served["ann"].get("/v1/whoami", headers=own).status_code == 200


def test_a_person_may_come_by_a_link(served: Served) -> None:
    """A link of another page opens the pages for people, and nothing else."""
    coming = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
    for kind, status in (("document", 200), ("iframe", 403)):
        headers = {**coming, "sec-fetch-dest": kind}
        assert served[""].get("/", headers=headers).status_code == status
    refused(served["ann"].get("/v1/whoami", headers={**coming, "sec-fetch-dest": "document"}))


def test_a_named_origin_may_call(befriended: Served) -> None:
    """A page of an origin that was named may call with a key and read the answer; no other may."""
    done = befriended["ann"].get("/v1/whoami", headers={"origin": FRIEND})
    assert done.headers["access-control-allow-origin"] == FRIEND
    assert done.headers["vary"] == "origin"
    assert "access-control-allow-credentials" not in done.headers
    asking = {"origin": FRIEND, "access-control-request-method": "PATCH"}
    asked = befriended[""].options("/v1/memories/x", headers=asking)
    assert asked.status_code == 204
    assert "PATCH" in asked.headers["access-control-allow-methods"]
    assert "authorization" in asked.headers["access-control-allow-headers"]
    refused(befriended[""].options("/v1/memories/x", headers={**asking, "origin": "https://e.e"}))
    plain = befriended["ann"].get("/v1/whoami")
    assert "access-control-allow-origin" not in plain.headers


def test_a_named_origin_has_no_session(befriended: Served) -> None:
    """A session counts for pages of this server alone, also where another origin may call."""
    name = f"agent_memory_{befriended.url.rpartition(':')[2]}"
    token = befriended.door.sessions.open(befriended.door.sessions.invite())
    assert token
    cookie = {"cookie": f"{name}={token[0]}"}
    assert befriended[""].get("/v1/session", headers=cookie).status_code == 200
    foreign = {**cookie, "origin": FRIEND}
    assert befriended[""].get("/v1/session", headers=foreign).status_code == 401


def test_a_named_host_is_known(befriended: Served) -> None:
    """The server answers to a name that it was given, however it is written."""
    for host in ("memory.example", "MEMORY.example:443"):
        assert befriended["ann"].get("/v1/whoami", headers={"host": host}).status_code == 200


def test_every_answer_has_the_headers_of_safety(served: Served) -> None:
    """Whatever the answer is, no page may frame it, read it, run anything of it or keep it."""
    answers = [
        served["ann"].get("/v1/whoami"),
        served[""].get("/v1/whoami"),
        served["ann"].get("/v1/nothing"),
        served["ann"].put("/v1/whoami"),
        served[""].get("/", headers={"host": "evil.example"}),
        served[""].get("/"),
    ]
    assert [answer.status_code for answer in answers] == [200, 401, 404, 405, 403, 200]
    for answer in answers:
        assert answer.headers["content-security-policy"].startswith("default-src 'none'")
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cross-origin-resource-policy"] == "same-origin"
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["x-request-id"]
        if answer.is_error:
            assert answer.headers["content-type"] == MEDIA_TYPE
            problem = answer.json()
            assert problem["status"] == answer.status_code
            assert problem["instance"].endswith(answer.headers["x-request-id"])


def test_a_request_keeps_the_id_that_it_came_with(served: Served) -> None:
    """A request's own id is kept if it is a plain word; else it gets one."""
    given = served["ann"].get("/v1/whoami", headers={"x-request-id": "job-7.a"})
    assert given.headers["x-request-id"] == "job-7.a"
    for wrong in ("", "two words", "a" * 65, "a/b"):
        made = served["ann"].get("/v1/whoami", headers={"x-request-id": wrong})
        assert re.fullmatch(r"[0-9a-f]{32}", made.headers["x-request-id"])


@pytest.mark.parametrize(
    ("kind", "status"),
    [("application/json", 201), ("application/json; charset=utf-8", 201), ("application/xml", 415),
     ("", 415), ("application/x-ndjson", 415), ("text/json", 415)],
)  # fmt: skip
def test_a_body_is_json(served: Served, kind: str, status: int) -> None:
    """Only what says that it is JSON is read as JSON."""
    body = b'{"content": "What is kept came as JSON."}'
    done = served["ann"].post("/v1/memories", content=body, headers={"content-type": kind})
    assert done.status_code in (status, 200) if status == 201 else done.status_code == status


def test_nobody_is_read_before_it_is_known(served: Served) -> None:
    """A body is not waited for where it would be refused anyway."""
    told = (
        "POST /v1/memories HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        "Content-Length: {length}\r\n{more}\r\n"
    )
    key = f"Authorization: Bearer {served.keys['ann']}\r\n"
    for length, more, status in ((1000, "", 401), (MAX_BODY + 1, key, 413)):
        with socket.create_connection(("127.0.0.1", int(served.url.rpartition(":")[2]))) as line:
            line.sendall(told.format(length=length, more=more).encode())
            assert line.recv(4096).startswith(f"HTTP/1.1 {status} ".encode())


def test_a_body_without_a_length_is_bounded_too(served: Served) -> None:
    """A body that comes in pieces is cut off where it becomes too large."""

    def pieces() -> Iterator[bytes]:
        yield b'{"content": "'
        for _ in range(MAX_BODY // 2**20 + 1):
            yield b"a" * 2**20

    headers = {"content-type": "application/json"}
    done = served["ann"].post("/v1/memories", content=pieces(), headers=headers)
    assert done.status_code == 413
    assert done.json()["code"] == "too_large"


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[]", b"null", b'{"content": 1}', b'{"content": "\xff"}', b"[" * 100_000,
     b'{"content": "a", "position": ' + b"9" * 5000 + b"}", b'{"content": "a", "x": 1}',
     b'{"content": "\\ud800"}', b'{"content": "a", "importance": NaN}',
     b'{"content": "a", "source": {"x": ' + b"[" * 60 + b"]" * 60 + b"}}"],
)  # fmt: skip
def test_what_is_no_memory_is_refused_in_words(served: Served, body: bytes) -> None:
    """A body that is no JSON, or not what is asked for, is a problem of the request's own."""
    headers = {"content-type": "application/json"}
    done = served["ann"].post("/v1/memories", content=body, headers=headers)
    assert done.status_code in (400, 422), done.text
    assert done.headers["content-type"] == MEDIA_TYPE
    assert done.json()["detail"]


@pytest.mark.parametrize(
    ("method", "path", "body", "told"),
    [
        ("GET", "/v1/nothing", b"", "There is nothing at this path; /v1/openapi.json lists"),
        ("GET", "/v1/memories/a/b/c", b"", "There is nothing at this path; "),
        ("PUT", "/v1/memories", b"{}", "This path takes GET, POST."),
        ("POST", "/v1/memories", b'{"content": "a", "x": 1}', "x: there is no field of this name"),
        ("POST", "/v1/memories", b"{", "The body is no JSON, from character 1 on."),
        ("POST", "/v1/memories", b'{"content": "\xff"}', "The body cannot be read: "),
        ("POST", "/v1/memories", b"[" * 100_000, "The body cannot be read: "),
        ("POST", "/v1/memories", b'{"content": %s}' % (b"9" * 5000), "The body cannot be read: "),
        ("GET", "/v1/memories?since=now", b"", "query.since: write a time as RFC 3339"),
        ("GET", "/v1/memories?since=2026-02-30T00:00:00Z", b"", "query.since: there is no such"),
        ("GET", "/v1/memories?since=2026-01-01T00:00:00-99:00", b"", "query.since: there is no"),
        ("GET", "/api/timeline?around=2026-02-30", b"", "query.around: there is no such time."),
        ("GET", "/v1/timeline", b"", "query: name a memory (around) or an instant (at)."),
    ],
)
def test_what_is_wrong_is_told_in_a_sentence(
    served: Served, method: str, path: str, body: bytes, told: str
) -> None:
    """A path, a method, a body and a value that are wrong are told in words of ours."""
    kind = {"content-type": "application/json"}
    answer = served["ann"].request(method, path, content=body, headers=kind)
    assert answer.status_code in (400, 404, 405, 422)
    detail = answer.json()["detail"]
    assert detail.startswith(told)
    assert detail.endswith(".")


def test_a_name_that_is_not_the_server_s_is_told_with_what_helps(served: Served) -> None:
    """Whoever comes by a name that the server was not told learns that one can be added."""
    shape = served["ann"].get("/v1/memories", headers={"host": "node.example"}).json()
    assert shape["detail"].startswith("This server does not answer to the name")
    assert shape["remedy"] == "name_server"


def test_what_is_no_http_is_told_like_the_rest(served: Served) -> None:
    """What cannot be read as a request gets a problem document, too."""
    with socket.create_connection(("127.0.0.1", int(served.url.rpartition(":")[2]))) as line:
        line.sendall(b"GET / HTTP/1.1\r\nHost localhost\r\n\r\n")
        told = b"".join(iter(lambda: line.recv(4096), b""))
    assert told.startswith(b"HTTP/1.1 400 ")
    assert MEDIA_TYPE.encode() in told
    assert b'"code":"usage"' in told


def test_the_home_s_socket_needs_no_key(served: Served) -> None:
    """Whoever comes through the home's socket as its owner is the operator, by any name."""
    line = httpx.HTTPTransport(uds=sockets.path_in(served.home))
    with httpx.Client(base_url="http://node", transport=line) as client:
        me = client.get("/v1/whoami").json()
        assert me["operator"]
        assert client.get("/v1/whoami", headers={"agent-memory-as": "bob"}).json()["agent"]


def test_the_log_holds_no_content(served: Served, caplog: pytest.LogCaptureFixture) -> None:
    """What is asked for, by whom and with what words is in no line of the log."""
    words = ("zanzibar", "ann", "quokka", "apollo")
    body = {"content": "The zanzibar is fed.", "tags": ["quokka"], "audience": "team:apollo"}
    ask = partial(served["ann"].request, headers={"x-request-id": "here"})

    def lines() -> list[str]:
        found = [vars(record) for record in caplog.records]
        return [str(one) for one in found if one.get("request") == "here"]

    with caplog.at_level(logging.DEBUG, "agent_memory_os"):
        kept = ask("POST", "/v1/memories", json=body).json()["memory"]["id"]
        ask("GET", "/v1/search", params={"query": "zanzibar"})
        ask("GET", "/v1/memories", params={"tag": "quokka", "owner": "ann"})
        ask("GET", f"/v1/memories/{kept}")
        ask("ZANZIBAR", "/v1/quokka/apollo")
        wait_for(lambda: len(lines()) == 5)
    assert len(lines()) == 5
    measured = served["metrics"].get("/metrics").text
    for text in (*lines(), measured):
        assert not [word for word in (*words, kept) if word in text.lower()]


def test_the_log_names_the_route_of_what_was_refused(
    served: Served, caplog: pytest.LogCaptureFixture
) -> None:
    """Of a call without a key the log tells which route it was for, and not the path itself."""
    caplog.set_level("INFO", "agent_memory_os.requests")
    for path in ("/v1/memories/mem_figsandmice", "/figs/and/mice"):
        httpx.get(f"{served.url}{path}")
    wait_for(lambda: len(caplog.records) == 2)
    routes = [vars(record)["route"] for record in caplog.records]
    assert routes == ["/v1/memories/{memory}", "unmatched"]
