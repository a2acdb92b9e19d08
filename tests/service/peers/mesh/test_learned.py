"""Devices of people in the same teams become peers by themselves, and nobody gains by it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

from agent_memory_os.errors import NotAllowed, Refused, UnknownName
from agent_memory_os.federation import address, statement
from agent_memory_os.federation.address import DAY_MS, KEPT_MS
from agent_memory_os.federation.exchange import told as told_of
from agent_memory_os.federation.exchange.absorb import SAID_AT_ONCE
from agent_memory_os.federation.exchange.told import Move
from agent_memory_os.model.register import of_time
from agent_memory_os.model.routing.cursor import Cursor
from agent_memory_os.service.peers import Address, PeerChange, PeerView
from agent_memory_os.service.peers.mesh.learned import acquaint_with, say
from agent_memory_os.store.database import Transaction
from agent_memory_os.store.peer import addresses
from agent_memory_os.store.peer.addresses import MAX_DEVICES, Said
from tests.federation.exchange.party import Party, meet, send

TEAM = "team:apollo"
INWARD = (
    "http://127.0.0.1:8765",
    "http://localhost:8765",
    "http://169.254.169.254",
    "http://[::ffff:127.0.0.1]:1",
    "http://cat.example:8765/admin",
    "file:///etc/passwd",
)


class Team(NamedTuple):
    """Ann's hub with the team apollo, in which Ben's and Cat's agents are, who know Ann alone."""

    ann: Party
    ben: Party
    cat: Party

    def turn(self) -> None:
        """Let both members exchange with the hub, and all get acquainted."""
        for _ in range(2):
            self.ben.sync(self.ann)
            self.cat.sync(self.ann)
        for one in self:
            acquaint(one)


def acquaint(party: Party) -> None:
    """Let a node get acquainted, as it does at each beat."""
    acquaint_with(party.node.context, party.local)


def told(party: Party, url: str, called: str = "") -> None:
    """Have a node say where it is reached."""
    say(party.node.context, party.local, url, called or party.name)


def peer(party: Party, other: Party) -> PeerView | None:
    """Return another node as a peer, if it is one."""
    found = [one for one in party.node.peers.list() if one.device == other.local.device.id]
    return found[0] if found else None


def joined(hub: Party, party: Party, agent: str, team: str = TEAM) -> None:
    """Make a node a peer of the hub, and its agent a member of a team."""
    meet(hub, party, ["scout"], [agent])
    hub.node.organisation.join(f"{agent}@{party.name}", team)
    party.sync(hub)


@pytest.fixture
def team(tmp_path: Path) -> Iterator[Team]:
    """Give three nodes, each of an account of its own."""
    made = Team(*(Party(tmp_path / name, name) for name in ("ann", "ben", "cat")))
    made.ann.node.organisation.add_team("apollo")
    made.ann.agent("scout")
    made.ann.node.organisation.join("scout", TEAM)
    joined(made.ann, made.ben, "mira")
    joined(made.ann, made.cat, "lynx")
    made.ben.sync(made.ann)
    yield made
    for one in made:
        one.node.close()


def test_members_exchange_without_the_hub(team: Team) -> None:
    """Who says where it is reached is a peer of the other members, for the team and no more."""
    team.turn()
    assert [len(one.node.peers.list()) for one in team] == [2, 1, 1], "nobody says where it is"
    told(team.cat, "http://cat.example:8765")
    team.turn()
    found = peer(team.ben, team.cat)
    assert found is not None
    assert (found.name, found.address.url) == ("cat", "http://cat.example:8765")
    assert (found.is_learned, found.is_own, found.ceiling) == (True, False, TEAM)
    back = peer(team.cat, team.ben)
    assert back is not None, "whoever is reached knows who may come"
    assert (back.name, back.is_learned, back.address.url) == ("mira", True, "")
    assert peer(team.ann, team.cat).is_learned is False  # type: ignore[union-attr]
    team.ben.remember("mira", "past the hub", TEAM)
    team.ben.remember("mira", "private")
    team.ben.sync(team.cat)
    assert [*team.cat.read("lynx").values()] == ["past the hub"]
    acquaint(team.ben)
    assert len(team.ben.node.peers.list()) == 2


