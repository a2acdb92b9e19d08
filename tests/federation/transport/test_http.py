"""A peer is believed for its signature on an answer to this request, and for nothing else."""

from __future__ import annotations

import gzip
import json
import secrets
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from agent_memory_os import wiring
from agent_memory_os.errors import (
    AgentMemoryError,
    BadBundle,
    BadSignature,
    ClockApart,
    DamagedDatabase,
    Incompatible,
    InvalidInput,
    Refused,
    Replayed,
    TooLarge,
    Unauthenticated,
    UnknownDevice,
    Unreachable,
)
from agent_memory_os.federation.identity import device_of
from agent_memory_os.federation.transport import http
from agent_memory_os.federation.transport.http import HttpTransport
from agent_memory_os.federation.transport.responder import HELLO, MOST_BYTES, PULL, PUSH
from tests.federation.sample import ANN, BOB, EVE, made
from tests.federation.transport.impostor import Call, answering, says, signed
from tests.federation.transport.office import answering as served
from tests.remote.other import closed_port

WHOLE = MOST_BYTES[PULL]


def way(url: str, pin: str = "", ahead: int = 0) -> HttpTransport:
    """Return Ann's end of a way to Bob's node, at a clock that is ahead by some seconds."""
    return HttpTransport(
        url,
        ANN,
        BOB.public,
        lambda: wiring.clock() + ahead * 1000,
        lambda: secrets.token_hex(16),
        pin,
    )


def told(answer: Callable[[Call], bytes]) -> AgentMemoryError:
    """Return what a pull ends in, whatever stands in the place of the peer."""
    with answering(answer) as url, pytest.raises(AgentMemoryError) as raised:
        list(way(url).pull())
    words = str(raised.value)
    assert words.endswith(".")
    assert "\n" not in words
    assert words.count(". ") == 0
    assert url in words
    return raised.value


def problem(code: str, detail: Any, status: int = 409, ahead: int = 0) -> Callable[[Call], bytes]:  # noqa: ANN401
    """Return what answers with a problem document that Bob signed."""
    body = json.dumps({"code": code, "detail": detail, "remedy": "x", "about": {"x": "y"}}).encode()

    def answer(call: Call) -> bytes:
        return says(status, body, signed(call.proved, body, status, ahead=ahead))

    return answer


@pytest.mark.parametrize(
    ("status", "kind", "words"),
    [
        (200, Unauthenticated, "is not signed"),
        (204, Unauthenticated, "is not signed"),
        (302, Unauthenticated, "is not signed"),
        (401, Unauthenticated, "does not know this device, or is not the peer"),
        (404, Unauthenticated, "is not signed"),
        (502, Unreachable, "what stands before it says 502"),
    ],
)
def test_what_nobody_signed_is_refused(
    status: int, kind: type[AgentMemoryError], words: str
) -> None:
    """An answer without a signature is no peer's, whatever it says, and leads nowhere."""
    asked = []

    def answer(call: Call) -> bytes:
        asked.append(call.target)
        body = b"" if status == 204 else b"bundle"
        return says(
            status, body, {"location": PULL, "content-digest": call.headers["content-digest"]}
        )

    error = told(answer)
    assert type(error) is kind
    assert words in str(error)
    assert asked == [PULL]


def test_what_another_signed_is_refused() -> None:
    """An answer of another device, to another request, of another status or body is refused."""
    before: list[Call] = []

    def of_another(call: Call) -> bytes:
        return says(200, b"bundle", signed(call.proved, b"bundle", device=EVE))

    def in_its_name(call: Call) -> bytes:
        return says(200, b"bundle", signed(call.proved, b"bundle", device=EVE._replace(id=BOB.id)))

    def of_the_same(call: Call) -> bytes:
        return says(200, b"bundle", signed(call.proved, b"bundle", device=ANN))

    def echoed(call: Call) -> bytes:
        names = ("content-digest", "signature", "signature-input")
        return says(200, call.body, {name: call.headers[name] for name in names})

    def of_another_status(call: Call) -> bytes:
        return says(200, b"bundle", signed(call.proved, b"bundle", 204))

    def undeclared(call: Call) -> bytes:
        return says(200, b"bundle", {**signed(call.proved, b"bundle"), "content-digest": "x"})

    def twice(call: Call) -> bytes:
        headers = signed(call.proved, b"bundle")
        return says(200, b"bundle", {**headers, "Signature": headers["signature"]})

    def to_another_request(call: Call) -> bytes:
        before.append(call)
        return says(200, b"bundle", signed(before[0].proved, b"bundle"))

    for answer in (
        of_another,
        in_its_name,
        of_the_same,
        echoed,
        of_another_status,
        undeclared,
        twice,
    ):
        error = told(answer)
        assert isinstance(error, Unauthenticated)
        assert "is refused: " in str(error)
    with answering(to_another_request) as url:
        assert [one.file.read() for one in way(url).pull()] == [b"bundle"]
        with pytest.raises(BadSignature, match="another request"):
            list(way(url).pull())


