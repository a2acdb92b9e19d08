"""An exchange costs no more bytes than its law allows, and grows with nothing but what is new."""

from __future__ import annotations

import re

import pytest

from agent_memory_os.errors import Incompatible
from agent_memory_os.federation import greeting, hello
from agent_memory_os.federation.exchange import session
from agent_memory_os.federation.hello import Hello
from agent_memory_os.store.peer import peers
from agent_memory_os.store.peer.peers import Peer
from agent_memory_os.store.queries import Queries
from tests.federation.exchange.conftest import Two
from tests.federation.exchange.party import Party, Way, lose, settle

IDLE, CHANGE, MISSING = 3_000, 5_500, 5_000
"""The most that bodies have, both ways; HTTP puts some 1,100 bytes of heads on top of each pair."""

FEW, MANY = 3, 40


class Counting(Way):
    """A way that remembers how often hello was said."""

    def __init__(self, here: Party, there: Party) -> None:
        super().__init__(here, there)
        self.hellos = 0

    def hello(self, ours: bytes) -> bytes | None:
        """Show the node our hello, and count it."""
        self.hellos += 1
        return super().hello(ours)


def peer_of(one: Party, other: Party) -> Peer:
    """Return what a node keeps of another."""
    with one.node.context.database.read() as snapshot:
        found = peers.of_device(snapshot, other.local.device.id)
    assert found is not None
    return found


def exchange(one: Party, other: Party) -> Counting:
    """Exchange with a peer; return what went over the way."""
    way = Counting(one, other)
    session.sync(one.local, peer_of(one, other), way)
    return way


def size(way: Way) -> int:
    """Return how many bytes went over a way."""
    return sum(map(len, way.sent))


@pytest.fixture
def quiet(two: Two) -> Two:
    """Two nodes that have some memories of each other, and nothing new."""
    ann, ben = two
    for at in range(MANY):
        ann.remember("scout", f"scout says {at}", "team:apollo")
    ben.remember("mira", "mira says so", "team:apollo")
    settle(ann, ben)
    ben.sync(ann)
    return two


def test_nothing_new_is_one_question_and_one_answer(quiet: Two) -> None:
    """Hello is not said again, nothing is pushed, and what stands is not repeated."""
    for one, other in ((quiet.ann, quiet.ben), (quiet.ben, quiet.ann)):
        exchange(one, other)
        way = exchange(one, other)
        assert (way.hellos, len(way.sent)) == (0, 2)
        assert size(way) <= IDLE


def test_nothing_new_costs_the_same_however_many_scopes_are_shared(quiet: Two) -> None:
    """Of thirty teams with memories of both no byte more is said than of one."""
    ann, ben = quiet
    exchange(ben, ann)
    before = size(exchange(ben, ann))
    for at in range(30):
        ann.node.organisation.add_team(f"team-{at}")
        for who in ("scout", "mira@ben"):
            ann.node.organisation.join(who, f"team:team-{at}")
        ann.remember("scout", f"for team {at}", f"team:team-{at}")
    settle(ann, ben)
    ben.sync(ann)
    after = size(exchange(ben, ann))
    # How well the digits of digests can be packed is chance.
    assert abs(after - before) <= 64


def test_one_change_is_one_answer(quiet: Two) -> None:
    """What changed comes with the answer, and goes back to nobody."""
    ann, ben = quiet
    ann.remember("scout", "something new of the length that memories have " * 3, "team:apollo")
    way = exchange(ben, ann)
    assert (way.hellos, len(way.sent)) == (0, 2)
    assert size(way) <= CHANGE
    exchange(ben, ann)
    assert size(exchange(ben, ann)) <= IDLE


def test_what_came_does_not_go_back(two: Two) -> None:
    """Who was sent all that it has of a team sends nothing of it to where that came from."""
    ann, ben = two
    for at in range(FEW):
        ann.remember("scout", f"scout says {at}", "team:apollo")
    before = ben.sync(ann)[0]
    assert before.taken > before.sent
    assert [ben.sync(ann)[0].sent for _ in range(2)] == [0, 0]
    assert ann.sync(ben)[0].taken == 0


