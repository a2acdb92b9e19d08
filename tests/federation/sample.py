"""Devices with fixed keys, and registers that they wrote, for tests of what is exchanged."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st

from agent_memory_os.federation.identity import PublicDevice, device_of
from agent_memory_os.federation.signing import Signed, sign, to_wire
from agent_memory_os.model.identifier import account_id, agent_id, memory_id
from agent_memory_os.model.register import CONTENT, Register

NOW = 1_800_000_000_000


def made(number: int) -> bytes:
    """Return a private key that is always the same."""
    return bytes([number]) * 32


ANN = device_of(made(3), made(4))
BOB = device_of(made(5), made(6))
EVE = device_of(made(7), made(8))
"""Ann sends, Bob is sent to, and Eve is somebody else."""

KNOWN = {one.id: one.public for one in (ANN, BOB, EVE)}
ACCOUNT = account_id("1" * 64, "2" * 64)
AGENT = agent_id(ACCOUNT, "scout")
NONCE = "00112233445566778899aabbccddeeff"
MEMORY = memory_id(ACCOUNT, AGENT, NONCE)


def known(device: str) -> PublicDevice | None:
    """Look up one of the three devices."""
    return KNOWN.get(device)


def content(text: str = "tea", seq: int = 1, **value: object) -> Register:
    """Return the content register of a memory, as Ann's device wrote it."""
    said = {"content": text, "created_at": NOW, "updated_at": NOW, "type": "note", **value}
    proof = (ACCOUNT, AGENT, NONCE)
    return Register(MEMORY, CONTENT, ACCOUNT, ANN.id, NOW << 16, seq, said, proof)


def signed(text: str = "tea", seq: int = 1) -> Signed:
    """Return the same, signed."""
    return sign(content(text, seq), ANN.sign)


def lines(count: int, text: str = "tea") -> list[bytes]:
    """Return the lines of some registers."""
    return [to_wire(signed(f"{text} {number}", number + 1)) for number in range(count)]


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
LEAVES = st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | TEXTS
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=8,
)
FIELDS: st.SearchStrategy[Mapping[str, Any]] = st.dictionaries(TEXTS, VALUES, max_size=5)
"""Objects that have canonical bytes."""
