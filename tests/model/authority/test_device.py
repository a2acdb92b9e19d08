"""Devices: who certifies them, and what remains of one that was revoked."""

from __future__ import annotations

from agent_memory_os.model.authority.device import REVOKED, UNKNOWN
from tests.model.judging import ACCOUNTS, DEVICES, Small


def test_what_a_stranger_device_signs_does_not_count() -> None:
    """A content by a device that its account did not certify is hidden, and counts once it is."""
    small = Small()
    cert = next(
        name for name, one in small.registers.items() if one.group.endswith(DEVICES["bob"][1][0])
    )
    held = small.registers.pop(cert)
    said = small.say("bob", "x", device=1)
    assert small.view().reason(said) == UNKNOWN
    small.registers[cert] = held
    assert small.view().reason(said) == ""


def test_a_revocation_leaves_what_its_list_has() -> None:
    """What is listed remains, and all else that the device signed counts nowhere, endings too."""
    small = Small()
    first, later = small.say("bob", "a", device=1), small.say("bob", "b", number=1, device=1)
    small.certify("bob", 1, state="revoked", lists=(small.keep(ACCOUNTS["bob"], first),))
    view = small.view()
    assert view.reason(first) == ""
    assert view.reason(later) == REVOKED
    assert view.void() == {later: REVOKED}


def test_a_list_that_is_not_here_keeps_nothing() -> None:
    """Before its list comes, a revocation hides all of the device's registers."""
    small = Small()
    first = small.say("bob", "a", device=1)
    small.certify("bob", 1, state="revoked", lists=(small.keep(ACCOUNTS["bob"], first),))
    small.lists.clear()
    assert small.view().reason(first) == REVOKED


def test_several_revocations_have_to_agree_unless_one_replaces_the_other() -> None:
    """Two that do not name each other keep what both list; one that names another stands alone."""
    small = Small()
    one, two = small.say("bob", "a", device=1), small.say("bob", "b", number=1, device=1)
    whole, part = small.keep(ACCOUNTS["bob"], one, two), small.keep(ACCOUNTS["bob"], one)
    narrow = small.certify("bob", 1, state="revoked", lists=(part,))
    small.certify("bob", 1, state="revoked", by="recovery", lists=(whole,))
    assert list(small.view().void()) == [two]
    small.certify("bob", 1, state="revoked", sees=[narrow], lists=(whole,))
    assert not small.view().void()
