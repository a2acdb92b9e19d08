"""Registers that are signed together: one signature for sixteen, and each can be checked alone.

A signature takes longer to make, and far longer to check, than all else that is done with a
register. So a device that has many to sign makes a hash tree over the digests of sixteen and signs
its root. The signature of each register is then that of the root, with the register's place in the
tree and the hashes beside its way up: whoever has the register and this can check it, and needs
none of the others. A root that was found to be signed is remembered for a while, for those that
were signed together mostly come together.

A tree always has sixteen leaves: what is left over is drawn by chance, and is not to be told from
the digest of a register that one does not have. So a signature says of no other register that it
is there, nor how many there are.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import lru_cache
from hashlib import sha256

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from agent_memory_os.federation.statement import ALONE_BYTES, is_signed

DOMAIN = b"agent-memory registers 1\n"
NODE_DOMAIN = b"agent-memory node 1\n"
DEPTH = 4
WIDTH = 1 << DEPTH
"""How many registers are signed together at most."""

_HASH_BYTES = 32
BYTES = ALONE_BYTES + 1 + DEPTH * _HASH_BYTES
"""The length of a signature of a register that was signed with others."""

_REMEMBERED_ROOTS = 256


def signed_together(digests: Sequence[bytes], key: Ed25519PrivateKey) -> list[bytes]:
    """Return the signatures of registers, at most :data:`WIDTH`, by their digests."""
    level = [*digests, *(os.urandom(_HASH_BYTES) for _ in range(WIDTH - len(digests)))]
    levels = [level]
    while len(level) > 1:
        level = [_node(level[at], level[at + 1]) for at in range(0, len(level), 2)]
        levels.append(level)
    signature = key.sign(DOMAIN + level[0])
    return [
        b"".join(
            [signature, bytes([at]), *(levels[up][(at >> up) ^ 1] for up in range(DEPTH))],
        )
        for at in range(len(digests))
    ]


def vouches(signature: bytes, data: bytes, sign_key: str, digest: bytes = b"") -> bool:
    """Say whether the key, public and in hex, signed the bytes of a register, alone or not.

    ``digest`` is theirs, where it is known.
    """
    if len(signature) == ALONE_BYTES:
        return is_signed(data, signature, sign_key)
    root = _root(digest or sha256(data).digest(), signature)
    return root is not None and _is_root_signed(root, signature[:ALONE_BYTES], sign_key)


def _root(digest: bytes, signature: bytes) -> bytes | None:
    """Return the root of the tree that a register was signed in, if it stands in any."""
    if len(signature) != BYTES or signature[ALONE_BYTES] >= WIDTH:
        return None
    place, node, at = signature[ALONE_BYTES], digest, ALONE_BYTES + 1
    for up in range(DEPTH):
        other = signature[at : at + _HASH_BYTES]
        node = _node(other, node) if place >> up & 1 else _node(node, other)
        at += _HASH_BYTES
    return node


@lru_cache(maxsize=16 * WIDTH)
def _node(left: bytes, right: bytes) -> bytes:
    # Two that were signed together and come together have most of their way up in common.
    return sha256(NODE_DOMAIN + left + right).digest()


@lru_cache(maxsize=_REMEMBERED_ROOTS)
def _is_root_signed(root: bytes, signature: bytes, sign_key: str) -> bool:
    return is_signed(DOMAIN + root, signature, sign_key)