def test_one_that_is_missing_is_one_question_and_one_answer(quiet: Two) -> None:
    """Who lost a memory sees it by what the peer said last, and asks for it at once."""
    ann, ben = quiet
    [(lost,)] = ben.rows("SELECT id FROM memories ORDER BY id LIMIT 1")
    lose(ben, str(lost))
    way = exchange(ben, ann)
    assert (way.hellos, len(way.sent)) == (0, 2)
    assert size(way) <= MISSING
    assert ben.rows("SELECT 1 FROM memories WHERE id = ?", lost)


def test_what_is_wanted_is_told_in_whole_to_a_peer_that_lost_it(quiet: Two) -> None:
    """A peer that has not the rest of what is wanted says so, and nothing is passed over."""
    ann, ben = quiet
    with ann.node.context.database.write() as transaction:
        peers.set_wants(transaction, peer_of(ann, ben), "", "")
    new = ann.remember("scout", "new", "team:apollo")
    way = exchange(ben, ann)
    assert len(way.sent) == 4
    assert new in ben.read("mira")


def test_what_the_peer_said_is_said_again_to_who_lost_it(quiet: Two) -> None:
    """Who has not what the peer said last asks for it, and is told how it stands."""
    ann, ben = quiet
    exchange(ben, ann)
    before = peer_of(ben, ann).heard
    with ben.node.context.database.write() as transaction:
        peers.set_heard(transaction, peer_of(ben, ann), "")
    exchange(ben, ann)
    assert peer_of(ben, ann).heard == before != ""


@pytest.mark.parametrize("changed", ["asker", "asked"])
def test_hello_is_said_again_where_one_speaks_otherwise(quiet: Two, changed: str) -> None:
    """What either node speaks may have changed: then both learn it before anything is taken."""
    ann, ben = quiet
    keeper, of = (ben, ann) if changed == "asker" else (ann, ben)
    other = hello.terms(Hello("", "", 0, newest=2))
    assert other != greeting.OURS
    with keeper.node.context.database.write() as transaction:
        peers.set_greeted(transaction, peer_of(keeper, of), f"{other} {greeting.OURS}")
    assert exchange(ben, ann).hellos == 1
    assert exchange(ben, ann).hellos == 0


def test_who_names_terms_that_were_not_told_is_refused(quiet: Two) -> None:
    """A node answers nobody whose terms it does not know."""
    peer = peer_of(quiet.ann, quiet.ben)
    greeting.check(peer, greeting.OURS)
    with pytest.raises(Incompatible):
        greeting.check(peer, "0" * 32)


def test_scopes_are_told_under_another_salt_when_they_are_others(quiet: Two) -> None:
    """The same scopes are told the same way; with one more, no hash of before comes again."""
    ann, ben = quiet

    def told() -> list[tuple[object, ...]]:
        return ben.rows("SELECT origin, token FROM cursors WHERE route = 'holds'")

    before = told()
    exchange(ben, ann)
    assert told() == before != []
    ann.node.organisation.add_team("hermes")
    for who in ("scout", "mira@ben"):
        ann.node.organisation.join(who, "team:hermes")
    ann.remember("scout", "for the other team", "team:hermes")
    settle(ann, ben)
    assert told()[0][0] != before[0][0]


def test_a_head_does_not_go_back_nor_goes_twice(quiet: Two) -> None:
    """Of many heads the one alone is sent that is new, and not to who brought it."""
    ann, ben = quiet
    ann.remember("scout", "once more", "team:apollo")
    exchange(ben, ann)
    [(number,)] = ben.rows("SELECT lseq FROM cursors WHERE route = 'heads'")
    [(newest,)] = ann.rows("SELECT max(number) FROM heads WHERE source = ''")
    assert number == newest
    assert len(exchange(ann, ben).sent) == 2


@pytest.mark.parametrize(
    "name",
    [
        "foreign_scopes",
        "heads",
        "named",
        "newer_records",
        "owned_scopes",
        "served",
        "simple",
        "top",
        "unplaced",
    ],
)
def test_no_step_looks_at_every_record(quiet: Two, name: str) -> None:
    """What every exchange asks of the file is found by an index, however much is in it."""
    query = Queries("exchange")[name]
    needed = max(map(int, re.findall(r"\?(\d)", query)), default=query.count("?"))
    parameters = ("[]",) * needed
    plan = [str(row[3]) for row in quiet.ann.rows(f"EXPLAIN QUERY PLAN {query}", *parameters)]
    assert plan
    large = {"r", "records", "registers", "m", "memories"}
    assert not [line for line in plan if line.startswith("SCAN") and line.split()[1] in large]
