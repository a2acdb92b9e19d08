"""Nodes that are peers of each other."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.federation.exchange.party import Party, meet


class Two(NamedTuple):
    """Ann's node with scout and Ben's with mira, both in the team apollo, which Ann founded."""

    ann: Party
    ben: Party


@pytest.fixture
def strangers(tmp_path: Path) -> Iterator[Two]:
    """Two nodes that are peers, and share nothing."""
    ann, ben = Party(tmp_path / "ann", "ann"), Party(tmp_path / "ben", "ben")
    meet(ann, ben, ["scout"], ["mira"])
    yield Two(ann, ben)
    for one in (ann, ben):
        one.node.close()


@pytest.fixture
def two(strangers: Two) -> Two:
    """Two nodes with a team in common."""
    ann, ben = strangers
    ann.node.organisation.add_team("apollo")
    ann.node.organisation.join("scout", "team:apollo")
    ann.node.organisation.join("mira@ben", "team:apollo")
    ben.sync(ann)
    return strangers
