"""Peers on the command line: what is said of each, and what is refused in a sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.program import Program


@pytest.fixture
def peer(fleet: Program, tmp_path: Path) -> Program:
    """Give a node that has a peer called laptop."""
    (tmp_path / "other").mkdir()
    laptop = Program(tmp_path / "other")
    laptop.do("init", "--agent", "mira")
    card = laptop.json("peers", "card")["card"]
    assert "No peer yet" in fleet.do("peers", "list")
    assert "Added peer laptop" in fleet.do(
        "peers", "add", "-", "--name", "laptop", stdin=card.encode()
    )
    assert "There is already" in fleet.do("peers", "add", card, "--name", "laptop")
    return fleet


def test_a_peer_is_changed_and_removed(peer: Program) -> None:
    """Each change is told, and what contradicts itself or says nothing is refused."""
    assert "laptop" in peer.do("peers", "list")
    assert "http://127.0.0.1:9" in peer.do(
        "peers", "change", "laptop", "--url", "http://127.0.0.1:9"
    )
    sync = peer.run("sync", "auto", "--jitter", "0", COLUMNS="80")
    table, _, below = peer.do("peers", "list", COLUMNS="80").partition("\n\n")
    assert (sync.status, table.split()[-1]) == (1, "failed")
    assert below.startswith("laptop: The peer at http://127.0.0.1:9 does not answer")
    assert "and not both" in peer.fails(
        2, "peers", "change", "laptop", "--no-address", "--url", "http://x"
    )
    assert "Nothing was said" in peer.fails(2, "peers", "change", "laptop")
    assert "is empty" in peer.fails(2, "peers", "change", "laptop", "--url", " ")
    assert peer.run("peers", "change", "laptop", "--pin", "x").status == 2
    told = peer.run("peers", "change", "laptop", "--ceiling", "granted")
    assert (told.status, "ceiling granted" in told.out) == (0, True)
    assert "Peer laptop" in peer.do("peers", "remove", "laptop", "--dry-run")
    assert "Removed peer laptop" in peer.do("peers", "remove", "laptop", "--yes")
    assert "No peer yet" in peer.do("peers", "list")


def test_the_quarantine_is_asked_line_by_line(fleet: Program) -> None:
    """Lines are named, or all of them are meant; one that is not there is not found."""
    assert "Nothing here" in fleet.do("quarantine", "list")
    for act in (("drop", "--yes"), ("retry",)):
        assert "Say which" in fleet.fails(2, "quarantine", *act)
        assert "Say which" in fleet.fails(2, "quarantine", *act, "1", "--all")
    assert "Dropped 0 lines" in fleet.do("quarantine", "drop", "--all", "--yes")
    assert "0 in quarantine" in fleet.do("quarantine", "retry", "--all")
    assert fleet.run("quarantine", "show", "1", "--as-operator").status != 0
