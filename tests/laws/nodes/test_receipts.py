"""No receipt is false, whatever happens on the way; and the word of the sender would be."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from agent_memory_os.store.database import Transaction
from agent_memory_os.store.peer import peers
from agent_memory_os.store.peer.peers import Peer
from tests.laws.nodes.drill.every import TWO
from tests.laws.nodes.drill.stage import LOST, Stage
from tests.laws.nodes.receipt import copies, false_words
from tests.laws.nodes.run import opened


@pytest.fixture
def stage() -> Iterator[Stage]:
    """Give ann's and bea's devices, at rest."""
    with opened(0, TWO, "", is_small=False, mends=False) as nodes:
        nodes.pair()
        yield Stage(nodes)


def lost(stage: Stage) -> list[str]:
    """Take a memory back, lose what is sent of it, and return what is told that is not so."""
    ann, bea = stage.node("ann1"), stage.node("bea1")
    memory = stage.write(ann, stage.team)
    for _ in range(2):
        stage.sync(bea, ann)
        stage.sync(ann, bea)
    stage.revoke(ann, memory, stage.team)
    stage.sync(ann, bea, LOST)
    return [*false_words(ann, bea)]


def test_what_was_lost_on_the_way_is_outstanding(stage: Stage) -> None:
    """What was sent and did not come is acknowledged once it came, and not before."""
    ann, bea = stage.node("ann1"), stage.node("bea1")
    assert lost(stage) == []
    assert len([*copies(ann, bea)]) == 1
    for _ in range(2):
        stage.sync(bea, ann)
    assert [*false_words(ann, bea), *copies(ann, bea)] == []


def test_what_was_sent_would_be_a_false_receipt(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The laws find it if how far a peer was served is taken for its word."""
    kept = peers.set_wants

    def optimistic(transaction: Transaction, peer: Peer, wants: str, index: str) -> None:
        kept(transaction, peer, wants, index)
        peers.set_said(transaction, peer, wants, transaction.now)

    monkeypatch.setattr(peers, "set_wants", optimistic)
    assert lost(stage)


def test_who_was_restored_has_to_speak_again(stage: Stage) -> None:
    """What it had said was of another file: when it comes, it is outstanding again, then not."""
    ann, bea = stage.node("ann1"), stage.node("bea1")
    memory = stage.write(ann, stage.team)
    stage.sync(bea, ann)
    bea.back_up()
    stage.revoke(ann, memory, stage.team)
    stage.sync(bea, ann)
    assert [*copies(ann, bea)] == []
    bea.restore(bea.backups[-1], is_lost=True)
    stage.sync(ann, bea)
    assert len([*copies(ann, bea)]) == 1
    stage.sync(bea, ann)
    assert [*copies(ann, bea)] == []
