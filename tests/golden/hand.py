"""What the page of the protocol says of sealing and signing, written by its words alone.

Nothing of the product is used here, and nothing of a library but its primitives: so what the
product writes and what a second implementation writes are held against each other.
"""

from __future__ import annotations

import base64
import hmac
import json
import struct
import zlib
from hashlib import sha256
from typing import Any, NamedTuple

from cryptography.hazmat.primitives import padding
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305


class Keys(NamedTuple):
    """The private keys of a device."""

    id: str
    sign: Ed25519PrivateKey
    seal: X25519PrivateKey


def keys(vector: dict[str, str]) -> Keys:
    """Return the keys of a device of the vectors."""
    sign, seal = (bytes.fromhex(vector[name]) for name in ("sign", "seal"))
    return Keys(
        vector["id"],
        Ed25519PrivateKey.from_private_bytes(sign),
        X25519PrivateKey.from_private_bytes(seal),
    )


def public(key: X25519PrivateKey) -> bytes:
    """Return the public half of a sealing key."""
    return key.public_key().public_bytes_raw()


def canonical(value: object) -> bytes:
    """Return the canonical bytes of a value without odd characters."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def statement(domain: str, fields: dict[str, Any], key: Ed25519PrivateKey) -> str:
    """Return the line of a statement."""
    signature = key.sign(domain.encode() + canonical(fields)).hex()
    return canonical({**fields, "signature": signature}).decode() + "\n"


def _extract(suite: bytes, salt: bytes, label: bytes, ikm: bytes) -> bytes:
    return hmac.new(salt or bytes(32), b"HPKE-v1" + suite + label + ikm, sha256).digest()


def _expand(suite: bytes, prk: bytes, label: bytes, info: bytes, length: int) -> bytes:
    # One block of HKDF is enough for each length here.
    labelled = struct.pack(">H", length) + b"HPKE-v1" + suite + label + info
    return hmac.new(prk, labelled + b"\x01", sha256).digest()[:length]


def context(shared_point: bytes, enc: bytes, recipient: bytes, info: bytes) -> tuple[bytes, bytes]:
    """Return key and nonce of HPKE's base mode: X25519, HKDF-SHA256, ChaCha20-Poly1305."""
    kem, suite = b"KEM\x00\x20", b"HPKE\x00\x20\x00\x01\x00\x03"
    prk = _extract(kem, b"", b"eae_prk", shared_point)
    shared = _expand(kem, prk, b"shared_secret", enc + recipient, 32)
    context = b"\x00" + _extract(suite, b"", b"psk_id_hash", b"")
    context += _extract(suite, b"", b"info_hash", info)
    secret = _extract(suite, shared, b"secret", b"")
    key = _expand(suite, secret, b"key", context, 32)
    return key, _expand(suite, secret, b"base_nonce", context, 12)


def seal(plain: bytes, recipient: bytes, info: bytes, ephemeral: bytes) -> bytes:
    """Seal bytes to a public key, with an ephemeral key that is given."""
    own = X25519PrivateKey.from_private_bytes(ephemeral)
    point = own.exchange(X25519PublicKey.from_public_bytes(recipient))
    key, nonce = context(point, public(own), recipient, info)
    return public(own) + ChaCha20Poly1305(key).encrypt(nonce, plain, b"")


def unseal(sealed: bytes, own: X25519PrivateKey, info: bytes) -> bytes:
    """Open what was sealed."""
    enc, rest = sealed[:32], sealed[32:]
    point = own.exchange(X25519PublicKey.from_public_bytes(enc))
    key, nonce = context(point, enc, public(own), info)
    return ChaCha20Poly1305(key).decrypt(nonce, rest, b"")


def token(key: bytes, plain: bytes, seconds: int, iv: bytes) -> str:
    """Return a Fernet token, with an initial value that is given."""
    padder = padding.PKCS7(128).padder()
    padded = padder.update(plain) + padder.finalize()
    encryptor = Cipher(algorithms.AES(key[16:]), modes.CBC(iv)).encryptor()
    body = b"\x80" + struct.pack(">Q", seconds) + iv + encryptor.update(padded)
    mac = hmac.new(key[:16], body, sha256).digest()
    return base64.urlsafe_b64encode(body + mac).decode()


def untoken(key: bytes, text: str) -> bytes:
    """Open a Fernet token."""
    data = base64.urlsafe_b64decode(text)
    body, mac = data[:-32], data[-32:]
    assert hmac.new(key[:16], body, sha256).digest() == mac
    decryptor = Cipher(algorithms.AES(key[16:]), modes.CBC(body[9:25])).decryptor()
    padded = decryptor.update(body[25:]) + decryptor.finalize()
    return padded[: -padded[-1]]


def stored(plain: bytes) -> bytes:
    """Return bytes in the form of zlib, not compressed: the same whatever compresses elsewhere."""
    size = struct.pack("<HH", len(plain), len(plain) ^ 0xFFFF)
    return b"\x78\x01\x01" + size + plain + struct.pack(">I", zlib.adler32(plain))


def info(bundle: str, sender: str, recipients: list[str], recipient: str) -> bytes:
    """Return what the key of a bundle is bound to."""
    bound = {
        "bundle": bundle,
        "sender": sender,
        "recipients": recipients,
        "recipient": recipient,
    }
    return b"agent-memory bundle key 1\n" + canonical(bound)


def hashed(line: str) -> str:
    """Return the digest of a line without its end."""
    return sha256(line.removesuffix("\n").encode()).hexdigest()


def bundle(vector: dict[str, Any], sender: Keys, recipients: list[Keys]) -> list[str]:
    """Return the lines of a bundle of the vectors."""
    name, key = vector["bundle"], bytes.fromhex(vector["key"])
    ids = sorted(one.id for one in recipients)
    by_id = {one.id: one for one in recipients}
    sealed = [
        {
            "device": one,
            "key": seal(
                key,
                public(by_id[one].seal),
                info(name, sender.id, ids, one),
                bytes.fromhex(vector["ephemerals"][one]),
            ).hex(),
        }
        for one in ids
    ]
    manifest = {
        "bundle": name,
        "sender": sender.id,
        "created": vector["created"],
        "recipients": sealed,
        "format": "agent-memory-bundle/1",
    }
    lines = [statement("agent-memory bundle 1\n", manifest, sender.sign)]
    for at, chunk in enumerate(vector["chunks"]):
        header = {
            "bundle": name,
            "index": at,
            "last": at == len(vector["chunks"]) - 1,
            "sender": sender.id,
            "recipients": sha256(canonical(ids)).hexdigest(),
            "scope": chunk["scope"],
            "prev_hash": hashed(lines[-1]),
        }
        packed = stored(canonical(header) + b"\n" + chunk["body"].encode())
        iv = bytes.fromhex(chunk["iv"])
        text = token(key, packed, vector["created"] // 1000, iv)
        fields = {"bundle": name, "index": at, "token": text}
        lines.append(statement("agent-memory chunk 1\n", fields, sender.sign))
    return lines


def signature_base(components: list[str], parameters: str) -> bytes:
    """Return what a request or an answer is signed over; each component is ``"name": value``."""
    names = " ".join(component.split(": ")[0] for component in components)
    return "\n".join([*components, f'"@signature-params": ({names});{parameters}']).encode()
