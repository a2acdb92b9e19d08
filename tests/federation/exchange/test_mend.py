"""What two nodes hold differently is found and exchanged, whatever lies between them."""

from __future__ import annotations

from base64 import b64encode

import pytest

from agent_memory_os.federation.bundle.notice import Notice, to_line
from agent_memory_os.federation.exchange import repair, told
from agent_memory_os.federation.exchange.serve import Server
from agent_memory_os.federation.exchange.told import Want
from agent_memory_os.federation.transport.memory import Post
from agent_memory_os.model.routing import tree
from agent_memory_os.model.routing.tree import Twig
from agent_memory_os.store.peer import peers
from tests.federation.exchange.conftest import Two
from tests.federation.exchange.party import Party, lose, post, send, settle

FEW, MANY = 3, 60


def filled(two: Two, count: int) -> list[str]:
    """Give both nodes some memories of the team, of both; return their ids, of Ann's first."""
    ann, ben = two
    found = [ann.remember("scout", f"scout says {at}", "team:apollo") for at in range(count)]
    found += [ben.remember("mira", f"mira says {at}", "team:apollo") for at in range(count)]
    settle(ann, ben)
    return found


def all_of(two: Two) -> list[set[str]]:
    """Return the ids of what either node has."""
    return [{str(row[0]) for row in one.rows("SELECT id FROM memories")} for one in two]


@pytest.mark.parametrize("count", [1, FEW, MANY])
@pytest.mark.parametrize("loser", ["ann", "ben"])
@pytest.mark.parametrize("asker", ["ann", "ben"])
def test_what_is_missing_comes_again(two: Two, loser: str, asker: str, count: int) -> None:
    """Few or many, at either end, whoever asks: what was lost is back after a session or two."""
    held = filled(two, MANY)
    lose(getattr(two, loser), *held[:count])
    one: Party = getattr(two, asker)
    for _ in range(2):
        one.sync(two.ben if asker == "ann" else two.ann)
    assert all_of(two) == [set(held), set(held)]


def test_both_lost_something(two: Two) -> None:
    """Each gets from the other what it lacks, in one session."""
    held = filled(two, FEW)
    lose(two.ann, held[0], held[-1])
    lose(two.ben, held[1])
    two.ben.sync(two.ann)
    assert all_of(two) == [set(held), set(held)]


@pytest.mark.parametrize("loser", ["ann", "ben"])
@pytest.mark.parametrize("count", [1, MANY])
def test_what_is_missing_comes_again_by_post(two: Two, loser: str, count: int) -> None:
    """Two that never meet find and mend it as well, each time that they come by a step further."""
    ann, ben = two
    held = filled(two, MANY)
    way = Post()
    ann.remember("scout", "by post", "team:apollo")
    for _ in range(4):
        post(ann, ben, way)
        post(ben, ann, way)
    whole, same = all_of(two)
    assert whole > set(held)
    assert same == whole
    lose(getattr(two, loser), *held[:count])
    for _ in range(6):
        post(ann, ben, way)
        post(ben, ann, way)
    assert all_of(two) == [whole, whole]


def untold(*_: object) -> None:
    """Tell nothing, as a sketch in which too much differs."""


@pytest.mark.parametrize("loser", ["ann", "ben"])
def test_where_a_sketch_tells_nothing_the_tree_does(
    two: Two, loser: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The records that differ are found by two questions more, and come all the same."""
    held = filled(two, FEW)
    lose(getattr(two, loser), held[0], held[-1])
    monkeypatch.setattr(repair, "read_off", untold)
    two.ben.sync(two.ann)
    assert all_of(two) == [set(held), set(held)]


def test_where_a_sketch_tells_nothing_the_tree_does_by_post(
    two: Two, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each question and each answer lies there until the other comes by."""
    ann, ben = two
    held = filled(two, FEW)
    way = Post()
    lose(ann, held[0], held[-1])
    monkeypatch.setattr(repair, "read_off", untold)
    for _ in range(6):
        post(ann, ben, way)
        post(ben, ann, way)
    assert all_of(two) == [set(held), set(held)]


def test_a_total_that_is_wrong_by_itself_sends_nothing(two: Two) -> None:
    """Where the records are the same after all, the tree finds that out, and nothing goes."""
    ann, ben = two
    filled(two, FEW)
    with ben.node.context.database.write() as transaction:
        transaction.execute("UPDATE routes SET count = count + 1 WHERE route LIKE 'team:%'")
    report, _ = ben.sync(ann)
    assert (report.taken, report.sent) == (0, 0)


def test_what_is_no_answer_is_put_aside(two: Two) -> None:
    """Whatever a peer says of routes that has not its form changes nothing, and is told."""
    ann, ben = two
    name = "team:team_lurzoivbf2x37jh2hn262wi574zeng4e"
    said: list[tuple[str, dict[str, object]]] = [
        (repair.TOTALS, {"totals": {name: "short"}}),
        (repair.SKETCH, {"route": name, "sketch": "AAAA", "total": "0" * 32}),
        (repair.SKETCH, {"route": name, "sketch": "", "total": 7}),
        (repair.TORN, {"route": 7}),
        (repair.PROBE, {"route": name, "salt": "2", "sums": ""}),
        (repair.PROBE, {"route": name, "salt": "x", "sums": _text(tree.WIDTH * tree.SHORT)}),
        (repair.PROBE, {"route": name, "salt": "3", "sums": "%"}),
        (repair.BRANCH, {"route": name, "salt": "3", "twigs": {"128": ""}, "whole": False}),
        (repair.BRANCH, {"route": name, "salt": "3", "twigs": [], "whole": False}),
        (repair.LEAVES, {"route": name, "salt": "3", "twigs": [[1, 128]], "records": ""}),
        (repair.LEAVES, {"route": name, "salt": "3", "twigs": 1, "records": ""}),
        (repair.LEAVES, {"route": name, "salt": "3", "twigs": [], "records": "short"}),
        (repair.LACK, {"route": name, "records": ["short"]}),
        (told.WANT, {"cursors": {}, "sum": 7}),
        (told.INDEX, {"index": "an index", "terms": []}),
    ]
    send(ben, ann, [to_line(Notice(kind, fields)) for kind, fields in said])
    assert len(ann.aside()) == len(said)


def _text(size: int) -> str:
    return b64encode(bytes(size)).decode()


def test_who_is_not_served_a_route_learns_nothing_of_it(two: Two) -> None:
    """A question about a route of others is not answered, nor is one who was let out."""
    ann, ben = two
    filled(two, FEW)
    ann.node.organisation.leave("mira@ben", "team:apollo")
    [(name,)] = ann.rows("SELECT route FROM routes WHERE route LIKE 'team:%'")
    with ann.node.context.database.read() as snapshot:
        peer = peers.of_device(snapshot, ben.local.device.id)
        assert peer is not None
        own = f"own:{ann.account}"
        asked = [repair.Sketched(one, bytes(432), "0" * 32) for one in (str(name), own)]
        probes = [repair.Probe(one, 3, bytes(384)) for one in (str(name), own)]
        leaves = [repair.Leaves(one, 3, (Twig(0, 0),), {}) for one in (str(name), own)]
        server = Server(ann.local, snapshot, peer, Want())
        assert [*server.repairs(asked, probes, leaves)] == []