def test_what_was_changed_on_its_way_is_refused() -> None:
    """A body that is not the one that was signed, or was compressed, is not given to anybody."""
    packed = gzip.compress(b"bundle")

    def changed(call: Call) -> bytes:
        return says(200, b"bundel", signed(call.proved, b"bundle"))

    def compressed(call: Call) -> bytes:
        return says(200, packed, {**signed(call.proved, packed), "content-encoding": "gzip"})

    assert "changed on its way" in str(told(changed))
    assert "compressed" in str(told(compressed))


@pytest.mark.parametrize("status", [200, 409])
def test_an_answer_has_an_end(status: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is longer than a peer may answer is read so far, however long it is."""
    size = WHOLE + 1 if status == 200 else 100_000
    body = b"x" * size

    def long(call: Call) -> bytes:
        return says(status, body, signed(call.proved, body, status))

    def endless(call: Call) -> bytes:
        headers = {**signed(call.proved, body, status), "transfer-encoding": "chunked"}
        head = says(status, b"", headers).replace(b"content-length: 0\r\n", b"")
        return head + b"%x\r\n%s\r\n" % (size, body)

    for answer in (long, endless):
        assert isinstance(told(answer), TooLarge)
    with answering(long) as url, pytest.raises(TooLarge):
        way(url).hello(b"hello\n")
    with monkeypatch.context() as patched:
        patched.setattr(http, "_ALL_SECONDS", -1)
        assert str(told(long)).endswith("does not answer: it takes too long.")


def test_a_peer_that_is_slow_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who says nothing for too long is told of like who is not there."""
    monkeypatch.setattr(http, "_TIMES", httpx.Timeout(0.1))

    def slow(_: Call) -> bytes:
        time.sleep(0.5)
        return b""

    assert str(told(slow)).endswith("does not answer: it takes too long.")


@pytest.mark.parametrize(
    "answer",
    [b"", b"SSH-2.0-OpenSSH_9.6\r\n", b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n"],
)
def test_what_is_no_peer_is_told_so(answer: bytes) -> None:
    """What hangs up, speaks no HTTP, or is no node, is one sentence."""
    assert isinstance(told(lambda _: answer), (Unreachable, Unauthenticated))


def test_an_answer_that_breaks_off_is_none() -> None:
    """Of a bundle that ends before it is whole nothing is delivered."""

    def cut(call: Call) -> bytes:
        return says(200, b"bundle", signed(call.proved, b"bundle"))[:-1]

    assert "broke off" in str(told(cut))


@pytest.mark.parametrize(
    ("code", "status", "kind"),
    [
        ("bad_bundle", 409, BadBundle),
        ("incompatible", 409, Incompatible),
        ("replayed", 401, Replayed),
        ("clock_apart", 401, ClockApart),
        ("unknown_device", 401, UnknownDevice),
        ("damaged_database", 409, Refused),
        ("not_found", 404, Refused),
        ("figs", 418, Refused),
        ("", 302, Refused),
        ("bad_bundle", 503, Unreachable),
    ],
)
def test_what_a_peer_refuses_is_told(code: str, status: int, kind: type[AgentMemoryError]) -> None:
    """What a peer says of what it was sent is told in its words, and its own faults are its own."""
    error = told(problem(code, "The bundle is cut off.", status))
    assert type(error) is kind
    assert str(error).endswith(": the bundle is cut off.")
    assert (error.remedy, error.about) == ("", {})


@pytest.mark.parametrize("detail", ["", None, "a\nb", "a\x1b[31m", "x" * 501, 7 * "\u202e"])
def test_what_cannot_be_shown_is_not(detail: str | None) -> None:
    """Words of a peer that are no plain sentence are not repeated."""
    words = str(told(problem("bad_bundle", detail)))
    assert words.endswith("refuses: it says no more than 409.")
    assert words.isprintable()


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b"[" * 10_000, b"\xff"])
def test_a_refusal_that_cannot_be_read_is_one(body: bytes) -> None:
    """A refusal that the peer signed is a refusal, whatever stands in it."""
    error = told(lambda call: says(409, body, signed(call.proved, body, 409)))
    assert type(error) is Refused
    assert str(error).endswith("refuses: it says no more than 409.")


