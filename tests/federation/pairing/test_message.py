"""What goes over the wire when two nodes pair."""

from __future__ import annotations

import json
import os
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory_os.errors import BadCode, InvalidInput, TooLarge
from agent_memory_os.federation.pairing import handshake, message
from agent_memory_os.federation.pairing.message import Closing, Joiner, Offer, Opened, Opening

KEY, OTHER = b"k" * 32, b"o" * 32
OFFER = Offer("team", "amc_x", "sam", "team_x", "apollo")
JOINER = Joiner("amc_y", "mira", "ab" * 32, ("agt_x",), ("{}\n",))


def test_each_message_is_read_as_it_was_written() -> None:
    """Questions, answers and what is sealed in them come back as they were."""
    opening = Opening(417, "http://laptop:8765", b"A" * 33)
    assert message.opening(message.to_opening(opening)) == opening
    opened = Opened("ab" * 16, b"B" * 33, b"s" * 32, b"token")
    assert message.read_opened(message.to_opened(opened)) == opened
    closing = Closing("ab" * 16, b"s" * 32, b"token")
    assert message.closing(message.to_closing(closing)) == closing
    assert message.open_offer(KEY, message.seal_offer(KEY, OFFER)) == OFFER
    assert message.open_joiner(KEY, message.seal_joiner(KEY, JOINER)) == JOINER
    for read, token in (
        (message.open_offer, message.seal_offer(KEY, OFFER)),
        (message.open_joiner, message.seal_joiner(KEY, JOINER)),
    ):
        with pytest.raises(BadCode):
            read(OTHER, token)


@pytest.mark.parametrize("name", Opened._fields)
@pytest.mark.parametrize("value", [None, "", "é", "AB", 1, "0" * 31, ["x"]])
def test_a_field_that_is_not_right_is_named(name: str, value: object) -> None:
    """Each field of an answer is checked, and named where it is not right."""
    sound = json.loads(message.to_opened(Opened("ab" * 16, b"B" * 33, b"s" * 32, b"token")))
    if name == "offer" and value in ("", "AB", "0" * 31):
        return
    with pytest.raises(InvalidInput, match=name):
        message.read_opened(json.dumps({**sound, name: value}).encode())


@pytest.mark.parametrize("name", Joiner._fields)
def test_half_a_character_is_none(name: str) -> None:
    """Text that JSON can spell and nobody can write is refused, in a list, too."""
    spelt = {**JOINER._asdict(), name: getattr(JOINER, name)}
    spelt[name] = ["\ud800"] if isinstance(spelt[name], tuple) else "\ud800"
    token = handshake.sealed(KEY, zlib.compress(json.dumps(spelt).encode()))
    with pytest.raises(InvalidInput, match=name):
        message.open_joiner(KEY, token)


def test_what_is_packed_has_a_bound() -> None:
    """What inflates beyond measure, is cut short or is no offer is refused."""
    large = Offer("team", "x" * 40_000, "sam", "team_x", "apollo")
    with pytest.raises(InvalidInput, match="payload"):
        message.open_offer(KEY, message.seal_offer(KEY, large))
    with pytest.raises(InvalidInput, match="payload"):
        message.open_offer(KEY, handshake.sealed(KEY, b"plain"))
    with pytest.raises(InvalidInput, match="does not know"):
        message.open_offer(KEY, message.seal_offer(KEY, OFFER._replace(kind="house")))
    many = JOINER._replace(agents=("agt_x",) * 5)
    with pytest.raises(InvalidInput, match="agents"):
        message.open_joiner(KEY, message.seal_joiner(KEY, many))


def test_who_joins_has_to_fit() -> None:
    """A question that is longer than a stranger's may be is not sent."""
    noise = os.urandom(4_000).hex().encode()
    with pytest.raises(TooLarge, match="fewer"):
        message.to_closing(Closing("ab" * 16, b"s" * 32, noise))
    with pytest.raises(TooLarge):
        message.closing(b"{" + b" " * message.MOST_BYTES + b"}")


@given(data=st.binary(max_size=300) | st.text(max_size=200).map(str.encode))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    """Whatever comes is a message or is refused in our words."""
    for read in (message.opening, message.read_opened, message.closing):
        with pytest.raises(InvalidInput):
            read(data)
