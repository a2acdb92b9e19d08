"""What is measured of a hundred nodes holds of eight: all that is shared or taken back comes."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from benchmarks import hundred
from benchmarks.mesh import run as runs
from benchmarks.mesh.homes import prepared
from benchmarks.mesh.run import BEAT, SERVE, Outcome, Plan, run
from benchmarks.mesh.topology import LINKS
from tests.laws.world import fast_folder

SMALL = Plan("hub", 0, size=8, fail=0.3, idle=1, active=2, busy=2, rate=6)
MOST_SECONDS = 900


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return a folder that keeps the homes of all these tests."""
    return str(tmp_path_factory.mktemp("mesh"))


def told(outcome: Outcome) -> Outcome:
    """Return what came of a run but for what the machine makes of it."""
    return outcome._replace(cpu=0)


def test_every_change_reaches_every_node(work: str) -> None:
    """Whatever is shared or taken back is so at all, though three contacts of ten fail."""
    outcome = run(work, SMALL._replace(topology="hub+2", active=3, busy=1))
    assert len(outcome.shared) + len(outcome.revoked) == 9
    assert outcome.shared
    assert outcome.revoked
    assert max(outcome.shared + outcome.revoked) < MOST_SECONDS
    assert 0.2 < outcome.failed / outcome.contacts < 0.4
    assert 0 < outcome.idle.member < outcome.active.member


def test_a_seed_gives_one_table(work: str) -> None:
    """The same seed gives the same times, contacts and bytes, and another one gives others."""
    plan = SMALL._replace(active=1, busy=1)
    first, again, other = (run(work, plan._replace(seed=seed)) for seed in (1, 1, 2))
    assert told(first) == told(again)
    assert hundred.row("hub", [first]) == hundred.row("hub", [again])
    assert told(first) != told(other)


def test_what_does_not_reach_all_is_told(work: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run ends with an error where nobody can be reached, and gives no figure."""
    monkeypatch.setattr(runs, "MOST_MINUTES", 2)
    with pytest.raises(SystemExit, match="have not reached all nodes"):
        run(work, SMALL._replace(fail=1.0, active=1, busy=0))


def test_a_server_exchanges_at_its_beat(work: str) -> None:
    """Nodes that serve exchange without a timer: a change waits for two beats at most."""
    plan = SMALL._replace(topology="ring", fail=0.0, active=1, busy=1)
    beat, serve = (run(work, plan._replace(by=by)) for by in (BEAT, SERVE))
    assert max(beat.shared) > 60
    assert max(serve.shared) < 10


def test_without_failures_a_hub_takes_two_turns_at_most(work: str) -> None:
    """Through a hub a change waits for its author's turn, and then for everybody else's."""
    outcome = run(work, SMALL._replace(fail=0.0, active=1, busy=1))
    assert max(outcome.shared + outcome.revoked) <= 120


@pytest.mark.parametrize("topology", LINKS)
def test_a_topology_links_everybody(topology: str) -> None:
    """Each but the first of a hub asks somebody, nobody asks itself, and none twice."""
    links = [*LINKS[topology](12, Random(0))]
    assert len(links) == len(set(links))
    assert all(one != other for one, other in links)
    assert {*range(1, 12)} <= {one for one, _ in links}


def test_homes_are_made_once(work: str) -> None:
    """Who comes later finds the homes that were made before."""
    folder = prepared(work, SMALL.size, "hub")
    before = Path(folder, "n007", "node.db").stat()
    assert prepared(work, SMALL.size, "hub") == folder
    assert Path(folder, "n007", "node.db").stat() == before


def test_nothing_measured_is_a_dash() -> None:
    """Where nothing was taken back there is no time to tell."""
    assert hundred.times([]) == "-"
    assert hundred.times([1.0, 2.0, 3.0]) == "2, 3, 3 s"


@pytest.mark.soak
@pytest.mark.parametrize("topology", LINKS)
def test_every_change_reaches_every_node_of_many(topology: str) -> None:
    """It holds of thirty nodes in each topology."""
    work = Path(fast_folder() or ".", "mesh-soak")
    work.mkdir(exist_ok=True)
    run(str(work), Plan(topology, 0, size=30, busy=3))