@pytest.mark.parametrize(("ahead", "words"), [(600, "ahead of"), (-600, "behind")])
def test_a_clock_that_is_off_is_told_by_how_much(ahead: int, words: str) -> None:
    """Where the peer refuses for the clocks, both sides know by how much they are apart."""
    with served(BOB) as node:
        with pytest.raises(ClockApart, match=f"seconds {words} that of ") as raised:
            way(node.url, ahead=ahead).push([b"bundle"])
        assert abs(int(raised.value.about["offset_seconds"]) - ahead) <= 60
        assert node.post.bundles == {}
        way(node.url, ahead=ahead // 3).push([b"bundle"])
    late = told(problem("clock_apart", "The request was too old.", 401))
    assert isinstance(late, ClockApart)
    assert "too old" in str(late)


def test_a_stranger_is_told_so() -> None:
    """Who is not known to the node that it asks, or asks another one, is told what that means."""
    stranger, clock = device_of(made(9), made(10)), wiring.clock
    with served(BOB) as node:
        ends = [
            HttpTransport(node.url, device, peer, clock, lambda: secrets.token_hex(16))
            for device, peer in ((stranger, BOB.public), (ANN, EVE.public))
        ]
        for end in ends:
            with pytest.raises(Unauthenticated, match="does not know this device, or is not"):
                end.hello(b"hello\n")
        assert node.post.hellos == {}


def test_what_is_too_long_is_not_sent() -> None:
    """A hello or a bundle that no peer would take is refused before anybody is asked."""
    end = way(f"http://127.0.0.1:{closed_port()}")
    with pytest.raises(TooLarge, match="8,388,608"):
        end.push([b"x" * WHOLE, b"x"])
    with pytest.raises(TooLarge, match="8,388,608"):
        list(end.pull([b"x"] * 2 + [b"x" * WHOLE]))
    with pytest.raises(TooLarge, match="4,096"):
        end.hello(b"x" * 4097)


def test_nobody_there() -> None:
    """An unknown host and a closed port are told apart, and as what they are."""
    for url, words in (
        ("http://nowhere.invalid", ""),
        (f"http://127.0.0.1:{closed_port()}", "does not answer: connection refused."),
    ):
        with pytest.raises(Unreachable) as raised:
            way(url).push([b"bundle"])
        assert words in str(raised.value)


@pytest.mark.parametrize(
    "url",
    ["", "localhost", "ftp://localhost", "http://", "http://u:secret@localhost", "unix:/secret",
     "http://localhost/?key=secret", "http://localhost/#secret", "http://localhost/amk_secret",
     "https://localhost/v1"],
)  # fmt: skip
def test_what_is_no_url_is_refused(url: str) -> None:
    """A URL that cannot be one is refused at once, and a secret in it is not repeated."""
    with pytest.raises(InvalidInput) as raised:
        way(url)
    assert "secret" not in str(raised.value) or url.startswith("unix:")


def test_a_name_that_cannot_be_looked_up_is_refused() -> None:
    """What no host can be called is told as such."""
    with pytest.raises(InvalidInput, match="names no host"):
        way(f"http://{'x' * 64}.example").push([b"bundle"])


def test_nothing_goes_through_what_the_environment_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No proxy and no password of the environment is used."""
    (tmp_path / ".netrc").write_text("machine 127.0.0.1 login ann password secret\n")
    monkeypatch.setenv("NETRC", str(tmp_path / ".netrc"))
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{closed_port()}")
    calls: list[Call] = []

    def answer(call: Call) -> bytes:
        calls.append(call)
        return says(204, b"", signed(call._replace(target=PUSH).proved, b"", 204))

    with answering(answer) as url:
        way(f"{url}/behind/a/proxy/").push([b"bund", b"le"])
    (call,) = calls
    assert (call.method, call.body) == ("POST", b"bundle")
    assert call.target == f"/behind/a/proxy{PUSH}"
    assert call.headers["accept-encoding"] == "identity"
    signature = {"content-digest", "agent-memory-to", "signature-input", "signature"}
    assert set(call.headers) == {"host", "accept-encoding", "content-length", *signature}


def test_the_path_of_a_proxy_is_not_signed() -> None:
    """What stands before a node may take a path away: what is signed begins behind it."""
    with served(BOB) as node:

        def passed_on(call: Call) -> bytes:
            target = call.target.removeprefix("/node")
            done = httpx.post(f"{node.url}{target}", content=call.body, headers=call.headers)
            return says(done.status_code, done.content, dict(done.headers))

        with answering(passed_on) as url:
            assert way(f"{url}/node").hello(b"hello\n") is None
        assert node.post.hellos[ANN.id, BOB.id] == b"hello\n"


@contextmanager
def nowhere() -> Iterator[None]:
    """Let no temporary file be written."""
    before = tempfile.tempdir
    tempfile.tempdir = "/nowhere/at/all"
    try:
        yield
    finally:
        tempfile.tempdir = before


def test_a_disk_that_fails_is_told_in_our_words() -> None:
    """What is too large for memory needs a place, and where there is none that is told."""
    with nowhere(), pytest.raises(Refused, match="cannot be used"):
        way("http://127.0.0.1:1").push([b"x" * 1_000_000])


def test_what_a_peer_may_say_keeps_its_kind() -> None:
    """A peer cannot make this node say that its own file is damaged."""
    assert type(told(problem(DamagedDatabase.code, "It is gone."))) is Refused
    assert HELLO not in str(told(problem("bad_bundle", "It is gone.")))
