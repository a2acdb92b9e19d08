"""Asking a node to pair: one sentence for whatever stands where a node should."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agent_memory_os.errors import (
    AgentMemoryError,
    BadCode,
    InvalidInput,
    LimitReached,
    Refused,
    Unreachable,
)
from agent_memory_os.federation.pairing.message import MOST_BYTES, OPEN_PATH
from agent_memory_os.federation.transport import pairing
from agent_memory_os.federation.transport.pairing import PairingAsker
from tests.acceptance.nodes import NOBODY
from tests.federation.transport.impostor import answering, encrypted, says
from tests.federation.transport.test_pin import certificate
from tests.remote.other import answering as plainly

PROBLEM = {"content-type": "application/problem+json"}


def problem(status: int, code: str, detail: str = "It is so.") -> bytes:
    """Return an answer that is a problem document."""
    return says(status, json.dumps({"code": code, "detail": detail}).encode(), PROBLEM)


def ask(answer: bytes) -> bytes:
    """Ask what always gives one answer."""
    with answering(lambda _: answer) as url:
        return PairingAsker(url)(OPEN_PATH, b"{}")


def test_an_answer_comes_as_it_is() -> None:
    """What is answered is handed on, up to the longest that an answer may be."""
    assert ask(says(200, b"x" * MOST_BYTES)) == b"x" * MOST_BYTES


@pytest.mark.parametrize(
    ("answer", "kind", "words"),
    [
        (says(200, b"x" * (MOST_BYTES + 1)), Unreachable, "is no node"),
        (says(200, b"x" * 5_000_000), Unreachable, "is no node"),
        (says(404, b"<html>"), Unreachable, "is no node"),
        (says(404, b'{"code": "not_found"}'), Unreachable, "is no node"),
        (says(404, b"[]", PROBLEM), Unreachable, "is no node"),
        (says(302, b"", {"location": "http://127.0.0.1:9"}), Unreachable, "is no node"),
        (says(502, b"Bad gateway"), Unreachable, "is no node"),
        (problem(404, "not_found"), Refused, "pairs with nobody"),
        (problem(405, "method_not_allowed"), Refused, "pairs with nobody"),
        (problem(409, "bad_code"), BadCode, "It is so."),
        (problem(429, "limit_reached"), LimitReached, "It is so."),
        (problem(422, "invalid_input"), InvalidInput, "It is so."),
        (problem(409, "figs"), Refused, "It is so."),
        (problem(409, "bad_code", "\x1b[2J"), BadCode, "it says no more than 409"),
        (problem(409, "bad_code", "x" * 1000), BadCode, "it says no more than 409"),
        (problem(503, "busy"), Unreachable, "does not answer: it is so."),
        (b"figs\r\n\r\n", Unreachable, "does not speak HTTP"),
    ],
    ids=map(str, range(17)),
)
def test_what_else_is_there_is_told(answer: bytes, kind: type[Exception], words: str) -> None:
    """What is no node, is an older one, refuses or cannot answer gets a sentence of its own."""
    with pytest.raises(AgentMemoryError) as told:
        ask(answer)
    assert type(told.value) is kind
    assert words in str(told.value)
    assert str(told.value).isprintable()


def test_where_nobody_is_that_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody at the port, a name that is none, and an answer that comes too slowly."""
    with pytest.raises(Unreachable, match=f"The node at {NOBODY} does not answer: "):
        PairingAsker(NOBODY)(OPEN_PATH, b"{}")
    with pytest.raises(InvalidInput, match="names no host"):
        PairingAsker("http://a..b")(OPEN_PATH, b"{}")
    with pytest.raises(InvalidInput, match="is no URL"):
        PairingAsker("figs")
    monkeypatch.setattr(pairing, "_SECONDS", -1.0)
    with pytest.raises(Unreachable, match="takes too long"):
        ask(says(200, b"x"))


def test_no_proxy_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the environment says of proxies leads nowhere else."""
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, NOBODY)
    assert ask(says(200, b"x")) == b"x"


def test_a_pin_is_held_to(tmp_path: Path) -> None:
    """With a pin who shows that certificate is asked, and nobody else; without, a trusted one."""
    shown, other = (certificate(tmp_path / name) for name in ("shown.pem", "other.pem"))
    with plainly(says(200, b"x")) as url, encrypted(url, shown.context, []) as safe:
        assert PairingAsker(safe, shown.pin)(OPEN_PATH, b"{}") == b"x"
        with pytest.raises(Unreachable, match="another than the one that is pinned"):
            PairingAsker(safe, other.pin)(OPEN_PATH, b"{}")
        with pytest.raises(Unreachable, match="is not trusted here"):
            PairingAsker(safe)(OPEN_PATH, b"{}")
    with pytest.raises(InvalidInput, match="begins with https"):
        PairingAsker(NOBODY, shown.pin)
