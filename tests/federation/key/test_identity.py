"""A device is found again in its home, and its id follows from its two keys."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent_memory_os.errors import DamagedDatabase
from agent_memory_os.federation.identity import device, device_of, mint, public_keys
from agent_memory_os.model.identifier import device_id
from tests.federation.sample import ANN, made


def test_the_device_of_a_home_is_the_one_that_was_made(tmp_path: Path) -> None:
    """Its id and its public keys are those that it was made with."""
    minted = mint(str(tmp_path))
    found = device(str(tmp_path))
    assert found.id == minted.device == found.public.id
    assert found.public == (minted.keys.sign, minted.keys.seal)
    assert public_keys(str(tmp_path)) == minted.keys


def test_an_id_commits_to_both_keys() -> None:
    """Another signing or sealing key makes another device."""
    assert ANN.id == device_id(ANN.public.sign, ANN.public.seal)
    others = [device_of(made(3), made(5)), device_of(made(5), made(4))]
    assert len({ANN.id, *(other.id for other in others)}) == 3


def test_a_key_that_is_missing_is_told(tmp_path: Path) -> None:
    """A home without one of the keys has no device, and says which file it is."""
    mint(str(tmp_path))
    (tmp_path / "keys" / "device-seal.key").unlink()
    with pytest.raises(DamagedDatabase, match=r"device-seal\.key"):
        device(str(tmp_path))