def test_who_is_out_is_dropped_on_both_sides(team: Team) -> None:
    """With the last team that is shared the peer goes, and nothing is kept of where it was."""
    told(team.cat, "http://cat.example:8765")
    team.turn()
    team.ann.node.organisation.leave("lynx@cat", TEAM)
    team.turn()
    assert peer(team.ben, team.cat) is peer(team.cat, team.ben) is None
    for one in (team.ben, team.ann):
        assert one.rows("SELECT count(*) FROM addresses") == [(0,)]
    assert peer(team.cat, team.ann) is not None, "whom a person added stays, and tells why"


def test_what_a_person_does_holds(team: Team) -> None:
    """A learned peer that is changed or added stays so, and one that is removed stays away."""
    told(team.cat, "http://cat.example:8765")
    team.turn()
    card = team.cat.node.peers.card().card
    first = team.ben.node.peers.add(card, "cat", ceiling="granted")
    assert (first.is_new, first.peer.is_learned) == (True, False)
    team.ben.node.peers.change("cat", PeerChange(address=Address(url="http://10.0.0.9:1")))
    told(team.cat, "http://other.example:8765")
    team.turn()
    kept = peer(team.ben, team.cat)
    assert kept is not None
    assert (kept.address.url, kept.is_learned) == ("http://10.0.0.9:1", False)
    team.ben.node.peers.remove("cat")
    team.turn()
    assert peer(team.ben, team.cat) is None
    added = team.ben.node.peers.add(card, "kitty", ceiling="granted")
    assert (added.is_new, added.peer.is_learned, added.peer.name) == (True, False, "kitty")
    team.turn()
    assert [one.name for one in team.ben.node.peers.list()] == ["ann", "kitty"]


def test_it_follows_where_a_device_is(team: Team) -> None:
    """A newer word counts, once a day without one; an empty one, or a month, takes it back."""
    rows = "SELECT stamp FROM addresses"
    told(team.cat, "")
    assert team.cat.rows(rows) == []
    told(team.cat, "http://one.example:1")
    team.turn()
    told(team.cat, "http://two.example:2")
    first = team.cat.rows(rows)
    told(team.cat, "http://two.example:2")
    assert team.cat.rows(rows) == first
    team.cat.time += DAY_MS
    told(team.cat, "http://two.example:2")
    assert team.cat.rows(rows) > first
    team.ann.time = team.ben.time = team.cat.time
    team.turn()
    assert peer(team.ben, team.cat).address.url == "http://two.example:2"  # type: ignore[union-attr]
    told(team.cat, "")
    team.turn()
    assert peer(team.ben, team.cat) is None
    told(team.cat, "http://three.example:3")
    team.turn()
    assert peer(team.ben, team.cat) is not None
    team.ben.time += KEPT_MS + 1
    acquaint(team.ben)
    assert peer(team.ben, team.cat) is None


def test_it_can_be_switched_off(team: Team) -> None:
    """Without it nobody is learned, and who was learned goes; no account crowds others."""
    told(team.cat, "http://cat.example:8765")
    team.turn()
    assert peer(team.ben, team.cat) is not None
    with team.ben.node.context.database.write() as transaction:
        transaction.execute("UPDATE node SET acquaints = 0")
    acquaint(team.ben)
    assert [one.name for one in team.ben.node.peers.list()] == ["ann"]
    with team.ann.node.context.database.write() as transaction:
        for number in range(MAX_DEVICES + 3):
            said = Said(f"dev_{number}", team.cat.account, of_time(1), "http://x", "x", b"")
            addresses.keep(transaction, said)
    assert team.ann.rows("SELECT count(*) FROM addresses") == [(MAX_DEVICES,)]


def test_a_name_that_is_taken_stays_whose_it_is(team: Team) -> None:
    """Whoever calls itself like a peer that is there gets another name, and renames no account."""
    told(team.cat, "http://cat.example:8765", "ann")
    before = [view.agent.name for view in team.ben.node.organisation.agents()]
    team.turn()
    assert [one.name for one in team.ben.node.peers.list()] == ["ann", "ann-2"]
    assert peer(team.ben, team.ann).is_learned is False  # type: ignore[union-attr]
    assert [view.agent.name for view in team.ben.node.organisation.agents()] == before


def test_what_a_peer_calls_itself_means_nobody(team: Team) -> None:
    """Who calls itself as somebody else is put in charge of nothing, and hides no device."""
    ann, ben, cat = team
    ann.node.organisation.hand_over("apollo", "ben")
    team.turn()
    device = ben.local.device.id
    told(cat, "http://cat.example:8765", device[:9])
    team.turn()
    found = peer(ben, cat)
    assert found is not None
    assert (found.name, found.is_learned) == (device[:9], True)
    with pytest.raises(Refused, match="only device"):
        ben.node.peers.revoke_device(device[:9], dry_run=True)
    with pytest.raises(NotAllowed):
        ben.node.peers.revoke_device(found.device, dry_run=True)
    with pytest.raises(UnknownName):
        ben.node.organisation.hand_over("apollo", found.name)
    done = ben.node.organisation.hand_over("apollo", found.device)
    assert done.admin == cat.account


