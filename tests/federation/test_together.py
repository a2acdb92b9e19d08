"""What a device signed together can be checked alone, and nothing else passes for it."""

from __future__ import annotations

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory_os.federation.signing import Refusal, Signed, from_wire, to_wire, verified
from agent_memory_os.federation.statement import ALONE_BYTES
from agent_memory_os.federation.together import BYTES, WIDTH, signed_together, vouches
from agent_memory_os.model.register import Register, signable
from tests.federation.sample import ANN, EVE, content, known

KEY = ANN.public.sign
DATA = [bytes([number]) for number in range(WIDTH)]
DIGESTS = [sha256(one).digest() for one in DATA]
SIGNED = signed_together(DIGESTS, ANN.sign)


def together(*registers: Register) -> list[Signed]:
    """Return registers that Ann's device signed together."""
    made = [signable(one) for one in registers]
    signatures = signed_together([bytes.fromhex(one.name) for one in made], ANN.sign)
    return [
        Signed(register, signature, one.name)
        for register, signature, one in zip(registers, signatures, made, strict=True)
    ]


@pytest.mark.parametrize("count", [1, 2, 5, WIDTH])
def test_each_is_checked_alone(count: int) -> None:
    """However many there are, each signature vouches for its own register and for no other."""
    signatures = signed_together(DIGESTS[:count], ANN.sign)
    assert {len(one) for one in signatures} == {BYTES}
    for at, signature in enumerate(signatures):
        vouched = [vouches(signature, data, KEY) for data in DATA]
        assert vouched == [other == at for other in range(WIDTH)]
        assert not vouches(signature, DATA[at], EVE.public.sign)


@given(st.integers(0, WIDTH - 1), st.integers(0, BYTES - 1), st.integers(1, 255))
def test_a_changed_signature_is_none(place: int, at: int, change: int) -> None:
    """Whatever is changed in a signature, it vouches for nothing."""
    changed = bytearray(SIGNED[place])
    changed[at] ^= change
    assert not vouches(bytes(changed), DATA[place], KEY)


@given(st.integers(0, BYTES + 40))
def test_a_signature_of_another_length_is_none(length: int) -> None:
    """What is shorter or longer is no signature; the root's alone is none of the register."""
    if length != BYTES:
        longer = SIGNED[3] + bytes(40)
        assert not vouches(longer[:length], DATA[3], KEY)


def test_a_node_of_the_tree_is_no_register() -> None:
    """A hash on the way up is not taken for the digest of a register: its domain is another."""
    level = DIGESTS[:2]
    node = b"agent-memory node 1\n" + level[0] + level[1]
    shorter = SIGNED[0][:ALONE_BYTES] + bytes([0]) + SIGNED[0][ALONE_BYTES + 1 + 32 :]
    assert not vouches(shorter, node, KEY)
    assert not vouches(shorter + bytes(32), node, KEY)


def test_what_is_left_over_is_not_told() -> None:
    """Leaves that are not used are drawn anew each time, and all signatures are of one length."""
    first, again = (signed_together(DIGESTS[:1], ANN.sign)[0] for _ in range(2))
    assert len(first) == len(again) == BYTES
    assert first[ALONE_BYTES + 1 :] != again[ALONE_BYTES + 1 :]


def test_lines_are_read_and_relayed() -> None:
    """A register with such a signature has a line that is read to the same, and verified."""
    made = together(*(content(f"tea {number}", number + 1) for number in range(5)))
    sent = [to_wire(one) for one in made]
    assert [from_wire(line) for line in sent] == made
    assert list(verified(sent, known)) == made
    assert [to_wire(one) for one in made] == sent


def test_another_register_with_the_signature_is_refused() -> None:
    """The signature of one of them on the line of another is not its own."""
    one, other = together(content("tea"), content("coffee", 2))
    (found,) = verified([to_wire(one._replace(signature=other.signature))], known)
    assert isinstance(found, Refusal)
    assert found.reason == "its device did not sign it"
