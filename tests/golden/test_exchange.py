"""The vectors of what nodes send hold, by the product and by the words of the page alone."""

from __future__ import annotations

import io
import json
import zlib
from base64 import b32decode, b64encode, urlsafe_b64decode, urlsafe_b64encode
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from agent_memory_os.federation import card, hello, requests, signing
from agent_memory_os.federation.bundle import chunk, manifest, seal
from agent_memory_os.federation.bundle.read import opened
from agent_memory_os.federation.bundle.write import Part, written
from agent_memory_os.federation.exchange import told
from agent_memory_os.federation.exchange.told import Holds, Want
from agent_memory_os.federation.hello import LIMITS, Hello
from agent_memory_os.federation.identity import Device, PublicDevice, device_of
from agent_memory_os.federation.requests import Request, Response
from agent_memory_os.federation.signing import Signed, from_wire, sign, to_wire, verified
from agent_memory_os.federation.together import signed_together, vouches
from agent_memory_os.model.register import to_bytes
from agent_memory_os.model.routing.cursor import Cursor
from agent_memory_os.model.routing.sketch import Sketch
from tests.golden import hand
from tests.golden.test_protocol import NAMED, PAGE, made
from tests.golden.test_protocol import VECTORS as PROTOCOL

VECTORS: dict[str, Any] = json.loads(
    (Path(__file__).parent / "exchange.json").read_text(encoding="utf-8")
)
NOW = VECTORS["now"]


def device(name: str) -> Device:
    """Return a device of the vectors, as the product holds it."""
    vector = VECTORS["devices"][name]
    return device_of(bytes.fromhex(vector["sign"]), bytes.fromhex(vector["seal"]))


DEVICES = {name: device(name) for name in VECTORS["devices"]}
ANN, BOB, EVE = DEVICES["ann"], DEVICES["bob"], DEVICES["eve"]
HANDS = {name: hand.keys(vector) for name, vector in VECTORS["devices"].items()}


def known(name: str) -> PublicDevice | None:
    """Look up a device of the vectors."""
    return {one.id: one.public for one in DEVICES.values()}.get(name)


def test_the_devices_are_theirs() -> None:
    """The id of each device follows from its keys."""
    assert {name: one.id for name, one in DEVICES.items()} == {
        name: vector["id"] for name, vector in VECTORS["devices"].items()
    }


@pytest.mark.parametrize("name", sorted(VECTORS["registers"]))
def test_registers(name: str) -> None:
    """Each register has its line, and a reader finds in the line what was signed."""
    vector = VECTORS["registers"][name]
    held = made(NAMED[vector["of"]])._replace(unknown=vector["unknown"])
    line = vector["line"].encode()
    assert to_wire(sign(held, ANN.sign)) == line
    fields = json.loads(line)
    del fields["signature"]
    assert hand.statement("agent-memory register 1\n", fields, HANDS["ann"].sign) == vector["line"]
    assert list(verified([line], known)) == [from_wire(line)]
    assert to_bytes(from_wire(line).register) == to_bytes(held)


def test_what_is_signed_together() -> None:
    """Sixteen digests have the root and the signatures that the page's own words give."""
    vector, place = VECTORS["together"], VECTORS["together"]["place"]
    level = [sha256(bytes([number])).digest() for number in range(16)]
    digests, beside, at = level, b"", place
    while len(level) > 1:
        beside += level[at ^ 1]
        pairs = zip(level[::2], level[1::2], strict=True)
        level = [sha256(b"agent-memory node 1\n" + left + right).digest() for left, right in pairs]
        at //= 2
    signature = HANDS["ann"].sign.sign(b"agent-memory registers 1\n" + level[0])
    by_hand = (signature + bytes([place]) + beside).hex()
    assert (level[0].hex(), by_hand) == (vector["root"], vector["signature"])
    assert signed_together(digests, ANN.sign)[place].hex() == vector["signature"]
    assert vouches(bytes.fromhex(by_hand), bytes([place]), ANN.public.sign)
    assert vector["root"] in PAGE
    assert vector["signature"] in PAGE


def test_hello() -> None:
    """A hello has its line, and what follows from it and its answer is what it says."""
    vector = VECTORS["hello"]
    ours = Hello(ANN.id, BOB.id, NOW)
    line = hello.written(ours, ANN)
    assert line.decode() == vector["line"]
    fields = json.loads(vector["line"])
    del fields["signature"]
    assert hand.statement("agent-memory hello 1\n", fields, HANDS["ann"].sign) == vector["line"]
    assert hello.read(line, BOB.id, known) == ours
    assert vector["line"].rstrip("\n") in PAGE


