"""By TLS a peer is whoever the usual rules say, or who has the one certificate that is pinned."""

from __future__ import annotations

import datetime as dt
import ipaddress
import secrets
import ssl
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import certifi
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from agent_memory_os import wiring
from agent_memory_os.errors import InvalidInput, Unreachable
from agent_memory_os.federation.transport.http import HttpTransport
from tests.federation.sample import ANN, BOB
from tests.federation.transport.impostor import encrypted
from tests.federation.transport.office import Node, answering
from tests.remote.other import HTML, says
from tests.remote.other import answering as plainly

DAY = dt.timedelta(days=1)


class Shown(NamedTuple):
    """A certificate that signed itself: its file, how a server shows it, and its pin."""

    path: Path
    context: ssl.SSLContext
    pin: str


def certificate(path: Path, name: str = "127.0.0.1", since: int = -1) -> Shown:
    """Make a certificate for an address, which is valid for two days, since some day."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "node")])
    begins = dt.datetime.now(dt.UTC) + since * DAY
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(begins)
        .not_valid_after(begins + 2 * DAY)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address(name))]), False
        )
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    path.write_bytes(private + made.public_bytes(Encoding.PEM))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path)
    return Shown(path, context, sha256(made.public_bytes(Encoding.DER)).hexdigest())


@pytest.fixture(scope="module")
def node() -> Iterator[Node]:
    """Give Bob's node, which Ann may ask."""
    with answering(BOB) as found:
        yield found


def way(url: str, pin: str = "") -> HttpTransport:
    """Return Ann's end of a way to Bob's node."""
    return HttpTransport(url, ANN, BOB.public, wiring.clock, lambda: secrets.token_hex(16), pin)


def test_the_pinned_certificate_is_enough(node: Node, tmp_path: Path) -> None:
    """Its name, its date and who signed it are looked at by nobody."""
    for name, since in (("127.0.0.1", -1), ("192.0.2.1", -1), ("127.0.0.1", -9), ("192.0.2.1", 9)):
        shown = certificate(tmp_path / "node.pem", name, since)
        with encrypted(node.url, shown.context, []) as url:
            in_colons = ":".join(shown.pin[at : at + 2] for at in range(0, 64, 2)).upper()
            for pin in (shown.pin, in_colons):
                end = way(url, pin)
                end.push([b"bundle"])
                assert end.hello(b"hello\n") is None
    assert len(node.post.bundles.pop((ANN.id, BOB.id))) == 8


def test_another_certificate_gets_nothing(
    node: Node, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not a byte is sent to who shows another than the pinned one, were it trusted by all."""
    pinned, shown = (certificate(tmp_path / name) for name in ("pinned.pem", "shown.pem"))
    monkeypatch.setattr(certifi, "where", lambda: str(shown.path))
    seen: list[bytes] = []
    with encrypted(node.url, shown.context, seen) as url:
        with pytest.raises(Unreachable, match="is another than the one that is pinned"):
            way(url, pinned.pin).push([b"bundle"])
        assert not seen
        way(url).push([b"bundle"])
        assert seen
    assert len(node.post.bundles.pop((ANN.id, BOB.id))) == 1


def test_without_a_pin_the_usual_rules_hold(
    node: Node, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A certificate that nobody vouches for, of another name or too old, is not trusted."""
    seen: list[bytes] = []
    for at, (name, since, is_trusted) in enumerate(
        (("127.0.0.1", -1, False), ("192.0.2.1", -1, True), ("127.0.0.1", -9, True))
    ):
        shown = certificate(tmp_path / f"{at}.pem", name, since)
        with monkeypatch.context() as patched, encrypted(node.url, shown.context, seen) as url:
            if is_trusted:
                patched.setattr(certifi, "where", lambda path=shown.path: str(path))
            for written in (url, url.replace("https", "HTTPS")):
                with pytest.raises(Unreachable, match="its certificate is not trusted here"):
                    way(written).push([b"bundle"])
    assert not seen
    assert node.post.bundles == {}


def test_what_speaks_no_tls_is_told_so() -> None:
    """A peer that is asked by HTTPS and speaks HTTP is no peer, with a pin or without."""
    with plainly(says("400 Bad Request", HTML, b"")) as url:
        for pin in ("", "0" * 64):
            with pytest.raises(Unreachable, match="it does not speak HTTPS"):
                way(url.replace("http", "https"), pin).push([b"bundle"])


@pytest.mark.parametrize("pin", ["0" * 63, "0" * 65, "g" * 64, "sha256", "é" * 64])
def test_what_is_no_pin_is_refused(pin: str) -> None:
    """A pin is a hash and nothing else."""
    with pytest.raises(InvalidInput, match="64 digits of hex"):
        way("https://localhost", pin)


def test_a_pin_needs_tls() -> None:
    """With a pin nothing goes in the open."""
    with pytest.raises(InvalidInput, match="begins with https:"):
        way("http://localhost", "0" * 64)
