"""What a node asks about, and what it gives away by that."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from agent_memory_os.federation.exchange import asking, told
from agent_memory_os.federation.exchange.heard import Absorbed
from agent_memory_os.federation.exchange.serve import Server
from agent_memory_os.federation.exchange.told import Holds, Want
from agent_memory_os.model.principal import Principal
from agent_memory_os.service.memory.add import NewMemory
from agent_memory_os.store.peer import peers
from agent_memory_os.store.peer.peers import Peer
from tests.federation.exchange.conftest import Two
from tests.federation.exchange.party import Party, meet, send, settle

SALT = "ab" * 16


def peer_of(party: Party, other: Party) -> Peer:
    """Return a node as another keeps it."""
    with party.node.context.database.read() as snapshot:
        found = peers.of_device(snapshot, other.local.device.id)
    assert found is not None
    return found


def asked(party: Party, other: Party, scope: str) -> set[str]:
    """Return the memories that a node asks about of a peer which says that it knows a scope."""
    found = Absorbed()
    found.known = {told.hashed(scope, SALT): 7}
    question = asking.question(
        party.local, peer_of(party, other), Holds(SALT, frozenset(found.known)), found
    )
    return set() if question is None else set(question.asks)


def said(party: Party, other: Party, scopes: Iterable[str]) -> str:
    """Return what a node says to a peer that asks which of these scopes it knows."""
    wanted = Want(
        "an index", holds=Holds(SALT, frozenset(told.hashed(one, SALT) for one in scopes))
    )
    with party.node.context.database.read() as snapshot:
        server = Server(party.local, snapshot, peer_of(party, other), wanted)
        lines = [line for part in server.held() for line in part.lines]
    return "".join(line.decode() for line in lines if line.startswith(b'["known"'))


@pytest.fixture
def team(two: Two) -> str:
    """The scope of the team that the two nodes have in common."""
    (found,) = two.ann.rows("SELECT team FROM teams")
    return f"team:{found[0]}"


def test_who_is_not_in_a_team_is_not_asked_about_it(two: Two, team: str, tmp_path: Path) -> None:
    """A peer that only says it knows a team hears of none of its records; who is in it may."""
    ann, ben = two
    made = ben.remember("mira", "for the team", "team:apollo")
    settle(ann, ben)
    cyd = Party(tmp_path / "cyd", "cyd")
    meet(ann, cyd)
    assert asked(ann, cyd, team) == set()
    assert not asking.want(ann.local, peer_of(ann, cyd)).holds.has(team)  # type: ignore[union-attr]
    assert asked(ann, ben, team) == {made}
    cyd.node.close()


def test_who_left_a_team_is_not_asked_about_what_came_later(
    two: Two, team: str, tmp_path: Path
) -> None:
    """A removed member that says it knows the team learns of its own records alone."""
    ann, ben = two
    old = ben.remember("mira", "for the team", "team:apollo")
    settle(ann, ben)
    cyd = Party(tmp_path / "cyd", "cyd")
    meet(ann, cyd, ["scout"], ["nox"])
    ann.node.organisation.join("nox@cyd", "team:apollo")
    settle(ann, cyd)
    ann.node.organisation.leave("mira@ben", "team:apollo")
    later = cyd.remember("nox", "later", "team:apollo")
    settle(ann, cyd)
    assert asked(ann, ben, team) == {old}
    assert asked(ann, cyd, team) == {old, later}
    cyd.node.close()


def test_the_owner_is_asked_though_it_left(two: Two, team: str) -> None:
    """Whose record it is may know of it wherever it is."""
    ann, ben = two
    made = ben.remember("mira", "for the team", "team:apollo")
    settle(ann, ben)
    ann.node.organisation.leave("mira@ben", "team:apollo")
    assert asked(ann, ben, team) == {made}


def test_a_guess_at_a_scope_is_not_answered(two: Two) -> None:
    """Who names scopes that it could not hold anything of learns nothing of what is there."""
    ann, ben = two
    twin = Principal.of_agent(ann.node.organisation.ensure_agent("twin")[0].id)
    scope = f"agent:{ann.agent('scout').agent}"
    ann.node.memories.add(twin, NewMemory("from one agent to another"), scope)
    settle(ann, ben)
    assert scope in [row[0] for row in ann.rows("SELECT route FROM routes")]
    assert said(ann, ben, [scope, f"global:{ben.account}"]) == ""
    assert said(ann, ben, [f"agent:{ben.agent('mira').agent}"]) == ""


def test_who_may_hold_something_is_answered(two: Two) -> None:
    """What an account shares with everybody may be asked about where it is not served."""
    ann, ben = two
    ann.remember("scout", "for everybody", "global")
    settle(ann, ben)
    assert '"known"' in said(ann, ben, [f"global:{ann.account}"])


@pytest.mark.parametrize("forgets", [False, True])
def test_a_node_that_only_answers_learns_what_was_taken_back(two: Two, *, forgets: bool) -> None:
    """Who never begins an exchange is told, too, how what it is served no more has ended."""
    ann, ben = two
    kept = ann.remember("scout", "for the team", "team:apollo")
    gone = ann.remember("scout", "not for long", "team:apollo")
    ann.sync(ben)
    assert set(ben.read("mira")) == {kept, gone}
    with ann.node.context.database.write() as transaction:
        transaction.execute("UPDATE peers SET ceiling = 'team:' || ?", ("team_" + "a" * 32,))
    scout = ann.agent("scout")
    if forgets:
        ann.node.memories.forget(scout, gone)
    else:
        ann.node.memories.revoke(scout, gone, "team:apollo")
    for _ in range(6):
        ann.sync(ben)
    assert set(ben.read("mira")) == {kept}
    assert ben.rows("SELECT 1 FROM memories WHERE id = ?", gone) == []
    sent = [ann.sync(ben)[1] for _ in range(3)]
    assert len(set(sent)) == 1, "it goes on asking"


def test_a_hint_that_was_lost_comes_again_the_next_day(two: Two) -> None:
    """Where the node that answers began anew before it could ask, it is told once more."""
    ann, ben = two
    gone = ann.remember("scout", "not for long", "team:apollo")
    ann.sync(ben)
    with ann.node.context.database.write() as transaction:
        transaction.execute("UPDATE peers SET ceiling = 'team:' || ?", ("team_" + "a" * 32,))
    ann.node.memories.revoke(ann.agent("scout"), gone, "team:apollo")
    ann.sync(ben)
    ben.node.close()
    ben.open()
    for _ in range(3):
        ann.sync(ben)
    assert set(ben.read("mira")) == {gone}
    for party in two:
        party.time += 86_400_000
    for _ in range(3):
        ann.sync(ben)
    assert ben.read("mira") == {}


def test_what_comes_before_a_question_was_asked_is_no_answer(two: Two) -> None:
    """Another push between the hint and the next pull does not count as the answer."""
    ann, ben = two
    gone = ann.remember("scout", "not for long", "team:apollo")
    ann.sync(ben)
    with ann.node.context.database.write() as transaction:
        transaction.execute("UPDATE peers SET ceiling = 'team:' || ?", ("team_" + "a" * 32,))
    ann.node.memories.revoke(ann.agent("scout"), gone, "team:apollo")
    ann.sync(ben)
    send(ann, ben, [])
    for _ in range(3):
        ann.sync(ben)
    assert ben.read("mira") == {}
