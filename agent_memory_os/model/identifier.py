"""Ids commit to what they are derived from.

An id is a prefix and 160 bits of a SHA-256, in lower-case base32 without padding: ``mem_`` and 32
characters. The hash covers a domain and the parts, each framed by its length, so that no two
lists of parts give the same bytes. A memory's id commits to its account and agent, a team's to
its founder, a project's to its team, an agent's to its account, an account's to its root and
recovery keys: whoever holds the parts can check the id, and nobody can claim another's.
"""

from __future__ import annotations

import re
from base64 import b32encode
from hashlib import sha256

DOMAIN = b"agent-memory id 1"
BITS = 160
NONCE_BYTES = 16

PREFIXES = {
    "account": "acc_",
    "device": "dev_",
    "agent": "agt_",
    "team": "team_",
    "project": "prj_",
    "memory": "mem_",
    "link": "lnk_",
}

_PATTERN = re.compile(r"(acc|dev|agt|team|prj|mem|lnk)_[a-z2-7]{32}", re.ASCII)
_KINDS = {prefix[:-1]: kind for kind, prefix in PREFIXES.items()}


def derive(kind: str, *parts: str) -> str:
    """Return the id of ``kind`` that commits to ``parts``, in their order."""
    hasher = sha256(DOMAIN)
    for part in (kind, *parts):
        data = part.encode()
        hasher.update(len(data).to_bytes(4, "big"))
        hasher.update(data)
    return PREFIXES[kind] + b32encode(hasher.digest()[: BITS // 8]).decode().lower()


def kind_of(text: str) -> str | None:
    """Return the kind of an id (``memory``, ``team``, …), or ``None`` if it is not one."""
    match = _PATTERN.fullmatch(text)
    return _KINDS[match[1]] if match else None


def account_id(root_key: str, recovery_key: str) -> str:
    """Return the account's id; both public keys are lower-case hex."""
    return derive("account", root_key, recovery_key)


def device_id(sign_key: str, seal_key: str) -> str:
    """Return a device's id, its fingerprint; both public keys are lower-case hex."""
    return derive("device", sign_key, seal_key)


def agent_id(account: str, first_name: str) -> str:
    """Return an agent's id: the name that it is first made with is its nonce."""
    return derive("agent", account, first_name)


def team_id(founder: str, nonce: str) -> str:
    """Return a team's id; ``founder`` is an account id, ``nonce`` random hex."""
    return derive("team", founder, nonce)


def project_id(team: str, nonce: str) -> str:
    """Return a project's id; ``nonce`` is random hex."""
    return derive("project", team, nonce)


def memory_id(account: str, agent: str, nonce: str) -> str:
    """Return a memory's id; ``nonce`` is hex: random, or derived from a key or a source."""
    return derive("memory", account, agent, nonce)


def link_id(src: str, dst: str, relation: str) -> str:
    """Return the id of the link that leads from ``src`` to ``dst`` by ``relation``."""
    return derive("link", src, dst, relation)


def derived_nonce(purpose: str, *parts: str) -> str:
    """Return the nonce that an idempotency key or a record of a source always gives."""
    hasher = sha256(DOMAIN)
    for part in ("nonce", purpose, *parts):
        data = part.encode()
        hasher.update(len(data).to_bytes(4, "big"))
        hasher.update(data)
    return hasher.digest()[:NONCE_BYTES].hex()
