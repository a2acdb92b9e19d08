"""A signed request is taken once, by the node that it is for, as it was sent; so is its answer."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory_os.errors import (
    AgentMemoryError,
    BadSignature,
    ClockApart,
    InvalidInput,
    NotAddressed,
    Replayed,
    Unauthenticated,
    UnknownDevice,
)
from agent_memory_os.federation import requests
from agent_memory_os.federation.identity import Device, device_of
from agent_memory_os.federation.requests import (
    CLOCK_SECONDS,
    DIGEST,
    INPUT,
    MAX_HEADER,
    SIGNATURE,
    TO,
    Proved,
    Request,
    Response,
    digest_of,
)
from agent_memory_os.store.database import Database
from agent_memory_os.store.file import migrate
from tests.federation.sample import ANN, BOB, EVE, NOW, known, made

NONCE = "00112233445566778899aabbccddeeff"
REQUEST = Request("POST", "/sync/pull?scope=global&x=1", digest_of(b"body"), BOB.id)
RESPONSE = Response(200, digest_of(b"answer"))
STRANGER = device_of(made(9), made(10))


class Memory:
    """Nonces that are kept as long as the test."""

    def __init__(self) -> None:
        self.held: set[tuple[str, str]] = set()

    def __call__(self, device: str, nonce: str, until: int) -> bool:
        """Take a nonce, and say whether it was new."""
        assert until > NOW // 1000 - CLOCK_SECONDS
        is_new = (device, nonce) not in self.held
        self.held.add((device, nonce))
        return is_new


def sent(request: Request = REQUEST, device: Device = ANN, now: int = NOW) -> dict[str, str]:
    """Return the headers of a request that Ann sends to Bob."""
    return requests.sign_request(request, device, now=now, nonce=NONCE)


def check(request: Request, headers: dict[str, str], now: int = NOW) -> Proved:
    """Check a request that arrived at Bob's node, for the first time."""
    return requests.check_request(request, headers, known, Memory(), now=now)


def answered(response: Response, headers: dict[str, str], proved: Proved) -> int:
    """Check an answer that came back to Ann."""
    return requests.check_response(response, headers, proved, known, now=NOW)


def test_a_request_and_its_answer() -> None:
    """What was signed is taken, and both sides know the other and how far its clock is off."""
    headers = sent()
    proved = check(REQUEST, headers)
    assert proved == requests.asked(REQUEST, headers)
    assert (proved.device, proved.created, proved.nonce) == (ANN.id, NOW // 1000, NONCE)
    reply = requests.sign_response(RESPONSE, proved, BOB, now=NOW + 7_000)
    assert answered(RESPONSE, reply, proved) == 7


def test_no_header_is_long() -> None:
    """The headers of a request and of an answer are within the limit."""
    headers = sent()
    reply = requests.sign_response(RESPONSE, check(REQUEST, headers), BOB, now=NOW)
    assert max(map(len, [*headers.values(), *reply.values()])) <= MAX_HEADER


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"method": "PUT"}, BadSignature),
        ({"target": "/sync/push?scope=global&x=1"}, BadSignature),
        ({"target": "/sync/pull?scope=global&x=2"}, BadSignature),
        ({"target": "/sync/pull"}, BadSignature),
        ({"digest": digest_of(b"other")}, BadSignature),
        ({"to": EVE.id}, NotAddressed),
    ],
    ids=range(6),
)
def test_a_request_that_was_changed_or_led_elsewhere_is_refused(
    change: dict[str, object], error: type[AgentMemoryError]
) -> None:
    """Another method, path, query, body or node is not what was signed."""
    with pytest.raises(error):
        check(REQUEST._replace(**change), sent())  # type: ignore[arg-type]


def test_who_is_not_known_is_refused() -> None:
    """A stranger's request is refused, and so is one that he signs in another's name."""
    with pytest.raises(UnknownDevice, match="not known"):
        check(REQUEST, sent(device=STRANGER))
    with pytest.raises(BadSignature, match="did not sign"):
        check(REQUEST, sent(device=STRANGER._replace(id=ANN.id)))


