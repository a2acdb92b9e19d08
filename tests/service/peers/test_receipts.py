"""Receipts: what peers said of what was taken back."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from agent_memory_os.errors import NotFound
from agent_memory_os.federation.bundle.write import Part
from agent_memory_os.federation.exchange import asking, session, told
from agent_memory_os.model.principal import Principal
from agent_memory_os.service.peers.exchange.holder import GONE, REVOKED, Receipt
from agent_memory_os.service.peers.exchange.receipts import Receipts
from agent_memory_os.store.peer import peers
from tests.federation.exchange.party import Party, device_of, meet, settle

OPERATOR = Principal.operator()


@pytest.fixture
def ann(tmp_path: Path) -> Party:
    """Ann's node with scout."""
    return Party(tmp_path / "ann", "ann")


@pytest.fixture
def ben(tmp_path: Path, ann: Party) -> Party:
    """Ben's node with mira, who is in Ann's team apollo."""
    ben = Party(tmp_path / "ben", "ben")
    meet(ann, ben, ["scout"], ["mira"])
    ann.node.organisation.add_team("apollo")
    ann.node.organisation.join("scout", "team:apollo")
    ann.node.organisation.join("mira@ben", "team:apollo")
    settle(ann, ben)
    return ben


def of(party: Party, memory: str = "") -> dict[str, Receipt]:
    """Return what a node's operator is told of each peer."""
    node = Receipts(party.node.context)
    found = node.get(OPERATOR, memory) if memory else node.list(OPERATOR)
    return {one.peer: one for one in found}


def state(party: Party, memory: str = "", peer: str = "ben") -> tuple[str, int, int]:
    """Return how it stands with one peer, and its counts."""
    found = of(party, memory)[peer]
    return found.state, found.copies, found.acknowledged


def revoke(party: Party, memory: str, audience: str | None = None) -> None:
    """Take a memory of scout's back."""
    party.node.memories.revoke(party.agent("scout"), memory, audience)


def test_a_revocation_is_acknowledged_by_the_word_of_the_peer_alone(ann: Party, ben: Party) -> None:
    """That it was sent is not enough: the peer says so itself when it is next spoken with."""
    memory = ann.remember("scout", "for the team", "team:apollo")
    ann.sync(ben)
    ann.sync(ben)
    assert state(ann, memory) == ("still shared", 0, 0)
    revoke(ann, memory)
    assert state(ann, memory) == ("outstanding", 1, 0)
    ann.sync(ben)
    assert ben.read("mira") == {}
    assert state(ann, memory) == ("outstanding", 1, 0)
    ann.sync(ben)
    assert state(ann, memory) == ("acknowledged", 0, 1)
    assert state(ann) == ("acknowledged", 0, 1)


@pytest.mark.parametrize("erases", [False, True])
def test_what_was_forgotten_is_acknowledged_by_who_had_it(
    ann: Party, ben: Party, *, erases: bool
) -> None:
    """An erased memory is found by its id."""
    memory = ann.remember("scout", "for the team", "team:apollo")
    ben.sync(ann)
    if erases:
        ann.node.memories.erase(ann.agent("scout"), [memory], ())
    else:
        ann.node.memories.forget(ann.agent("scout"), memory)
    assert state(ann, memory) == ("outstanding", 1, 0)
    ben.sync(ann)
    assert state(ann, memory[:12]) == ("acknowledged", 0, 1)


def test_what_was_never_sent_is_said_so(ann: Party, ben: Party) -> None:
    """Neither what nobody asked for before it was taken back, nor what was never shared."""
    memory = ann.remember("scout", "for the team", "team:apollo")
    private = ann.remember("scout", "for nobody")
    revoke(ann, memory)
    assert state(ann, memory) == ("never sent", 0, 0)
    ben.sync(ann)
    assert state(ann, memory) == ("never sent", 0, 0)
    assert state(ann, private) == ("never sent", 0, 0)
    assert state(ann) == ("never sent", 0, 0)


