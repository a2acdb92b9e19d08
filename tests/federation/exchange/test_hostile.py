"""A peer that signs what it likes with its own keys, and sends it: none of it takes effect."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from agent_memory_os.errors import AgentMemoryError, NotAddressed
from agent_memory_os.federation.bundle.write import Part, written
from agent_memory_os.federation.exchange.respond import Answering
from agent_memory_os.federation.signing import Signed, to_wire
from agent_memory_os.model.identifier import memory_id
from agent_memory_os.model.memory import Content, to_value
from agent_memory_os.model.register import (
    CONTENT,
    GRANT,
    LIFE,
    TEAM_MEMBER,
    Chain,
    Register,
    of_time,
)
from agent_memory_os.store.exchange import chart
from tests.federation.exchange.conftest import Two
from tests.federation.exchange.party import (
    Party,
    device_of,
    forged,
    held_of,
    meet,
    send,
    settle,
)

FAR = of_time(4_070_908_800_000)
"""The year 2099."""


@pytest.fixture
def shared(two: Two) -> str:
    """A memory of scout's that the team has on both nodes."""
    made = two.ann.remember("scout", "what scout wrote", "team:apollo")
    settle(*two)
    return made


def content_of(party: Party, memory: str) -> Register:
    """Return a content register of a memory as a node holds it."""
    return next(one for one in held_of(party, memory) if one.group == CONTENT)


def test_a_tombstone_of_somebody_else_deletes_nothing(two: Two, shared: str) -> None:
    """One dated 2099, signed by a member or by nobody, leaves the memory where it is."""
    ann, ben = two
    held = content_of(ben, shared)
    value = {"length": 2, "by": "operator"}
    stone = held._replace(group=LIFE, value=value, relies={}, stamp=FAR)
    mine = forged(ben, stone, author=ann.account)
    unsigned = to_wire(Signed(stone._replace(device=ann.local.device.id), bytes(64), ""))
    send(ben, ann, [mine, unsigned, forged(ben, stone)])
    assert ann.read("scout") == {shared: "what scout wrote"}
    assert len(ann.aside()) == 3


def test_nobody_rewrites_the_words_of_others(two: Two, shared: str) -> None:
    """An edit of another's memory counts nowhere: the id commits to its owner."""
    ann, ben = two
    held = content_of(ben, shared)
    value = {**held.value, "content": "rewritten"}
    send(
        ben,
        ann,
        [
            forged(ben, held, value=value),
            forged(ben, held, value=value, author=ann.account),
            forged(ben, held, value=value, proof=(ben.account, *held.proof[1:])),
        ],
    )
    settle(ann, ben)
    assert ann.read("scout") == {shared: "what scout wrote"}
    assert ben.read("mira") == {shared: "what scout wrote"}


def test_nobody_widens_what_others_wrote(two: Two, shared: str) -> None:
    """A grant on another's memory counts nowhere."""
    ann, ben = two
    spy = ben.agent("spy").agent or ""
    held = content_of(ben, shared)
    value = {"length": 1, "by": spy}
    send(ben, ann, [forged(ben, held, group=f"{GRANT}agent:{spy}", value=value, relies={})])
    settle(ann, ben)
    assert ben.read("spy") == {}
    assert ann.memory("scout", shared).audience == ("team:apollo",)


def test_what_is_for_everybody_stays_within_its_account(two: Two) -> None:
    """What a peer shares with everybody is for its own account, planted or not."""
    ann, ben = two
    ben.remember("mira", "for all of ben's", "global")
    mira = ben.agent("mira").agent or ""
    proof = (ben.account, mira, "5" * 32)
    made = memory_id(*proof)
    content = Content("planted", 1_800_000_000_000, 1_800_000_000_000)
    where = (ben.account, ben.local.device.id, of_time(ben.now()))
    first = Register(made, CONTENT, *where, 900, to_value(content), proof, {"global": ""})
    grant = Register(made, f"{GRANT}global", *where, 901, {"length": 1, "by": mira}, proof)
    send(ben, ann, [forged(ben, first), forged(ben, grant)])
    settle(ann, ben)
    assert ann.read("scout") == {}
    assert ann.search("scout", "planted") == []


