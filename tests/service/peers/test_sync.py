"""Exchanging: each peer alone, what is kept of faults, clocks that are apart, what is put aside."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent_memory_os.errors import (
    Busy,
    ClockWrong,
    CopiedHome,
    InvalidInput,
    NotFound,
    Refused,
)
from agent_memory_os.federation.signing import UNKNOWN_DEVICE
from agent_memory_os.service.memory.add import NewMemory
from agent_memory_os.service.peers import Address, PeerChange
from agent_memory_os.service.peers.exchange.turn import turn
from agent_memory_os.service.upkeep import Finding
from agent_memory_os.store.peer import peers
from tests.federation.shown import ANNS, BOBS
from tests.laws.world import HOUR
from tests.service.peers.nodes import Pair
from tests.store.sample import OPERATOR


def bundles(own: Pair) -> list[Path]:
    """Return the bundles that lie in the folder between."""
    return sorted(own.between.rglob("*.bundle"))


def test_each_peer_is_told_of_alone(own: Pair) -> None:
    """One without an address is left out, or refused where it is named; faults stay apart."""
    own.desk.peers.add(ANNS, "ann")
    own.desk.peers.add(BOBS, "bob", Address(url="http://127.0.0.1:9"))
    done = {one.peer: one for one in own.desk.sync.run()}
    assert {name: one.state for name, one in done.items()} == {"bob": "failed", "lap": "waits"}
    assert "does not answer: connection refused" in done["bob"].fault
    assert own.desk.peers.get("bob").fault == done["bob"].fault
    assert own.desk.peers.get("lap").fault == ""
    (named,) = own.desk.sync.run(["ann"])
    assert (named.state, "comes by itself" in named.fault) == ("failed", True)
    with pytest.raises(NotFound, match="did you mean lap"):
        own.desk.sync.run(["lap", "lab"])


def test_whoever_is_at_it_is_passed_over(own: Pair) -> None:
    """While somebody has the turn with a peer, others say so, and the turn ends with its holder."""
    device = own.desk.peers.get("lap").device
    with turn(own.desk.context.home, device) as mine, turn(own.desk.context.home, device) as other:
        assert (mine, other) == (True, False)
        (done,) = own.desk.sync.run()
        assert (done.state, done.fault) == ("busy", "")
        with pytest.raises(Busy, match="exchanging with lap"):
            own.desk.sync.export("lap", str(own.between))
    (done,) = own.desk.sync.run()
    assert done.state == "waits"


def test_who_is_away_finds_one_ask(own: Pair) -> None:
    """However often somebody tries meanwhile, nothing piles up; and then all of it comes."""
    own.settle()
    for number in range(4):
        own.add(own.desk, f"number {number}")
        for _ in range(3):
            own.clock.now += HOUR
            list(own.desk.sync.run())
    assert len(bundles(own)) == 5
    own.settle()
    assert len(own.lap.memories.owners(OPERATOR)) == 1
    assert own.lap.upkeep.sizes(OPERATOR).memories == 4


def test_one_bad_bundle_holds_up_no_other(own: Pair) -> None:
    """What is cut off is told once, is out of the way, and what it held comes again."""
    own.settle()
    own.add(own.desk, "first")
    list(own.desk.sync.run())
    newest = bundles(own)[-1]
    newest.write_bytes(newest.read_bytes()[:-20])
    own.add(own.desk, "second")
    list(own.desk.sync.run())
    (done,) = own.lap.sync.run()
    assert (done.state, "could not be read" in done.fault) == ("failed", True)
    assert own.lap.peers.get("desk").fault == done.fault
    own.settle()
    assert own.lap.upkeep.sizes(OPERATOR).memories == 2
    assert own.lap.peers.get("desk").fault == ""


def test_the_status_tells_what_is_still_to_be_sent(own: Pair) -> None:
    """It counts what a peer has not got, of which it has said what it has; and when it was seen."""
    (state,) = own.desk.sync.status().peers
    assert (state.behind, state.peer.seen_at) == (None, None)
    own.settle()
    (state,) = own.desk.sync.status().peers
    assert state.behind == 0
    assert state.peer.seen_at is not None
    assert state.peer.offset is None
    memory = own.add(own.desk, "news")
    own.add(own.desk, "more")
    assert own.desk.sync.status().peers[0].behind == 2
    own.edit(own.desk, memory, "other news")
    assert own.desk.sync.status().peers[0].behind == 2
    own.settle()
    assert own.desk.sync.status().peers[0].behind == 0
    own.edit(own.lap, memory, "news from there")
    own.edit(own.desk, memory, "news from here")
    own.settle()
    found = own.desk.sync.status()
    assert (found.lost, found.aside, found.offset) == (1, 0, None)


def clock_of(own: Pair) -> Finding:
    """Return what the doctor says of a clock."""
    return next(one for one in own.desk.upkeep.doctor(OPERATOR) if one.name == "clock")


def test_a_wrong_clock_shares_nothing(own: Pair) -> None:
    """More than five minutes off the median of peers, what widens is refused, and nothing else."""
    shared = own.add(own.desk, "shared before", "global")
    own.desk.organisation.add_team("apollo")
    for card, name in ((ANNS, "ann"), (BOBS, "bob")):
        own.desk.peers.add(card, name)
    apart = (-400_000, 20_000, -301_000)
    with own.desk.context.database.write() as transaction:
        for peer, offset in zip(peers.every(transaction), apart, strict=True):
            peers.seen(transaction, peer, offset)
    scout, memories = own.scout(own.desk), own.desk.memories
    for widens in (
        lambda: own.add(own.desk, "shared now", "global"),
        lambda: memories.share(scout, shared, "agent:scout"),
        lambda: own.edit(own.desk, shared, "edited"),
        lambda: own.desk.organisation.join("scout", "team:apollo"),
    ):
        with pytest.raises(ClockWrong, match="301 seconds ahead of that of its peers"):
            widens()
    own.edit(own.desk, own.add(own.desk, "private"), "still private")
    memories.forget(scout, shared)
    with pytest.raises(ClockWrong):
        memories.bring_back(scout, shared)
    assert own.desk.sync.status().offset == -301_000
    assert (clock_of(own).state, "301 seconds ahead" in clock_of(own).detail) == ("warning", True)
    with own.desk.context.database.write() as transaction:
        peers.seen(transaction, peers.every(transaction)[2], 0)
    memories.bring_back(scout, shared)
    assert clock_of(own).state == "ok"
    own.desk.peers.change("ann", PeerChange(address=Address(url="http://ann.example")))
    assert own.desk.peers.get("ann").offset is None


def test_a_clock_that_was_refused_is_kept(own: Pair) -> None:
    """Where a peer refuses for the clock, it is known by how much the two are apart."""
    from agent_memory_os.errors import ClockApart

    peer = own.desk.peers.get("lap")
    with own.desk.context.database.read() as snapshot:
        held = peers.of_device(snapshot, peer.device)
    assert held is not None
    error = ClockApart("The clock of this node is 400 seconds behind.", offset_seconds="-400")
    own.desk.sync._note(held, error)  # noqa: SLF001 - what a served peer with another clock says
    found = own.desk.peers.get("lap")
    assert (found.offset, found.fault) == (400_000, str(error))


def test_a_copied_home_exchanges_nothing(own: Pair) -> None:
    """Whatever would be signed by two nodes as one device is refused."""
    with own.desk.context.database.write() as transaction:
        transaction.execute("UPDATE node SET home_mark = 'elsewhere'")
    sync, there = own.desk.sync, str(own.between)
    for act in (sync.run, lambda: sync.export("lap", there), lambda: sync.take(there)):
        with pytest.raises(CopiedHome) as told:
            act()
        assert told.value.remedy == "new_device"


def test_what_names_nothing_is_refused(own: Pair) -> None:
    """An empty path is a slip, and a folder that is a file is told."""
    with pytest.raises(InvalidInput, match="is empty; name one"):
        own.desk.sync.export("lap", " ")
    (own.between / "not-a-bundle").write_text("[1]\n")
    with pytest.raises(InvalidInput, match="no bundle of a node"):
        own.desk.sync.take(str(own.between / "not-a-bundle"))
    with pytest.raises(Refused):
        own.desk.sync.export("lap", str(own.between / "nowhere" / "x"))
    assert not [*own.between.rglob("*.new")]


def test_what_was_put_aside_is_tried_again(own: Pair) -> None:
    """A line that waited for its device is taken once that is known, and another one stays."""
    new = NewMemory("written on the lap")
    own.lap.memories.add(own.scout(own.lap), new)
    own.settle()
    with own.desk.context.database.write() as transaction:
        device = own.desk.peers.get("lap").device
        peers.put_aside(transaction, device, b"no line\n", UNKNOWN_DEVICE)
        peers.put_aside(transaction, device, b"x" * 70_000, "too long")
    aside = own.desk.quarantine
    assert [(one.peer, one.reason) for one in aside.list()] == [
        ("lap", "too long"),
        ("lap", UNKNOWN_DEVICE),
    ]
    done = aside.retry()
    assert (done.taken, done.aside) == (0, 2)
    assert {one.reason for one in aside.list()} == {"too long", "it is not JSON"}
    with pytest.raises(Refused, match="too long to be kept whole"):
        aside.retry([2])
    with pytest.raises(NotFound, match="number 99"):
        aside.retry([99])
    with pytest.raises(NotFound, match="number 99"):
        aside.show(OPERATOR, 99)
    own.desk.peers.remove("lap")
    with pytest.raises(Refused, match="no peer any more"):
        aside.retry([aside.list()[0].id])
    assert aside.retry().taken == 0
    assert aside.list()[0].peer == device
    assert aside.drop() == 2
