"""The handshake: both make the same keys of the same words, and whoever has others makes none."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_memory_os.errors import BadCode, InvalidInput
from agent_memory_os.federation.pairing import handshake
from agent_memory_os.federation.pairing.code import Code
from agent_memory_os.federation.pairing.handshake import Half, Keys

ROOT = Path(__file__).parents[3]
CODE = Code(417, ("orbit", "violin", "cable"))
URL = "http://laptop:8765"


def shaken(joins: Code = CODE, at: str = URL, code: Code = CODE, url: str = URL) -> list[Keys]:
    """Return the keys that the joiner has, and those that the inviter has."""
    joiner = Half(joins, at, is_joiner=True)
    inviter = Half(code, url, is_joiner=False)
    return [joiner.keys(inviter.message), inviter.keys(joiner.message)]


def test_the_same_words_make_the_same_keys() -> None:
    """Both sides have the same four keys, each another, and other ones each time."""
    one, other = shaken()
    assert one == other
    assert len(set(one)) == 4
    assert not set(one) & set(shaken()[0])
    assert all(len(key) == 32 for key in one)


@pytest.mark.parametrize(
    ("joins", "at"),
    [
        (CODE._replace(words=("orbit", "violin", "cactus")), URL),
        (CODE._replace(words=("violin", "orbit", "cable")), URL),
        (CODE._replace(number=418), URL),
        (CODE, "http://another:8765"),
    ],
)
def test_anything_else_makes_other_keys(joins: Code, at: str) -> None:
    """With other words, another number or another URL no key is the same."""
    one, other = shaken(joins, at)
    assert not set(one) & set(other)
    handshake.check_shown(one.joiner_shows, one.joiner_shows)
    with pytest.raises(BadCode):
        handshake.check_shown(one.joiner_shows, other.joiner_shows)
    with pytest.raises(BadCode):
        handshake.opened(other.inviter_seals, handshake.sealed(one.inviter_seals, b"x"))


def test_what_is_sealed_is_opened_by_the_other_alone() -> None:
    """What one side seals the other opens, and changed it is refused."""
    one, other = shaken()
    token = handshake.sealed(one.joiner_seals, b"who joins")
    assert handshake.opened(other.joiner_seals, token) == b"who joins"
    with pytest.raises(BadCode):
        handshake.opened(other.inviter_seals, token)
    with pytest.raises(BadCode):
        handshake.opened(other.joiner_seals, token[:-4] + b"AAA=")


def test_a_half_that_comes_back_is_refused() -> None:
    """A message of one's own side, or one's own message, is no answer."""
    joiner = Half(CODE, URL, is_joiner=True)
    for theirs in (joiner.message, b"B" + bytes(32), b""):
        with pytest.raises(InvalidInput, match="no message"):
            Half(CODE, URL, is_joiner=True).keys(theirs)
    with pytest.raises(InvalidInput, match="no message"):
        joiner.keys(b"B" + joiner.message[1:])


@given(
    data=st.binary(max_size=40) | st.binary(min_size=33, max_size=33).map(lambda b: b"A" + b[1:])
)
@settings(max_examples=40)
def test_any_bytes_are_a_half_or_refused(data: bytes) -> None:
    """Whatever comes for the other half, there are keys that nobody else has, or a sentence."""
    try:
        found = Half(CODE, URL, is_joiner=False).keys(data)
    except InvalidInput:
        return
    assert len(set(found)) == 4


def test_the_protocol_has_the_keys_of_an_example() -> None:
    """What the page on the protocol tells of one handshake is what comes of it."""
    from spake2 import SPAKE2_A, SPAKE2_B

    sides = [
        side(CODE.secret, idA=handshake.JOINER, idB=handshake.INVITER, entropy_f=drawn)
        for side, drawn in ((SPAKE2_A, lambda n: b"\1" * n), (SPAKE2_B, lambda n: b"\2" * n))
    ]
    joiner, inviter = (side.start() for side in sides)
    secret = sides[0].finish(inviter)
    assert secret == sides[1].finish(joiner)
    said = {"number": 417, "url": "http://127.0.0.1:8765"}
    keys = handshake.derived(secret, {**said, "joiner": joiner.hex(), "inviter": inviter.hex()})
    told = "".join(f"    {value.hex()}\n" for value in (joiner, inviter, secret, *keys))
    assert told in (ROOT / "docs" / "protocol.md").read_text(encoding="utf-8")
