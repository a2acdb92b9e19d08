"""Ids commit to what they are derived from.

An id is a prefix and 160 bits of a SHA-256, in lower-case base32 without padding: ``mem_`` and 32
characters. The hash covers a domain and the parts, each framed by its length, so that no two
lists of parts give the same bytes; text with a lone surrogate is refused. A memory's id commits to
its account and agent, a team's to its founder, a project's to its team, an agent's to its account,
an account's to its root and recovery keys, a link's to its two ends, its relation and who asserts
it: whoever holds the parts can check the id, and nobody can claim another's.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache

from agent_memory_os.errors import InvalidInput
from agent_memory_os.value import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from hashlib import _Hash

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

PARTS = {
    "account": ("key", "key"),
    "device": ("key", "key"),
    "agent": ("account", "text"),
    "team": ("account", "nonce"),
    "project": ("team", "nonce"),
    "memory": ("account", "agent", "nonce"),
    "link": ("memory", "memory", "text", "text"),
}
"""What an id of each kind commits to, in order: ids, keys and nonces in hex, or text."""

_LONGEST = 5 + BITS // 5
_KEY_DIGITS = 64
_NONCE_DIGITS = 32
_HEX = "0123456789abcdef"
_ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"
_LETTERS = 32
_DIGITS_OF_LETTERS = str.maketrans(_ALPHABET, "0123456789abcdefghijklmnopqrstuv")
_KINDS = {prefix[:-1]: kind for kind, prefix in PREFIXES.items()}


def derive(kind: str, *parts: str) -> str:
    """Return the id of ``kind`` that commits to ``parts``, in their order."""
    return PREFIXES[kind] + _base32(_hash(kind, *parts)[: BITS // 8])


def _base32(data: bytes) -> str:
    # Ten bits, two characters at a time: four times as fast as base64.b32encode, and an id is
    # made for every memory.
    number, pairs = int.from_bytes(data, "big"), _pairs()
    return "".join([pairs[number >> shift & 1023] for shift in range(BITS - 10, -1, -10)])


@cache
def _pairs() -> list[str]:
    return [first + second for first in _ALPHABET for second in _ALPHABET]


def proves(kind: str, proof: Sequence[object], identifier: str) -> bool:
    """Say whether an id of ``kind`` commits to ``proof``, and the parts of that are well formed."""
    forms = PARTS[kind]
    if len(proof) != len(forms) or not all(map(_is_part, proof, forms)):
        return False
    return derive(kind, *map(str, proof)) == identifier


def proves_memory(account: str, agent: str, nonce: str, identifier: str) -> bool:
    """Say what :func:`proves` does of a memory: that is asked of each one that comes."""
    is_formed = remembered_kind(account) == "account" and remembered_kind(agent) == "agent"
    if not is_formed or not is_hex(nonce, _NONCE_DIGITS) or kind_of(identifier) != "memory":
        return False
    # The id is read as a number, which is quicker than to write the hash as an id.
    named = _named(account, agent, nonce)
    written = identifier.removeprefix(PREFIXES["memory"]).translate(_DIGITS_OF_LETTERS)
    return int(written, _LETTERS) == int.from_bytes(named, "big")


def _is_part(part: object, form: str) -> bool:
    if type(part) is not str or not _is_encodable(part):
        return False
    if form == "key":
        return is_hex(part, _KEY_DIGITS)
    if form == "nonce":
        return is_hex(part, _NONCE_DIGITS)
    return form == "text" or remembered_kind(part) == form


def _is_encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _hash(*parts: str) -> bytes:
    return sha256(DOMAIN + _framed(*parts)).digest()


def _framed(*parts: str) -> bytes:
    try:
        pieces = [part.encode() for part in parts]
    except UnicodeEncodeError as error:
        raise InvalidInput("Text here is not valid Unicode (a lone surrogate).") from error
    return b"".join([len(piece).to_bytes(4, "big") + piece for piece in pieces])


@lru_cache(maxsize=64)
def _owned(account: str, agent: str) -> bytes:
    return DOMAIN + _framed("memory", account, agent)


def kind_of(text: str) -> str | None:
    """Return the kind of an id (``memory``, ``team``, …), or ``None`` if it is not one."""
    prefix, _, rest = text.partition("_")
    if len(rest) != BITS // 5 or rest.strip(_ALPHABET):
        return None
    return _KINDS.get(prefix)


def remembered_kind(text: str) -> str | None:
    """Return what :func:`kind_of` does, of an account or device that is met again and again."""
    return _remembered_kind(text) if len(text) <= _LONGEST else None


_remembered_kind = lru_cache(maxsize=1024)(kind_of)


def kind_named(text: str) -> str | None:
    """Return the kind of whatever an id that begins like this could be of, if it is known."""
    return _KINDS.get(text.partition("_")[0])


def is_hex(text: str, digits: int) -> bool:
    """Say whether a text is that many lower-case hexadecimal digits."""
    return len(text) == digits and not text.strip(_HEX)


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
    return PREFIXES["memory"] + _base32(_named(account, agent, nonce))


def _named(account: str, agent: str, nonce: str) -> bytes:
    # What is the same for all memories of an owner is made once: many are added at a time.
    return sha256(_owned(account, agent) + _framed(nonce)).digest()[: BITS // 8]


def link_id(src: str, dst: str, relation: str, by: str) -> str:
    """Return the id of what ``by`` (an agent id) asserts: a link from ``src`` to ``dst``."""
    return derive("link", src, dst, relation, by)


def derived_nonce(purpose: str, *parts: str) -> str:
    """Return the nonce that an idempotency key or a record of a source always gives."""
    return _hash("nonce", purpose, *parts)[:NONCE_BYTES].hex()


def sha256(data: bytes = b"") -> _Hash:
    """Return a hash object that has taken in ``data``; it is loaded when it is first asked for."""
    return _chosen[-1](data) if _chosen else _loaded()(data)


def hash_by(function: Callable[[bytes], _Hash]) -> None:
    """Let SHA-256 be worked out by a function that is loaded, and faster, from now on."""
    _chosen[:] = [function]


_chosen: list[Callable[[bytes], _Hash]] = []


@cache
def _loaded() -> Callable[[bytes], _Hash]:
    # hashlib brings OpenSSL, which is a fifth of a bare start of Python. What it falls back on
    # without OpenSSL loads in no time; its name is another one from Python 3.12 on.
    try:
        module = __import__("_sha2")
    except ImportError:
        module = __import__("_sha256")
    found: Callable[[bytes], _Hash] = module.sha256
    return found