def test_a_removed_member_adds_neither_itself_nor_a_stranger(two: Two) -> None:
    """Only the account in charge of a team says who is in it."""
    ann, ben = two
    ann.node.organisation.leave("mira@ben", "team:apollo")
    settle(ann, ben)
    with ben.node.context.database.read() as snapshot:
        (team,) = chart.read(snapshot).view.held.objects("team_")
        proof = chart.read(snapshot).view.held.proof(team)
    after = ann.remember("scout", "after", "team:apollo")
    for name in ("mira", "stranger"):
        agent = ben.agent(name).agent or ""
        add = Register(
            team,
            TEAM_MEMBER + agent,
            ben.account,
            ben.local.device.id,
            of_time(ben.now()),
            500,
            {"act": "add", "sees": []},
            proof,
            {},
            Chain(""),
        )
        send(ben, ann, [forged(ben, add), forged(ben, add, author=ann.account)])
    settle(ann, ben)
    assert [view.members for view in ann.node.organisation.teams()] == [("scout",)]
    assert after not in str(ben.rows("SELECT object FROM registers"))


def test_a_bundle_goes_to_nobody_else(two: Two, tmp_path: Path) -> None:
    """What was made for one device opens for no other, and its sender is not believed there."""
    ann, ben = two
    cyd = Party(tmp_path / "cyd", "cyd")
    meet(ben, cyd)
    lines = written(
        ben.local.device,
        [ann.local.device.public],
        [Part("", [])],
        bundle="7" * 32,
        now=ben.now(),
    )
    bundle = b"".join(lines)
    with pytest.raises(NotAddressed):
        Answering(cyd.local).push(ben.local.device.id, io.BytesIO(bundle))
    with pytest.raises(AgentMemoryError):
        Answering(ann.local).push(cyd.local.device.id, io.BytesIO(bundle))
    cyd.node.close()


def test_what_is_not_sealed_is_not_taken(two: Two, shared: str) -> None:
    """Lines in the open are no bundle, whoever sends them."""
    ann, ben = two
    held = content_of(ben, shared)
    with pytest.raises(AgentMemoryError):
        Answering(ann.local).push(ben.local.device.id, io.BytesIO(forged(ben, held)))


def test_one_bad_row_holds_nothing_up(two: Two) -> None:
    """A record that cannot be taken is put aside with the reason, and the rest goes on."""
    ann, ben = two
    good = [ann.remember("scout", f"good {number}", "team:apollo") for number in range(3)]
    bad = good[1]
    with ann.node.context.database.write() as transaction:
        transaction.execute("UPDATE memories SET content = '' WHERE id = ?", (bad,))
    settle(ann, ben)
    assert set(ben.read("mira")) == set(good) - {bad}
    assert ben.aside() != []
    later = ann.remember("scout", "and on", "team:apollo")
    settle(ann, ben)
    assert later in ben.read("mira")


def test_what_no_node_knows_and_lies_ahead_holds_nothing_up(two: Two, shared: str) -> None:
    """A register of an unknown kind that is dated ahead is kept as it is, and the rest goes on."""
    ann, ben = two
    held = content_of(ben, shared)
    thing = "xyz_" + "b" * 32
    what = {"object": thing, "group": "thing.name", "proof": ("a",), "relies": {}, "stamp": FAR}
    send(ben, ann, [forged(ben, held, **what)])
    later = ben.remember("mira", "and on", "team:apollo")
    settle(ann, ben)
    assert later in ann.read("scout")
    assert ann.rows("SELECT object FROM stale") == []
    assert ann.rows("SELECT object FROM parked") == [(thing,)]


def test_equal_stamps_end_the_same_everywhere(tmp_path: Path) -> None:
    """Two devices that write at the very same moment agree on which of the two is shown."""
    one = Party(tmp_path / "one", "one")
    other = device_of(one, tmp_path / "other", "other")
    third = device_of(one, tmp_path / "third", "third")
    for first, second in ((one, other), (other, third), (one, third)):
        meet(first, second)
    text = one.remember("scout", "first")
    settle(one, other, third)
    third.time = 1_900_000_000_000
    for party, words in ((one, "from one"), (other, "from other")):
        party.time = 1_900_000_000_000
        party.node.memories.edit(party.agent("scout"), text, {"content": words})
    settle(one, other, third)
    found = {party.read("scout")[text] for party in (one, other, third)}
    assert len(found) == 1
