"""Poking: peers hear at once of what is shared or taken back, hand it on, and become quiet."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from agent_memory_os import settings, wiring
from agent_memory_os.errors import BadSettings, Busy
from agent_memory_os.server import beat as beats
from agent_memory_os.server.beat import Beat
from agent_memory_os.server.serve import Serving, door_for
from agent_memory_os.service.node import LocalNode
from agent_memory_os.service.peers.answer import peering_of
from agent_memory_os.service.peers.exchange import poke
from agent_memory_os.service.peers.exchange.turn import turn
from tests.acceptance.nodes import NOBODY
from tests.api.served import listening
from tests.federation.exchange.party import Party, device_of, meet

FEW = 8
"""More looks than anything takes to go round."""


class Counting(Beat):
    """A beat that counts how often it exchanged."""

    def __init__(self, home: Path) -> None:
        super().__init__(settings.read(str(home), None, {}), lambda: 0.0, 3600.0)
        self.count = 0

    def _exchange(self, opened: LocalNode, due: list[str]) -> set[str]:
        self.count += len(due)
        return super()._exchange(opened, due)


class Ring:
    """Served nodes of one account, each of which calls the one before it and the one after it."""

    def __init__(self, parties: list[Party]) -> None:
        self.parties = parties
        self.beats = [Counting(party.home) for party in parties]

    def look(self, *, times: int = 1) -> int:
        """Have every node look; return how often any of them exchanged."""
        before = sum(beat.count for beat in self.beats)
        for _ in range(times):
            for beat in self.beats:
                beat.look()
        return sum(beat.count for beat in self.beats) - before


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ring]:
    """Four nodes in a ring."""
    now, folder = wiring.clock(), tmp_path_factory.mktemp("ring")
    first = Party(folder / "0", "0", now)
    parties = [first, *(device_of(first, folder / str(at), str(at), now) for at in range(1, 4))]
    for party in parties:
        party.node.context.database.clock = wiring.clock
    for party in parties[1:]:
        meet(first, party)
    with ExitStack() as stack:
        urls = []
        for party in parties:
            peering = peering_of(party.node.context)
            door = door_for(party.node, str(party.home), Serving("127.0.0.1", 0), peering)
            urls.append(stack.enter_context(listening(door)))
        for at, party in enumerate(parties):
            with party.node.context.database.write() as transaction:
                transaction.execute("DELETE FROM peers")
            for to in ((at - 1) % 4, (at + 1) % 4):
                party.peer(parties[to], "full")
                _call(party, parties[to], urls[to])
        found = Ring(parties)
        for beat in [*found.beats, *found.beats]:
            beat.once()
        yield found
        for beat in found.beats:
            beat._leave()  # noqa: SLF001 - no thread of it runs, which would
    for party in parties:
        party.node.close()


@pytest.fixture
def ring(served: Ring, monkeypatch: pytest.MonkeyPatch) -> Ring:
    """Four nodes in a ring, at rest, of which none waits for anything."""
    monkeypatch.setattr(beats, "_TOGETHER_SECONDS", 0.0)
    monkeypatch.setattr(beats, "_REST", 0.0)
    for beat in served.beats:
        beat._rests_until = 0.0  # noqa: SLF001 - of the test before
    served.look(times=3)
    assert served.look() == 0
    return served


def _call(party: Party, other: Party, url: str) -> None:
    with party.node.context.database.write() as transaction:
        row = (url, other.local.device.id)
        transaction.execute("UPDATE peers SET address = ? WHERE device = ?", row)


def forgotten(ring: Ring, memory: str) -> list[bool]:
    """Return on which nodes a memory is forgotten."""
    query = "SELECT state = 'forgotten' FROM memories WHERE id = ?"
    return [bool(party.rows(query, memory)[0][0]) for party in ring.parties]


def test_what_is_taken_back_goes_round_and_then_all_is_quiet(ring: Ring) -> None:
    """Whoever is told tells on, nobody twice; and nobody who has nothing to tell says anything."""
    first = ring.parties[0]
    memory = first.remember("scout", "for everybody", "global")
    assert ring.look(times=FEW) <= 2 * len(ring.parties)
    assert forgotten(ring, memory) == [False] * 4
    first.node.memories.forget(first.agent("scout"), memory)
    assert ring.look() <= 2 * len(ring.parties)
    assert forgotten(ring, memory) == [True] * 4
    ring.look(times=2)
    assert ring.look(times=FEW) == 0


def test_what_is_private_and_new_waits_for_the_beat(ring: Ring) -> None:
    """A node on which agents only remember speaks with nobody more often."""
    ring.parties[1].remember("scout", "for nobody")
    assert ring.look(times=2) == 0


def test_it_can_be_held_back(ring: Ring) -> None:
    """With sync = "off" nobody is poked."""
    first = ring.parties[0]
    (first.home / "node.toml").write_text('sync = "off"\n')
    first.remember("scout", "held back", "global")
    assert ring.look(times=2) == 0
    (first.home / "node.toml").write_text("")


def test_while_much_is_shared_it_rests_but_not_from_taking_back(
    ring: Ring, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is shared waits until pokes are a small part of the time; what takes back does not."""
    monkeypatch.setattr(beats, "_REST", 1e6)
    first, beat = ring.parties[0], ring.beats[0]
    memory = first.remember("scout", "the first", "global")
    beat.look()
    before = beat.count
    first.remember("scout", "the second", "global")
    beat.look()
    assert beat.count == before > 0
    first.node.memories.revoke(first.agent("scout"), memory)
    beat.look()
    assert beat.count > before


