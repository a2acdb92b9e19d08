"""What agents of other accounts are called here follows what their account's peer is called."""

from __future__ import annotations

from pathlib import Path

from agent_memory_os.service.node import LocalNode
from agent_memory_os.service.peers import Address, PeerChange
from agent_memory_os.service.peers.pairing import Called, Guest, Host
from tests.laws.world import Clock
from tests.service.peers.nodes import opened

AT = Address(url="http://127.0.0.1:8765")


def others(node: LocalNode) -> set[str]:
    """Return the members of the team of other accounts; the node is sound."""
    report = node.upkeep.check()
    assert report.ok, report.lines
    return {name for view in node.organisation.teams() for name in view.members if "@" in name}


def test_the_agents_of_a_peer_are_called_as_it_is(tmp_path: Path) -> None:
    """A peer that is renamed, removed, added or met again leaves no agent with an older name."""
    clock = Clock()
    sam, mira = opened(tmp_path / "sam", clock), opened(tmp_path / "mira", clock)
    sam.organisation.add_agent("planner")
    sam.organisation.add_team("apollo")
    sam.organisation.join("planner", "team:apollo")
    mira.organisation.add_agent("scout")
    host = Host(sam.context, Called("sam", "desktop"))

    def join(name: str = "") -> None:
        code = sam.invitations.team("apollo").code
        acts = {"open": host.open, "close": host.close}
        guest = Guest(code, AT, lambda path, line: acts[path.rpartition("/")[2]](line))
        guest.join(mira.context, ["scout"], "mira", name)

    join()
    between = Address(folder=str(tmp_path))
    for _ in range(3):
        for node in (sam, mira):
            [peer] = node.peers.list()
            node.peers.change(peer.name, PeerChange(address=between))
            assert [one.fault for one in node.sync.run()] == [""]
    assert others(sam) == {"scout@mira"}
    assert others(mira) == {"planner@sam"}
    sam.peers.change("mira", PeerChange(name="anna"))
    assert others(sam) == {"scout@anna"}
    sam.peers.remove("anna")
    account = mira.peers.card().account
    assert others(sam) == {f"scout@{account.removeprefix('acc_')[:8]}"}
    sam.peers.add(mira.peers.card().card, "bob")
    assert others(sam) == {"scout@bob"}
    join("boss")
    assert others(sam) == {"scout@bob"}
    assert others(mira) == {"planner@boss"}
    for node in (sam, mira):
        node.close()