def test_cards() -> None:
    """A card has its text, with and without a certificate, and the page writes the same."""
    vector, account = VECTORS["card"], PROTOCOL["keys"]
    root = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(account["root"]["private"]))
    keys = {name: account[name]["public"] for name in ("root", "recovery", "seal", "sign")}
    certificate = sign(made(NAMED[vector["of"]]), root)
    assert to_wire(certificate).decode() == vector["certificate"]
    for found, name in ((certificate, "text"), (None, "plain")):
        text = card.written(ANN, keys["root"], keys["recovery"], found)
        assert text == vector[name]
        assert card.read(text).certificate == found
        fields: dict[str, Any] = dict(keys)
        if found is not None:
            fields["certificate"] = json.loads(vector["certificate"])
        line = hand.statement("agent-memory card 1\n", fields, HANDS["ann"].sign).rstrip("\n")
        assert "amc_" + urlsafe_b64encode(line.encode()).decode().rstrip("=") == text
        assert (line in PAGE) == (found is None)


def test_a_bundle_is_written_by_the_page() -> None:
    """By the words of the page alone, the bundle is what it is to the byte."""
    vector = VECTORS["bundle"]
    recipients = [HANDS["bob"], HANDS["eve"]]
    assert hand.bundle(vector, HANDS["ann"], recipients) == vector["lines"]


@pytest.mark.parametrize("name", ["bob", "eve"])
def test_the_product_reads_the_bundle(name: str) -> None:
    """Each of its devices finds in the bundle what was put into it."""
    vector = VECTORS["bundle"]
    file = io.BytesIO("".join(vector["lines"]).encode())
    found = opened(file, DEVICES[name], known)
    assert found.manifest[:3] == (vector["bundle"], ANN.id, vector["created"])
    read = [(batch.scope, b"".join(batch.lines).decode()) for batch in found.batches]
    assert read == [(one["scope"], one["body"]) for one in vector["chunks"]]


def test_the_page_reads_what_the_product_writes() -> None:
    """By the words of the page alone, a bundle of the product is opened, checked and read."""
    name, body = "0f" * 16, VECTORS["registers"]["content"]["line"].encode()
    parts = [Part("global", [body] * 400), Part("", [b"{}\n"])]
    lines = list(written(ANN, [BOB.public, EVE.public], parts, bundle=name, now=NOW))
    head = json.loads(lines[0])
    ids = [one["device"] for one in head["recipients"]]
    assert ids == sorted([BOB.id, EVE.id])
    entry = next(one for one in head["recipients"] if one["device"] == BOB.id)
    info = hand.info(name, ANN.id, ids, BOB.id)
    key = hand.unseal(bytes.fromhex(entry["key"]), HANDS["bob"].seal, info)
    found = b""
    for at, line in enumerate(lines[1:]):
        packed = hand.untoken(key, json.loads(line)["token"])
        header, _, part = zlib.decompress(packed).partition(b"\n")
        fields = json.loads(header)
        assert header == hand.canonical(fields)
        assert fields["prev_hash"] == hand.hashed(lines[at].decode())
        assert fields["last"] == (at == len(lines) - 2)
        assert fields["recipients"] == sha256(hand.canonical(ids)).hexdigest()
        found += part
    assert found == body * 400 + b"{}\n"


def base(vector: dict[str, Any], parameters: str) -> bytes:
    """Return what is signed, by the words of the page."""
    return hand.signature_base(vector["components"], parameters)


def test_requests() -> None:
    """A request has its headers, signed over the components that the page names, in their order."""
    vector = VECTORS["request"]
    body = vector["body"].encode()
    request = Request(vector["method"], vector["target"], sha256(body).digest(), BOB.id)
    headers = requests.sign_request(request, ANN, now=NOW, nonce=vector["nonce"])
    assert headers == vector["headers"]
    parameters = headers["signature-input"].partition(");")[2]
    signature = HANDS["ann"].sign.sign(base(vector, parameters))
    assert headers["signature"] == f"am=:{b64encode(signature).decode()}:"
    assert requests.check_request(request, headers, known, lambda *_: True, now=NOW)
    for name, value in headers.items():
        assert f"{name}: {value}" in PAGE


def test_answers() -> None:
    """An answer has its headers, signed over the request that it answers."""
    vector, asked = VECTORS["response"], VECTORS["request"]
    digest = sha256(asked["body"].encode()).digest()
    request = Request(asked["method"], asked["target"], digest, BOB.id)
    proved = requests.asked(request, asked["headers"])
    response = Response(vector["status"], sha256(vector["body"].encode()).digest())
    headers = requests.sign_response(response, proved, BOB, now=NOW + 1000)
    assert headers == vector["headers"]
    parameters = headers["signature-input"].partition(");")[2]
    signature = HANDS["bob"].sign.sign(base(vector, parameters))
    assert headers["signature"] == f"am=:{b64encode(signature).decode()}:"
    assert requests.check_response(response, headers, proved, known, now=NOW) == 1


