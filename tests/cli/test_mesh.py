"""How the mesh is shown on a screen of 80 columns, and why a peer failed."""

from __future__ import annotations

import pytest

from agent_memory_os.cli import grid, render
from agent_memory_os.cli.main import run
from agent_memory_os.cli.peers import clock_of, faults
from agent_memory_os.cli.status import mesh
from agent_memory_os.cli.sync import HEADS, row
from agent_memory_os.service.peers import NOWHERE, Address, PeerState, PeerView
from agent_memory_os.service.peers.mesh import near
from agent_memory_os.service.peers.mesh.near import Nearby
from tests.cli.program import Program

NOW = 1_800_000_000_000
MINUTE = 60_000
HUB = PeerView(
    name="hub",
    device="dev_a",
    account="acc_a",
    is_own=False,
    address=Address(url="https://hub.example"),
    ceiling="team:apollo",
    introduced=(),
    added_at=NOW,
    tried_at=NOW,
    seen_at=NOW - 5 * MINUTE,
    offset=0,
    fault="",
)


def test_a_peer_is_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who, which teams, how, when, how much, the clock and the state stand within 80 columns."""
    monkeypatch.setattr(render, "width", lambda: 80)
    monkeypatch.setattr(render, "is_cut", lambda: True)
    shown = [
        PeerState(HUB, 1_234, ("apollo", "a-team-with-a-very-long-name-indeed")),
        PeerState(HUB._replace(name="laptop", is_own=True, address=NOWHERE), None),
        PeerState(
            HUB._replace(name="kitty", is_learned=True, address=Address(folder="/x")),
            0,
            ("apollo",),
        ),
        PeerState(HUB._replace(name="mira", seen_at=None, offset=None), None),
    ]
    lines = grid.table(HEADS, [row(one, NOW) for one in shown])
    assert max(map(len, lines)) <= 80
    assert [row(one, NOW)[1:3] for one in shown] == [
        ("apollo, a-team-with-a-very-long-name-indeed", "asked"),
        ("your own", "comes by"),
        ("apollo", "folder"),
        ("-", "asked"),
    ]
    assert [row(one, NOW)[-1] for one in shown] == ["ok", "ok", "ok, learned", "new"]


def test_why_a_peer_failed_is_one_line() -> None:
    """Each has its reason and when it is tried again, if it is tried by itself."""
    failed = HUB._replace(fault="It does not\nanswer.", next_at=NOW + 4 * MINUTE)
    due, carried = failed._replace(next_at=NOW - 1), failed._replace(address=NOWHERE)
    first, *lines = faults([failed, due, carried, HUB], NOW)
    assert first == ""
    assert [line.rpartition("answer.")[2] for line in lines] == [
        " Next try: in 4 min.",
        " Next try: now.",
        "",
    ]
    assert not any("\n" in line for line in lines)
    assert faults([HUB], NOW) == []


def test_how_a_clock_is_stands_in_a_cell() -> None:
    """Less than a second apart is in step; else by how much, and to which side."""
    assert [clock_of(by) for by in (999, 3_000, -61_000)] == ["in step", "3 s ahead", "61 s behind"]


def test_the_mesh_in_a_line() -> None:
    """The status counts peers, those that failed, and tells when one was last seen."""
    assert mesh([], NOW) == "none"
    unseen = HUB._replace(seen_at=None)
    assert mesh([unseen], NOW).startswith("1, none was seen yet; see: ")
    assert mesh([HUB, unseen._replace(fault="gone")], NOW).startswith(
        "2, last seen 5 min ago, 1 failed; see: "
    )


def test_where_neighbors_were_looked_for(
    program: Program, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where nobody is near it is said at which ports of this machine somebody would have been."""
    program.do("init", "--agent", "ann")
    monkeypatch.setattr(near, "look", lambda _: Nearby((), is_whole=True))
    assert run(["--home", str(program.home), "neighbors"]) == 0
    shown = capsys.readouterr()
    assert shown.out == "No other node is near.\n"
    assert "the ports 8765 to 8864 were asked" in shown.err
