"""Where a device says that it is: what is no word of that device, or none at all, is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from agent_memory_os.errors import InvalidInput
from agent_memory_os.federation import address
from agent_memory_os.federation.bundle import notice
from agent_memory_os.federation.identity import Device
from agent_memory_os.federation.statement import signed, to_line
from agent_memory_os.store.peer.addresses import Said

_MADE = Device("", Ed25519PrivateKey.generate(), X25519PrivateKey.generate())
DEVICE = _MADE._replace(id=_MADE.public.id)
NOW = 1_800_000_000_000
FIELDS: dict[str, Any] = {
    "account": "acc_a",
    "called": "hub",
    "device": DEVICE.id,
    "stamp": 7,
    "url": "https://hub.example",
}


def read(fields: dict[str, object]) -> Said | None:
    """Read what a notice holds, where one device of one account is known."""
    known = {DEVICE.id: DEVICE.public}
    return address.said_in(fields, known.get, lambda _: "acc_a", NOW)


def line(**changes: object) -> dict[str, object]:
    """Return a notice with fields that the device signed, but for what is left out of them."""
    fields = {name: one for name, one in (FIELDS | changes).items() if one is not None}
    made = to_line(signed(address.DOMAIN, fields, DEVICE.sign))
    return {"line": made.decode().rstrip("\n")}


def test_what_a_device_says_is_read_as_it_was_signed() -> None:
    """It comes through a notice whole, with what a newer version says besides."""
    made = address.said(DEVICE, "acc_a", "https://hub.example", "hub", NOW, 5)
    passed = notice.from_line(address.of_said(made))
    assert read(dict(passed.fields)) == made
    more = read(line(more="x"))
    assert more is not None
    assert b'"more":"x"' in more.line
    assert read(line(url="")) is not None
    last = (NOW + 10) << 16
    assert address.said(DEVICE, "acc_a", "", "hub", NOW, last).stamp == last + 1


@pytest.mark.parametrize(
    "changes",
    [
        {"account": "acc_b"},
        {"account": 7},
        {"called": None},
        {"called": "not a name"},
        {"called": "x" * 900},
        {"device": "dev_other"},
        {"device": ["x"]},
        {"stamp": -1},
        {"stamp": "7"},
        {"url": None},
        {"url": 7},
        {"url": "http://[::1"},
        {"url": "http://127.0.0.1"},
    ],
)
def test_what_is_no_word_of_it_is_refused(changes: dict[str, object]) -> None:
    """A field that is missing, of another kind, or another's is not taken."""
    with pytest.raises(InvalidInput):
        read(line(**changes))


def test_what_is_not_signed_is_refused() -> None:
    """A line that was changed, is none, or is too long is not taken."""
    good = str(line()["line"])
    changed = json.loads(good) | {"url": "https://evil.example"}
    for wrong in (
        json.dumps(changed, sort_keys=True, separators=(",", ":")),
        good + " ",
        "",
        "\ud800",
        "x" * 2_000,
        7,
        None,
    ):
        with pytest.raises(InvalidInput):
            read({"line": wrong})


def test_what_lies_ahead_is_passed_over() -> None:
    """A stamp from more than five minutes ahead is no fault, and not believed."""
    assert read(line(stamp=(NOW + 400_000) << 16)) is None
    assert read(line(stamp=(NOW + 200_000) << 16)) is not None