def test_a_request_is_taken_once() -> None:
    """The same request again is refused, for as long as its time would let it in."""
    taken = Memory()
    requests.check_request(REQUEST, sent(), known, taken, now=NOW)
    for later in (0, CLOCK_SECONDS * 1000):
        with pytest.raises(Replayed, match="before"):
            requests.check_request(REQUEST, sent(), known, taken, now=NOW + later)


def test_a_nonce_outlives_the_time_of_its_request(tmp_path: Path) -> None:
    """A request that was dated ahead is taken once until it is too old, restarts or not."""
    now = NOW
    ahead = sent(now=NOW + CLOCK_SECONDS * 1000)
    database = Database(str(tmp_path / "node.db"), lambda: now, lambda: 0.5)
    migrate.prepare(database)
    for after in range(0, 2 * CLOCK_SECONDS + 1, 100):
        now = NOW + after * 1000 + 999
        take = requests.durable(database)
        if after == 0:
            assert requests.check_request(REQUEST, ahead, known, take, now=now)
        with pytest.raises(Replayed):
            requests.check_request(REQUEST, ahead, known, take, now=now)
    now = NOW + (2 * CLOCK_SECONDS + 1) * 1000
    with pytest.raises(ClockApart):
        requests.check_request(REQUEST, ahead, known, requests.durable(database), now=now)
    database.close()


def test_a_refused_request_takes_no_nonce() -> None:
    """Whoever cannot sign as a device cannot use up its nonces either."""
    taken = Memory()
    with pytest.raises(BadSignature):
        requests.check_request(
            REQUEST, sent(device=STRANGER._replace(id=ANN.id)), known, taken, now=NOW
        )
    assert not taken.held


@pytest.mark.parametrize(
    ("apart", "words"), [(301, "301 seconds behind"), (-301, "301 seconds ahead of")]
)
def test_the_clock_is_told(apart: int, words: str) -> None:
    """A request from another time is refused, and both sides are told by how much."""
    for near in (300, -300):
        assert check(REQUEST, sent(), NOW + near * 1000)
    with pytest.raises(ClockApart, match=words) as told:
        check(REQUEST, sent(), NOW + apart * 1000)
    assert told.value.about == {"offset_seconds": str(-apart)}


@pytest.mark.parametrize("name", [DIGEST, TO, INPUT, SIGNATURE])
@pytest.mark.parametrize(
    "change",
    [
        lambda _: None,
        lambda _: "",
        lambda value: value + " ",
        lambda value: value + "\n",
        lambda value: value + ", x=()",
        lambda value: " " + value,
        lambda value: value.replace("a", "b"),
        lambda value: value.upper(),
        lambda value: value * 20,
    ],
    ids=range(9),
)
def test_a_header_that_is_not_of_the_profile_is_refused(
    name: str, change: Callable[[str], str | None]
) -> None:
    """A header that is missing, or written in another way, is refused."""
    headers = sent()
    other = change(headers.pop(name))
    if other is not None:
        headers[name] = other
    with pytest.raises((Unauthenticated, NotAddressed)):
        check(REQUEST, headers)


