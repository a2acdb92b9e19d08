"""Moving memories shows nothing to anybody who did not see it, at no moment, here or on a peer."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent_memory_os.errors import NotAllowed
from agent_memory_os.federation.signing import to_wire
from agent_memory_os.model.principal import Principal
from agent_memory_os.model.recall import Filter, RecallRequest
from agent_memory_os.service.moves import Chosen, Moves
from agent_memory_os.store.exchange.held import Reader
from agent_memory_os.store.memory.move import nonce_from
from tests.federation.exchange.party import Party, device_of, meet, send, settle
from tests.laws.crowd import crowd
from tests.laws.gate import revealed
from tests.laws.whole import MANY
from tests.laws.world import World, new_world

OPERATOR = Principal.operator()
WORDS = "quay"


def read(world: World, *, current: bool) -> dict[str, set[str]]:
    """Return which memories each agent reads: those that are shown, or also what has expired."""
    wanted = Filter(state="active" if current else "all")
    return {
        who: {one.id for one in world.node.memories.list(principal, wanted, MANY).memories}
        for who, principal in world.principals().items()
        if not principal.is_operator
    }


def pairs(world: World) -> dict[str, str]:
    """Return what each memory was moved to."""
    with world.node.context.database.read() as snapshot:
        nonces = {row[1].hex(): row[0] for row in snapshot.rows("SELECT id, nonce FROM memories")}
    return {old: nonces[nonce_from(old)] for old in nonces.values() if nonce_from(old) in nonces}


def test_nobody_reads_more_than_before() -> None:
    """Whoever reads a new one read the old one, or is the new owner; and nobody is shown both."""
    with new_world() as world:
        crowd(world)
        before = read(world, current=False)
        for source, target in (("ann", "bob"), ("dan", "cleo"), ("bob", "cleo"), ("cleo", "ann")):
            held = pairs(world)
            list(world.node.moves.run(OPERATOR, source, target, drops=True))
            after, shown = read(world, current=False), read(world, current=True)
            fresh = {old: new for old, new in pairs(world).items() if old not in held}
            assert fresh
            for who, ids in after.items():
                gained = ids - before[who]
                assert gained <= set(fresh.values())
                news = {new for old, new in fresh.items() if old in before[who]}
                assert who == f"agent {target}" or gained <= news
                assert not {old for old, new in fresh.items() if old in shown[who]}
            before = after


def test_an_agent_learns_nothing_of_moves() -> None:
    """Whatever it asks, and of whom, it is refused in the same words, and nothing is moved."""
    with new_world() as world:
        crowd(world)
        said = set()
        for principal in world.principals().values():
            for name in ("ann", "bob", "ghost"):
                if principal.is_operator:
                    continue
                said |= set(_refusals(world.node.moves, principal, name))
                assert not list(revealed(said, world.hidden_words(principal)))
        assert len(said) == 1
        assert not pairs(world)


def _refusals(moves: Moves, principal: Principal, name: str) -> Iterator[str]:
    for act in (
        lambda: moves.preview(principal, name, "cleo"),
        lambda: list(moves.run(principal, name, "cleo", Chosen(back=True), drops=True)),
        lambda: moves.preview_team(principal, name, "t"),
        lambda: list(moves.run_team(principal, name, "t")),
    ):
        with pytest.raises(NotAllowed) as refused:
            act()
        yield str(refused.value)


def settle_by(hub: Party, *others: Party) -> None:
    """Let all of them exchange with one of them until they have what it has."""
    for _ in range(2):
        for other in others:
            other.sync(hub)


def shown(party: Party, agent: str) -> dict[str, str]:
    """Return the owner of each memory that is shown to an agent, by its words."""
    found = party.node.memories.list(party.agent(agent), Filter(), MANY).memories
    assert len(found) == len({one.text for one in found}), "old and new are both shown"
    return {one.text: one.owner_name for one in found}


def test_what_is_moved_converges(tmp_path: Path) -> None:
    """Each peer and device has the new ones, in whichever order it came; a removed one has none."""
    ann, ben, cleo = (Party(tmp_path / name, name) for name in ("ann", "ben", "cleo"))
    for agent in ("scout", "mira"):
        ann.agent(agent)
    organisation = ann.node.organisation
    organisation.add_team("apollo")
    for party, agent in ((ben, "ben"), (cleo, "cleo")):
        meet(ann, party, ["scout", "mira"], [agent])
        organisation.join(f"{agent}@{party.name}", "team:apollo")
    for agent in ("scout", "mira"):
        organisation.join(agent, "team:apollo")
    lap = device_of(ann, tmp_path / "lap", "lap")
    meet(ann, lap)
    texts = [f"{WORDS} {number}" for number in range(4)]
    old = [ann.remember("scout", text, "team:apollo") for text in texts]
    ann.remember("scout", "alone")
    ann.remember("scout", "for ben", "agent:ben@ben")
    settle_by(ann, ben, cleo, lap)
    assert shown(ben, "ben") == dict.fromkeys([*texts, "for ben"], "scout@ann")
    organisation.leave("cleo@cleo", "team:apollo")
    moved = sum(step.moved for step in ann.node.moves.run(OPERATOR, "scout", "mira"))
    assert moved == 6
    settle_by(ann, ben, cleo, lap)
    assert shown(ben, "ben") == dict.fromkeys([*texts, "for ben"], "mira@ann")
    assert shown(lap, "mira") == dict.fromkeys([*texts, "alone", "for ben"], "mira")
    assert not shown(cleo, "cleo")
    assert not cleo.rows("SELECT 1 FROM memories")
    for memory in old:
        links = ben.node.memories.links(ben.agent("ben"), memory)
        assert [one.relation for one in links] == ["supersedes"]
        history = ben.node.memories.history(ben.agent("ben"), memory)
        assert history[-1].content.reason == "Moved to mira."
    hits = ben.node.recall.search(ben.agent("ben"), RecallRequest(WORDS, ben.now())).hits
    assert {hit.memory.owner_name for hit in hits} == {"mira@ann"}
    for party in (ann, ben, lap):
        assert party.node.upkeep.check().ok


def test_two_devices_that_move_the_same_make_one(tmp_path: Path) -> None:
    """Both moved before either had heard of it: there is one new memory, and no conflict."""
    ann = Party(tmp_path / "ann", "ann")
    for agent in ("scout", "mira"):
        ann.agent(agent)
    lap = device_of(ann, tmp_path / "lap", "lap")
    meet(ann, lap)
    ann.remember("scout", "quay")
    settle(ann, lap)
    for party in (ann, lap):
        list(party.node.moves.run(OPERATOR, "scout", "mira"))
    settle(ann, lap)
    for party in (ann, lap):
        assert shown(party, "mira") == {"quay": "mira"}
        assert not shown(party, "scout")
        assert not party.node.conflicts.list(OPERATOR)


def test_the_order_of_arrival_is_of_no_matter(tmp_path: Path) -> None:
    """Record by record and shuffled, what was moved comes to the same on a peer."""
    ann = Party(tmp_path / "ann", "ann")
    for agent in ("scout", "mira"):
        ann.agent(agent)
    ann.node.organisation.add_team("apollo")
    bens = [Party(tmp_path / f"ben{number}", f"ben{number}") for number in range(2)]
    for ben in bens:
        meet(ann, ben, ["scout", "mira"], ["ben"])
        ann.node.organisation.join(f"ben@{ben.name}", "team:apollo")
    for agent in ("scout", "mira"):
        ann.node.organisation.join(agent, "team:apollo")
    for number in range(2):
        ann.remember("scout", f"quay {number}", "team:apollo")
    settle_by(ann, *bens)
    list(ann.node.moves.run(OPERATOR, "scout", "mira"))
    records = records_of(ann)
    for seed, ben in enumerate(bens):
        random.Random(seed).shuffle(records)
        for lines in records:
            send(ann, ben, lines)
        assert shown(ben, "ben") == {"quay 0": "mira@ann", "quay 1": "mira@ann"}


def records_of(party: Party) -> list[list[bytes]]:
    """Return the lines of each memory and link that a node has: a record goes whole."""
    kinds = "substr(object, 1, 4) IN ('mem_', 'lnk_')"
    rows = party.rows(f"SELECT DISTINCT object FROM registers WHERE {kinds}")
    with party.node.context.database.read() as snapshot:
        held = Reader(snapshot).of([str(row[0]) for row in rows])
    signed = [[party.local.signed(one) for one in registers] for registers in held.values()]
    return [[to_wire(one) for one in found if one is not None] for found in signed]