def test_what_was_sent_and_perhaps_did_not_arrive_counts(ann: Party, ben: Party) -> None:
    """A peer whose answer was made may have it, though nobody knows whether it came."""
    memory = ann.remember("scout", "for the team", "team:apollo")
    pieces = ann.answering.pull(ben.local.device.id, _ask(ben, ann))
    next(pieces)
    revoke(ann, memory)
    assert state(ann, memory) == ("outstanding", 1, 0)


def _ask(one: Party, other: Party) -> io.BytesIO:
    """Return what a node asks of a peer."""
    with one.node.context.database.read() as snapshot:
        peer = peers.of_device(snapshot, other.local.device.id)
        chart = one.local.charts.read(snapshot)
    assert peer is not None
    lines = told.of_want(asking.want(one.local, peer))
    made = session.bundled(one.local, peer, [session.opening(chart), Part("", lines)])
    return io.BytesIO(b"".join(made))


def test_two_revocations_and_a_share_between(ann: Party, ben: Party) -> None:
    """What was acknowledged of the first says nothing of the second."""
    memory = ann.remember("scout", "for the team", "team:apollo")
    ben.sync(ann)
    revoke(ann, memory)
    ben.sync(ann)
    ben.sync(ann)
    assert state(ann, memory) == ("acknowledged", 0, 1)
    ann.node.memories.share(ann.agent("scout"), memory, "team:apollo")
    assert state(ann, memory) == ("still shared", 0, 0)
    ben.sync(ann)
    revoke(ann, memory)
    assert state(ann, memory) == ("outstanding", 1, 0)
    ben.sync(ann)
    ben.sync(ann)
    assert state(ann, memory) == ("acknowledged", 0, 1)


def test_what_a_peer_may_read_by_another_way_is_no_copy_to_drop(ann: Party, ben: Party) -> None:
    """A memory that was shared twice and taken back once is kept, and rightly."""
    memory = ann.remember("scout", "for both", "team:apollo")
    mira = ben.agent("mira").agent
    ann.node.memories.share(ann.agent("scout"), memory, f"agent:{mira}")
    ben.sync(ann)
    revoke(ann, memory, "team:apollo")
    ben.sync(ann)
    ben.sync(ann)
    assert state(ann, memory) == ("still shared", 0, 0)
    revoke(ann, memory)
    ben.sync(ann)
    ben.sync(ann)
    assert state(ann, memory) == ("acknowledged", 0, 1)


def test_a_member_that_was_taken_out_says_that_it_knows(ann: Party, ben: Party) -> None:
    """Of all that was shared with the team, by the peers of the account alone."""
    memories = [ann.remember("scout", f"for the team {at}", "team:apollo") for at in range(3)]
    ben.sync(ann)
    late = ann.remember("scout", "never sent", "team:apollo")
    ann.node.organisation.leave("mira@ben", "team:apollo")
    assert state(ann) == ("outstanding", 3, 0)
    [left] = Receipts(ann.node.context).left("mira@ben", "team:apollo")
    assert (left.state, left.copies) == ("outstanding", 3)
    ben.sync(ann)
    assert ben.read("mira") == {}
    assert state(ann, memories[0]) == ("acknowledged", 0, 1)
    assert state(ann) == ("acknowledged", 0, 3)
    assert state(ann, late) == ("never sent", 0, 0)


def test_who_is_not_served_a_scope_says_what_it_dropped(ann: Party, ben: Party) -> None:
    """Where the ceiling keeps a peer from a team, its word of what it asked about counts."""
    memory = ann.remember("scout", "for the team", "team:apollo")
    ben.sync(ann)
    with ann.node.context.database.write() as transaction:
        transaction.execute("UPDATE peers SET ceiling = 'team:' || ?", ("team_" + "a" * 32,))
    revoke(ann, memory)
    assert state(ann, memory) == ("outstanding", 1, 0)
    ben.sync(ann)
    assert ben.read("mira") == {}
    assert state(ann, memory) == ("acknowledged", 0, 1)


