"""What has come is looked at before anything is locked."""

from __future__ import annotations

import pytest

from agent_memory_os.model.canonical import encode
from agent_memory_os.model.identifier import account_id, device_id
from agent_memory_os.model.memory import from_value
from agent_memory_os.model.register import DEVICE, Chain, Register, signable
from agent_memory_os.store.exchange.arrival import Arrival, arrived
from tests.federation.sample import ANN, content

KEYS = {"state": "certified", "sign": "1" * 64, "seal": "2" * 64}


def come(register: Register) -> Arrival:
    """Return a register as it has come in a line."""
    made = signable(register)
    return arrived(made.name, register, bytes(64), made.line(bytes(64)))


@pytest.mark.parametrize(
    "value", [{}, {"stamp": 1}, {"summary": ',"stamp":1,"value":', "tags": ["a"]}]
)
def test_a_content_is_read(value: dict[str, object]) -> None:
    """What it says, its terms and the bytes of its value are known."""
    register = content("green tea", 1, **value)
    found = come(register)
    is_whole = "stamp" not in value
    assert found.said == encode(register.value)
    assert found.content == (from_value(register.value)[0] if is_whole else None)
    assert found.words.startswith("green tea") == is_whole
    assert not found.fault


def test_the_value_of_what_a_newer_version_wrote_is_found() -> None:
    """Where fields are not known, and where there is no line, it is written anew."""
    register = content()._replace(unknown={"zeal": {"value": 1}})
    assert come(register).said == encode(register.value)
    assert arrived("", content(), b"", b"").said == encode(content().value)


def test_what_no_memory_can_have_is_a_fault() -> None:
    """A content whose row could not be kept can never be taken, and says why."""
    found = come(content(" "))
    assert "empty" in found.fault
    assert found.content is None


def test_a_device_has_the_keys_that_its_id_commits_to() -> None:
    """Else its certificate can never be taken."""
    account = account_id("1" * 64, "2" * 64)
    proof = ("1" * 64, "2" * 64)
    right = device_id("1" * 64, "2" * 64)
    for device, is_right in ((right, True), (ANN.id, False)):
        place = (account, DEVICE + device, account, device, 1, 1)
        found = come(Register(*place, KEYS, proof, chain=Chain("")))
        assert (found.fault == "") == is_right
