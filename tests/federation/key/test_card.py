"""A card is read as it was written, or refused as a whole: no part of it fits into another."""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory_os.errors import InvalidInput
from agent_memory_os.federation import card
from agent_memory_os.federation.card import DOMAIN, MAX_LINE_BYTES, PREFIX
from agent_memory_os.federation.identity import Device
from agent_memory_os.federation.signing import to_wire
from agent_memory_os.federation.statement import signed, to_line
from tests.federation.sample import ANN, BOB, EVE
from tests.federation.shown import ANNS, AWAY, HOME, card_of, certificate


def packed(line: bytes) -> str:
    """Return a line as a card."""
    return PREFIX + urlsafe_b64encode(line).decode().rstrip("=")


def fields_of(text: str) -> dict[str, Any]:
    """Return what a card says, without its signature."""
    padded = text.removeprefix(PREFIX) + "=" * (-len(text.removeprefix(PREFIX)) % 4)
    fields: dict[str, Any] = json.loads(urlsafe_b64decode(padded))
    del fields["signature"]
    return fields


def again(fields: dict[str, Any], device: Device = ANN, domain: bytes = DOMAIN) -> str:
    """Return the card of some fields, signed by a device."""
    return packed(to_line(signed(domain, fields, device.sign)).rstrip(b"\n"))


def test_a_card_is_read_as_it_was_written() -> None:
    """The device, its account and its certificate come out as they went in."""
    found = card.read(ANNS)
    assert (found.device, found.account, found.public) == (ANN.id, AWAY.id, ANN.public)
    assert (found.root, found.recovery) == AWAY.proof
    assert found.certificate == certificate(AWAY, ANN)
    assert card.read(card_of(ANN, certified=False)).certificate is None
    assert len(ANNS) < 1700


def test_white_space_is_no_part_of_a_card() -> None:
    """What mail and terminals put into a long line changes nothing."""
    broken = "\n ".join(ANNS[at : at + 70] for at in range(0, len(ANNS), 70))
    assert card.read(f"  {broken}\r\n") == card.read(ANNS)


def test_the_recovery_key_may_certify() -> None:
    """A certificate by the account's recovery key is one, too."""
    found = certificate(AWAY, ANN, by="recovery")
    text = card.written(ANN, *AWAY.proof, found)
    assert card.read(text).certificate == found


def test_what_a_newer_version_adds_is_passed_over() -> None:
    """A field that is not known is signed like the rest, and read by nobody."""
    assert card.read(again({**fields_of(ANNS), "name": "laptop"})) == card.read(ANNS)


@pytest.mark.parametrize("text", ["", "hello", "amk_x", PREFIX.upper() + ANNS[4:]])
def test_what_is_no_card_is_told(text: str) -> None:
    """Another text says what a card begins with."""
    with pytest.raises(InvalidInput, match="a card begins with amc_"):
        card.read(text)


def faulty() -> dict[str, str]:
    """Return cards that are not right, by the words that tell so."""
    fields = fields_of(ANNS)
    shape = fields["certificate"]
    other = json.loads(to_wire(certificate(AWAY, BOB)))
    revoked = json.loads(to_wire(certificate(AWAY, ANN, state="revoked")))
    foreign = json.loads(to_wire(certificate(HOME, ANN)))
    return {
        "something is missing": ANNS[:-2],
        "something is missing ": f"{PREFIX}!{ANNS[4:]}",
        "other characters": ANNS[:-1] + chr(ord(ANNS[-1]) + 1),
        "it is too long": PREFIX + "A" * (MAX_LINE_BYTES * 2),
        "it is not JSON": packed(b"{"),
        "a key is missing": again({**fields, "sign": "x"}),
        "the device did not sign it": again(fields, EVE),
        "the device did not sign it ": again(fields, ANN, b"agent-memory hello 1\n"),
        "certificate is none": again({**fields, "certificate": 1}),
        "certificate is not signed": again({**fields, "certificate": {"object": "x"}}),
        "certificate is not signed ": again({**fields, "certificate": {**shape, "signature": "x"}}),
        "certificate does not hold: its device did not sign it": again(
            {**fields, "certificate": {**shape, "seq": 2}}
        ),
        "of another device": again({**fields, "certificate": other}),
        "of another device ": again({**fields, "certificate": revoked}),
        "of another device  ": again({**fields, "certificate": foreign}),
    }


FAULTY = faulty()


@pytest.mark.parametrize("words", FAULTY)
def test_a_card_that_is_not_right_is_refused(words: str) -> None:
    """One sentence says what is wrong, and to ask for the card again."""
    with pytest.raises(InvalidInput, match=f"{words.strip()}.*ask for it again"):
        card.read(FAULTY[words])


@given(st.integers(4, len(ANNS) - 1), st.sampled_from("AbC019-_="))
def test_no_character_of_a_card_can_be_another(at: int, letter: str) -> None:
    """Whatever is changed in a card, it is refused or means the same."""
    changed = ANNS[:at] + letter + ANNS[at + 1 :]
    try:
        assert card.read(changed) == card.read(ANNS)
    except InvalidInput:
        assert changed != ANNS


@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_any_bytes_are_refused_in_words(data: bytes) -> None:
    """Whatever stands behind the prefix, nothing but a card is one."""
    with pytest.raises(InvalidInput):
        card.read(packed(data))