@pytest.mark.parametrize("name", ["created", "keyid", "nonce", "alg", "tag"])
def test_every_parameter_is_needed_and_signed(name: str) -> None:
    """No parameter can be left out, and none that identifies can be exchanged."""
    headers = sent()
    parts = headers[INPUT].split(";")
    without = [part for part in parts if not part.startswith(name)]
    assert len(without) == len(parts) - 1
    with pytest.raises(Unauthenticated, match="as nodes sign"):
        check(REQUEST, {**headers, INPUT: ";".join(without)})
    others = {"created": str(NOW // 1000 + 1), "keyid": f'"{EVE.id}"', "nonce": f'"{"0" * 32}"'}
    if name in others:
        changed = [f"{name}={others[name]}" if part.startswith(name) else part for part in parts]
        with pytest.raises(BadSignature, match="did not sign"):
            check(REQUEST, {**headers, INPUT: ";".join(changed)})


def test_an_answer_is_to_one_request_alone() -> None:
    """An answer to another request, of another device, or with another body is refused."""
    proved = check(REQUEST, sent())
    reply = requests.sign_response(RESPONSE, proved, BOB, now=NOW)
    for other in (
        proved._replace(nonce="0" * 32),
        proved._replace(signature=bytes(64)),
        proved._replace(request=REQUEST._replace(target="/sync/push")),
        proved._replace(request=REQUEST._replace(to=EVE.id)),
    ):
        with pytest.raises(BadSignature):
            answered(RESPONSE, reply, other)
    for response in (Response(500, RESPONSE.digest), Response(200, digest_of(b"other"))):
        with pytest.raises(BadSignature):
            answered(response, reply, proved)
    for device in (EVE, STRANGER, EVE._replace(id=BOB.id)):
        forged = requests.sign_response(RESPONSE, proved, device, now=NOW)
        with pytest.raises(BadSignature):
            answered(RESPONSE, forged, proved)


def test_a_request_is_no_answer() -> None:
    """What was signed as a request cannot be given back as an answer, nor the other way round."""
    proved = check(REQUEST, sent())
    with pytest.raises(Unauthenticated, match="as nodes sign"):
        answered(Response(200, REQUEST.digest), sent(), proved)
    reply = requests.sign_response(RESPONSE, proved, BOB, now=NOW)
    with pytest.raises(Unauthenticated, match="as nodes sign"):
        check(REQUEST._replace(to=ANN.id), {**reply, TO: ANN.id})


@pytest.mark.parametrize(
    ("method", "target"),
    [
        ("post", "/"),
        ("", "/"),
        ("GET\n", "/"),
        ("GET", ""),
        ("GET", "/a b"),
        ("GET", "/a\nb"),
        ("GET", "/é"),
        ("GET", "//" + "a" * 5000),
    ],
)
def test_what_could_be_read_in_two_ways_is_not_signed(method: str, target: str) -> None:
    """A method or a target that could break out of its line is refused by both sides."""
    odd = REQUEST._replace(method=method, target=target)
    with pytest.raises(InvalidInput, match="cannot be signed"):
        sent(odd)
    with pytest.raises(InvalidInput, match="cannot be signed"):
        check(odd, sent())


def test_the_digest_of_a_body_is_known_before_the_body() -> None:
    """What is signed is the digest that the head declares, in one form alone."""
    headers = sent()
    assert requests.declared(headers) == REQUEST.digest
    for other in ("", "sha-256=::", headers[DIGEST] + " ", headers[DIGEST].replace("256", "512")):
        with pytest.raises(Unauthenticated, match="what body it has"):
            requests.declared({DIGEST: other})
    last = headers[DIGEST][-3]
    digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    loose = headers[DIGEST][:-3] + digits[digits.index(last) ^ 1] + "=:"
    assert requests.declared({DIGEST: loose}) == REQUEST.digest
    with pytest.raises(BadSignature):
        requests.check_signature(REQUEST, {**headers, DIGEST: loose}, known)


HEADERS = st.fixed_dictionaries(
    {}, optional=dict.fromkeys((DIGEST, TO, INPUT, SIGNATURE), st.text(max_size=80))
)


def test_a_signature_has_one_form() -> None:
    """The bits that base64 leaves over are nought: no signature can be written in two ways."""
    headers = sent()
    last = headers[SIGNATURE][-4]
    digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    other = digits[digits.index(last) ^ 1]
    with pytest.raises(Unauthenticated, match="no signature that can be read"):
        check(REQUEST, {**headers, SIGNATURE: headers[SIGNATURE][:-4] + other + "==:"})


@given(HEADERS)
def test_any_headers_are_refused(changed: dict[str, str]) -> None:
    """Whatever stands in the headers, what was not signed is refused with one of our errors."""
    headers = sent()
    if changed.items() <= headers.items():
        assert check(REQUEST, headers)
        return
    with pytest.raises((Unauthenticated, NotAddressed)):
        check(REQUEST, headers | changed)


@given(st.integers(0, 400), st.characters())
def test_any_character_counts(at: int, other: str) -> None:
    """Changing one character of a header makes it another request, or none."""
    headers = sent()
    name = (DIGEST, TO, INPUT, SIGNATURE)[at % 4]
    place = at // 4 % len(headers[name])
    changed = headers[name][:place] + other + headers[name][place + 1 :]
    if changed == headers[name]:
        return
    with pytest.raises((Unauthenticated, NotAddressed)):
        check(REQUEST, {**headers, name: changed})