def test_who_could_not_be_reached_waits_for_its_beat(ring: Ring) -> None:
    """A peer that does not answer is not poked again and again."""
    first, beat = ring.parties[0], ring.beats[0]
    [(url,)] = first.rows("SELECT address FROM peers WHERE name = '1'")
    _call(first, ring.parties[1], NOBODY)
    first.remember("scout", "one", "global")
    beat.look()
    before = beat.count
    first.remember("scout", "two", "global")
    beat.look()
    assert beat.count - before == 1
    _call(first, ring.parties[1], str(url))
    beat.once()


def test_who_is_spoken_with_just_now_is_poked_after_that(ring: Ring) -> None:
    """Another process may have been at it before something was shared."""
    first, beat = ring.parties[0], ring.beats[0]
    device = ring.parties[1].local.device.id
    first.remember("scout", "while another speaks", "global")
    with turn(str(first.home), device):
        beat.look()
        assert beat._is_pending  # noqa: SLF001 - nothing else shows it
    before = beat.count
    beat.look()
    assert beat.count - before == 1


def test_a_poke_that_failed_is_made_at_the_next_look(
    ring: Ring, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where others write just then, what was taken back does not wait for the beat."""
    first, beat = ring.parties[0], ring.beats[0]
    memory = first.remember("scout", "soon taken back", "global")
    ring.look(times=FEW)

    def busy(_: object) -> list[str]:
        raise Busy("Others keep writing.")

    first.node.memories.forget(first.agent("scout"), memory)
    with monkeypatch.context() as patch:
        patch.setattr(poke, "owed", busy)
        with pytest.raises(Busy):
            beat.look()
    ring.look(times=2)
    assert forgotten(ring, memory)[:2] == [True] * 2


def test_a_file_that_is_gone_is_looked_at_again_later(ring: Ring) -> None:
    """A fault of the home ends nothing."""
    first, beat = ring.parties[0], ring.beats[0]
    (first.home / "node.toml").write_text("sync = 5\n")
    first.remember("scout", "while a file has a fault", "global")
    with pytest.raises(BadSettings):
        beat.look()
    (first.home / "node.toml").write_text("")
    first.remember("scout", "once it has none", "global")
    before = beat.count
    beat.look()
    assert beat.count > before