def test_who_only_answers_says_what_it_dropped(ann: Party, ben: Party) -> None:
    """It is told with its next answers."""
    memory = ann.remember("scout", "for the team", "team:apollo")
    ann.sync(ben)
    with ann.node.context.database.write() as transaction:
        transaction.execute("UPDATE peers SET ceiling = 'team:' || ?", ("team_" + "a" * 32,))
    revoke(ann, memory)
    for _ in range(3):
        ann.sync(ben)
    assert ben.read("mira") == {}
    ann.sync(ben)
    assert state(ann, memory) == ("acknowledged", 0, 1)


def test_who_takes_it_in_when_it_asks_says_so_at_once(ann: Party, ben: Party) -> None:
    """Who waits for it need not wait for what it says the next time."""
    memory = ann.remember("scout", "for the team", "team:apollo")
    ben.sync(ann)
    revoke(ann, memory)
    ben.sync(ann)
    assert state(ann, memory) == ("acknowledged", 0, 1)


def test_a_device_that_was_revoked_keeps_what_it_had(tmp_path: Path, ann: Party) -> None:
    """Each memory that it was given is a copy that nobody can call back."""
    away = device_of(ann, tmp_path / "away", "away")
    meet(ann, away)
    memory = ann.remember("scout", "mine")
    dropped = ann.remember("scout", "forgotten in time")
    settle(ann, away)
    ann.node.memories.forget(ann.agent("scout"), dropped)
    settle(ann, away)
    ann.node.peers.revoke_device("away")
    found = of(ann)["away"]
    assert (found.state, found.copies, found.fault) == ("unreachable", 1, REVOKED)
    assert state(ann, memory, "away") == ("unreachable", 1, 0)
    assert state(ann, dropped, "away") == ("acknowledged", 0, 1)
    away.node.close()


def test_a_further_device_acknowledges_what_was_forgotten(tmp_path: Path, ann: Party) -> None:
    """It keeps what was only taken back from others."""
    away = device_of(ann, tmp_path / "away", "away")
    meet(ann, away)
    memory = ann.remember("scout", "mine", "global")
    settle(ann, away)
    revoke(ann, memory)
    assert state(ann, memory, "away") == ("still shared", 0, 0)
    ann.node.memories.forget(ann.agent("scout"), memory)
    assert state(ann, memory, "away") == ("outstanding", 1, 0)
    settle(ann, away)
    assert state(ann, memory, "away") == ("acknowledged", 0, 1)
    away.node.close()


def test_an_owner_sees_the_receipts_of_its_own_memories_alone(ann: Party, ben: Party) -> None:
    """Of another agent's, and of what is not there, it learns the same: nothing, nor of peers."""
    memory = ann.remember("scout", "for the team", "team:apollo")
    ben.sync(ann)
    revoke(ann, memory)
    node, scout, twin = Receipts(ann.node.context), ann.agent("scout"), ann.agent("twin")
    assert [one.copies for one in node.get(scout, memory)] == [1]
    assert [one.copies for one in node.list(scout)] == [1]
    assert node.list(twin) == ()
    assert node.get(twin, ann.remember("twin", "private")) == ()
    assert [one.state for one in node.get(OPERATOR, memory)] == ["outstanding"]
    words = set()
    for text in (memory, memory[:12], "mem_" + "a" * 32):
        with pytest.raises(NotFound) as error:
            node.get(twin, text)
        words.add(str(error.value).replace(text, "ID"))
    assert len(words) == 1


def test_a_peer_that_was_removed_is_not_forgotten(ann: Party, ben: Party) -> None:
    """What it had said stands; of what came later nobody will ever hear; it can come again."""
    old, new = (ann.remember("scout", f"for the team {at}", "team:apollo") for at in range(2))
    ben.sync(ann)
    revoke(ann, old)
    ben.sync(ann)
    ben.sync(ann)
    ann.node.peers.remove("ben")
    revoke(ann, new)
    found = of(ann, new)["ben"]
    assert (found.state, found.fault, found.comes_by) == ("unreachable", GONE, False)
    assert state(ann, old) == ("acknowledged", 0, 1)
    ann.peer(ben, "granted")
    assert state(ann, new) == ("outstanding", 1, 0)
    ben.sync(ann)
    ben.sync(ann)
    assert state(ann) == ("acknowledged", 0, 2)
