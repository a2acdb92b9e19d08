"""A plain memory is read out of the file as it is read with all of its registers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from agent_memory_os.service.memory.add import NewMemory
from agent_memory_os.store.exchange.chart import read
from agent_memory_os.store.exchange.held import Reader
from tests.federation.exchange.party import Party, meet

SOURCE = {"tool": "mail", "parts": [1, {"a": None}]}
NOTES = (
    NewMemory("green tea"),
    NewMemory('say "no",\n\\ é \u2028 \x7f', tags=("a", "b"), summary="short", source=SOURCE),
    NewMemory("tea", type="fact", author="Mira", session="s", position=3, pinned=True),
)
MANY = tuple(NewMemory(f"tea number {number}") for number in range(6))


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[tuple[Party, Party]]:
    """Two nodes that are peers, with an agent of each in a team of the first."""
    ann, ben = Party(tmp_path / "ann", "ann"), Party(tmp_path / "ben", "ben")
    for agent in ("scout", "sage"):
        ann.agent(agent)
    ben.agent("mira")
    meet(ann, ben, ["scout"], ["mira"])
    ann.node.organisation.add_team("apollo")
    for who in ("scout", "sage", "mira@ben"):
        ann.node.organisation.join(who, "team:apollo")
    ben.sync(ann)
    yield ann, ben
    ann.node.close()
    ben.node.close()


def add(party: Party, audience: str, notes: Iterable[NewMemory] = NOTES) -> list[str]:
    """Add memories of an agent; return their ids."""
    scout = party.agent("scout")
    return [party.node.memories.add(scout, note, audience).memory.id for note in notes]


def read_both(party: Party, memories: list[str]) -> list[str]:
    """Return which memories are read as plain ones, after comparing them with all that is held."""
    with party.node.context.database.read() as snapshot:
        reader, plains = Reader(snapshot), read(snapshot).view.plains
        found, whole = reader.plain(memories, plains), reader.of(memories)
        for name, plain in found.items():
            pieces = {one.digest.hex(): one for one in plain.pieces}
            assert pieces.keys() == {one.name for one in whole[name]}
            for one in whole[name]:
                piece, register = pieces[one.name], one.register
                assert piece.signable == one.signable
                expected = (register.device, one.lseq, one.signature, one.source)
                assert (piece.device, piece.lseq, piece.signature, piece.source) == expected
            judged = plains.of({one.name: one.register for one in whole[name]})
            assert judged is not None
            first = plain.form.first
            said = (judged.scope, judged.content.author, judged.grant is None)
            assert said == (first.scope, first.content.author, first.grant is None)
    return [name for name in memories if name in found]


def test_what_was_written_here_is_read(pair: tuple[Party, Party]) -> None:
    """Whatever it says, and whomever it is for, before it was signed and afterwards."""
    ann, ben = pair
    memories = [name for to in ("private", "team:apollo", "global") for name in add(ann, to)]
    memories.append(ann.remember("sage", "by another", "team:apollo"))
    assert read_both(ann, memories) == memories
    ben.sync(ann)
    assert read_both(ann, memories) == memories


def test_what_came_is_read(pair: tuple[Party, Party]) -> None:
    """So is what another account's device signed, with who brought it."""
    ann, ben = pair
    memories = add(ann, "team:apollo")
    ben.sync(ann)
    assert read_both(ben, memories) == memories


def test_what_is_more_than_plain_is_not_read_so(pair: tuple[Party, Party]) -> None:
    """One that was edited, shared, revoked, ended or shared twice is left to the rules."""
    ann, ben = pair
    scout = ann.agent("scout")
    edited, shared, revoked, ended, twice, last = add(ann, "team:apollo", MANY)
    ben.sync(ann)
    ann.node.memories.edit(scout, edited, {"content": "black tea"})
    ann.node.memories.share(scout, shared, "global")
    ann.node.memories.revoke(scout, revoked, "team:apollo")
    ann.node.memories.forget(scout, ended)
    private = ann.remember("scout", "to be shared", "private")
    ann.node.memories.share(scout, private, "team:apollo")
    ann.node.memories.share(scout, twice, "global,agent:sage")
    memories = [edited, shared, revoked, ended, twice, last, private]
    assert read_both(ann, memories) == [last]
    ben.sync(ann)
    assert last in read_both(ben, memories)


def test_who_was_removed_has_no_plain_memories(pair: tuple[Party, Party]) -> None:
    """What is judged otherwise by the organisation is not plain, for all that are alike."""
    ann, _ = pair
    memories = add(ann, "team:apollo")
    ann.node.organisation.leave("scout", "team:apollo")
    assert read_both(ann, memories) == []
