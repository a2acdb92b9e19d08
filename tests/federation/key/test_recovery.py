"""Tests of the recovery key: written down, typed again, and taken off the machine."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from agent_memory_os.errors import DamagedDatabase, InvalidInput, NotAllowed
from agent_memory_os.federation import identity, recovery

KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))


def test_a_key_is_read_as_it_was_written() -> None:
    """It has two lines of seven groups of four, and is the same however it is typed."""
    text = recovery.written(KEY)
    lines = text.splitlines()
    assert [len(line.split("-")) for line in lines] == [7, 7]
    assert {len(group) for line in lines for group in line.split("-")} == {4}
    spelt = text.replace("o", "0").replace("l", "1").replace("b", "8")
    for typed in (
        text,
        text.upper(),
        text.replace("-", " "),
        f"\n {spelt}\n",
        bytes(range(32)).hex(),
    ):
        assert recovery.read(typed).private_bytes_raw() == KEY.private_bytes_raw()


def test_what_is_mistyped_is_noticed() -> None:
    """Each character that is another, is left out or comes twice is told in a sentence."""
    text = recovery.written(KEY)
    plain = text.replace("-", "").replace("\n", "")
    for at, letter in enumerate(plain):
        other = "a" if letter != "a" else "c"
        for wrong in (plain[:at] + other + plain[at + 1 :], plain[:at] + plain[at + 1 :]):
            with pytest.raises(InvalidInput):
                recovery.read(wrong)
    for wrong in ("", "9" * 56, "é" * 56, "a" * 5_000, "xy" * 32):
        with pytest.raises(InvalidInput):
            recovery.read(wrong)


def test_only_the_key_of_the_account_is_its_key() -> None:
    """One that has another public half is refused."""
    assert recovery.check_of(KEY, identity.public_of(KEY)) is KEY
    with pytest.raises(NotAllowed, match="another account"):
        recovery.check_of(KEY, "00" * 32)


def test_taken_off_its_public_half_stays(tmp_path: Path) -> None:
    """The account is the same, a new device is of it, and doing it again changes nothing."""
    home = str(tmp_path)
    minted = identity.mint(home)
    assert recovery.lies_in(home)
    recovery.take_off(home)
    assert not recovery.lies_in(home)
    assert recovery.in_home(home) is None
    recovery.take_off(home)
    assert identity.public_keys(home) == minted.keys
    assert identity.account_of(home) == minted.account
    assert identity.mint(home).account == minted.account
    assert not recovery.lies_in(home)


def test_a_key_that_cannot_be_removed_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing says that it is gone while it is there."""
    identity.mint(str(tmp_path))

    def refused(_path: str) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "unlink", refused)
    with pytest.raises(DamagedDatabase, match="take it away yourself"):
        recovery.take_off(str(tmp_path))
    assert recovery.lies_in(str(tmp_path))


def test_who_died_while_it_took_on_an_account_begins_anew(tmp_path: Path) -> None:
    """The half of another account's recovery key that was left is no part of the new account."""
    other = tmp_path / "other"
    minted = identity.mint(str(other))
    home = tmp_path / "home"
    (home / "keys").mkdir(parents=True)
    (home / "keys" / "recovery.pub").write_text(minted.keys.recovery)
    made = identity.mint(str(home))
    assert made.keys.recovery != minted.keys.recovery
    assert identity.account_of(str(home)) == made.account