def test_the_page_has_the_domains_and_the_limits() -> None:
    """The page names what is signed before everything, and each limit of what is taken."""
    domains = [manifest.DOMAIN, chunk.DOMAIN, seal.DOMAIN, hello.DOMAIN, card.DOMAIN]
    assert all(f'"{domain.decode().rstrip()}"' in PAGE for domain in domains)
    for name, most in LIMITS.items():
        assert f"| `{name}` | {most} |" in PAGE
    for most in (
        hello.MAX_LINE_BYTES,
        card.MAX_LINE_BYTES,
        manifest.MAX_LINE_BYTES,
        chunk.MAX_LINE_BYTES,
        chunk.MAX_HEADER_BYTES,
        requests.MAX_HEADER,
    ):
        assert str(most) in PAGE
    assert str(requests.CLOCK_SECONDS) in PAGE
    assert LIMITS["line"] == signing.MAX_LINE_BYTES
    assert isinstance(sign(made(NAMED["content"]), ANN.sign), Signed)


def test_the_hand_seals_as_the_standard_does() -> None:
    """What the hand of these tests seals with gives the values of RFC 9180, A.2.1."""
    info = bytes.fromhex("4f6465206f6e2061204772656369616e2055726e")
    ephemeral = "f4ec9b33b792c372c1d2c2063507b684ef925b8c75a42dbcbf57d63ccd381600"
    recipient = "8057991eef8f1f1af18f4a9491d16a1ce333f695d4db8e38da75975c4478e0fb"
    own, other = (
        X25519PrivateKey.from_private_bytes(bytes.fromhex(key)) for key in (ephemeral, recipient)
    )
    shared = own.exchange(other.public_key())
    key, nonce = hand.context(shared, hand.public(own), hand.public(other), info)
    assert key.hex() == "ad2744de8e17f4ebba575b3f5f5a8fa1f69c2a07f6e7500bc60ca6e3e3ec1c91"
    assert nonce.hex() == "5c4d98150661b848853b547f"


def test_the_hand_writes_tokens_as_fernet_does() -> None:
    """The token of Fernet's own vectors is written by the hand of these tests."""
    key = urlsafe_b64decode("cw_0x689RpI-jtRR7oE8h_eQsKImvJapLeSbXpwF4e4=")
    token = (
        "gAAAAAAdwJ6wAAECAwQFBgcICQoLDA0ODy021cpGVWKZ_eEwCGM4BLLF_5CV9dOPmrhuVUPgJobwOz7JcbmrR64j"
        "VmpU4IwqDA=="
    )
    assert hand.token(key, b"hello", 499_162_800, bytes(range(16))) == token
    assert hand.untoken(key, token) == b"hello"


def test_the_hand_signs_requests_as_the_standard_does() -> None:
    """The signature of RFC 9421, B.2.6, is that of what the hand of these tests writes."""
    components = [
        '"date": Tue, 20 Apr 2021 02:07:55 GMT',
        '"@method": POST',
        '"@path": /foo',
        '"@authority": example.com',
        '"content-type": application/json',
        '"content-length": 18',
    ]
    parameters = 'created=1618884473;keyid="test-key-ed25519"'
    private = "9f8362f87a484a954e6e740c5b4c0e84229139a20aa8ab56ff66586f6a7d29c5"
    key = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(private))
    signature = key.sign(hand.signature_base(components, parameters))
    assert b64encode(signature).decode() == (
        "wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw=="
    )


def summed(value: object) -> str:
    """Return a sum, by the words of the page."""
    return sha256(hand.canonical(value)).hexdigest()[:32]


def test_sums() -> None:
    """What one tells for what the other has is what the page says, and what the product tells."""
    vector = VECTORS["sums"]
    said = Hello(ANN.id, BOB.id, NOW)._asdict()
    named = {name: said[name] for name in ("features", "limits", "newest", "oldest", "seals")}
    assert summed(named) == hello.terms(Hello(ANN.id, BOB.id, NOW)) == vector["terms"]
    want = vector["want"]
    cursors = [[name, *at] for name, at in sorted(want["cursors"].items())]
    assert summed([cursors, want["salt"], want["scopes"]]) == want["sum"]
    held = {name: Cursor(*at) for name, at in want["cursors"].items()}
    holds = Holds(want["salt"], frozenset(want["scopes"]))
    assert Want("", held, holds=holds).sum == want["sum"]
    lines = [line.encode() for line in vector["stands"]["lines"]]
    assert sha256(b"".join(lines)).hexdigest()[:32] == told.sum_of(lines) == vector["stands"]["sum"]
    total = vector["total"]
    assert summed(["agent-memory total 1", total["records"], total["sum"]]) == total["total"]


def test_a_sketch_is_what_the_page_says() -> None:
    """Each record stands in three cells, with its name, the end of its mark, and a check."""
    vector = VECTORS["sums"]["sketch"]
    cells = [bytes(12)] * 36
    made = Sketch()
    for name, mark in vector["records"].items():
        letters = name.partition("_")[2][:8]
        element = b32decode(letters.upper()) + bytes.fromhex(mark)[-4:]
        hashed = sha256(element).digest()
        for third in range(3):
            at = third * 12 + hashed[3 + third] % 12
            both = zip(cells[at], element + hashed[:3], strict=True)
            cells[at] = bytes(one ^ other for one, other in both)
        made.toggle(name, int(mark, 16))
    assert b"".join(cells).hex() == made.to_bytes().hex() == vector["sketch"]