def test_who_is_in_no_common_team_learns_nothing(team: Team, tmp_path: Path) -> None:
    """A peer in another team is told of nobody in this one, whatever the hub knows."""
    dan = Party(tmp_path / "dan", "dan")
    team.ann.node.organisation.add_team("zeus")
    team.ann.node.organisation.join("scout", "team:zeus")
    joined(team.ann, dan, "rex", "team:zeus")
    told(team.cat, "http://cat.example:8765")
    told(dan, "http://dan.example:8765")
    told(team.ann, "http://ann.example:8765")
    for _ in range(2):
        dan.sync(team.ann)
        team.turn()
    known = dan.rows("SELECT device FROM addresses ORDER BY device")
    assert known == sorted([(dan.local.device.id,), (team.ann.local.device.id,)])
    assert [one.name for one in dan.node.peers.list()] == ["ann"]
    assert peer(team.ben, dan) is None
    assert team.ben.rows("SELECT url FROM addresses WHERE device = ?", dan.local.device.id) == []
    dan.node.close()


def forged(party: Party, victim: Party, url: str) -> bytes:
    """Return the line with which a node says where another one is."""
    made = address.said(party.local.device, victim.account, url, "x", party.now())
    return address.of_said(made._replace(device=victim.local.device.id))


def say_to(one: Party, other: Party, *lines: bytes) -> None:
    """Send where devices are reached, as a peer does that passes it on."""
    moved = told_of.of_move(Move("addresses", Cursor("", "", 0)))
    send(one, other, [*lines, moved])


def test_a_member_sends_nobody_where_it_likes(team: Team) -> None:
    """What leads inward, or what another device signed or says of another account, is put aside."""
    told(team.cat, "http://cat.example:8765")
    team.turn()
    cat, ben = team.cat, team.ben
    wrong = [
        forged(ben, cat, "http://evil.example:1"),
        address.of_said(address.said(ben.local.device, cat.account, "http://e.example", "x", 1)),
        *(
            address.of_said(address.said(cat.local.device, cat.account, url, "cat", cat.now()))
            for url in INWARD
        ),
    ]
    say_to(cat, team.ann, *wrong)
    assert len(team.ann.aside()) == len(wrong)
    ahead = address.said(
        cat.local.device, cat.account, "http://c.example", "cat", cat.time + DAY_MS
    )
    say_to(cat, team.ann, address.of_said(ahead))
    assert len(team.ann.aside()) == len(wrong), "what lies ahead is passed over"
    team.turn()
    said = team.ann.rows("SELECT url FROM addresses WHERE account = ?", cat.account)
    assert said == [("http://cat.example:8765",)]


def test_nobody_waits_while_a_flood_is_taken_in(
    team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However much a member says at once, few lines are looked at while others cannot write."""
    cat, ann = team.cat, team.ann
    database = ann.node.context.database
    sizes = [0]
    write, is_signed = database.write, statement.is_signed

    @contextmanager
    def counted(*, keeps_log: bool = False) -> Iterator[Transaction]:
        sizes.append(0)
        with write(keeps_log=keeps_log) as transaction:
            yield transaction
        sizes.append(0)

    def looked_at(data: bytes, signature: bytes, sign_key: str) -> bool:
        sizes[-1] += 1
        return is_signed(data, signature, sign_key)

    lines, last = list[bytes](), 0
    for number in range(3 * SAID_AT_ONCE):
        made = address.said(cat.local.device, cat.account, f"http://{number}.example", "x", 1, last)
        lines, last = [*lines, address.of_said(made)], made.stamp
    monkeypatch.setattr(database, "write", counted)
    monkeypatch.setattr(statement, "is_signed", looked_at)
    say_to(cat, ann, *lines)
    assert sum(sizes) >= 3 * SAID_AT_ONCE
    assert max(sizes) <= SAID_AT_ONCE
    found = ann.rows("SELECT url FROM addresses WHERE device = ?", cat.local.device.id)
    assert found == [(f"http://{3 * SAID_AT_ONCE - 1}.example",)]
    assert ann.aside() == []
