"""Who is added as a peer, how it is found, and what is refused in one sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent_memory_os.errors import (
    AgentMemoryError,
    AlreadyExists,
    CopiedHome,
    DamagedDatabase,
    InvalidInput,
    NotAllowed,
    NotFound,
    Refused,
    UnknownName,
)
from agent_memory_os.federation import card as cards
from agent_memory_os.model.memory import Content
from agent_memory_os.model.principal import Principal
from agent_memory_os.model.recall import Filter
from agent_memory_os.service.peers import NOWHERE, Address, PeerChange
from agent_memory_os.service.peers.answer import peering_of
from agent_memory_os.service.upkeep import AuditFilter
from agent_memory_os.store.peer import peers as aside
from tests.federation.sample import ANN, BOB
from tests.federation.shown import ANNS, AWAY, BOBS, card_of
from tests.laws.lost import shelve
from tests.service.peers.nodes import Pair, further, opened
from tests.store.sample import OPERATOR, Fleet, bytes_of

URL = "http://ann.example:8765"


def test_a_card_shows_what_the_node_is(fleet: Fleet) -> None:
    """The keys in it are the node's own, and its account's root key has signed the certificate."""
    shown = fleet.node.peers.card()
    found = cards.read(shown.card)
    assert (shown.device, shown.account) == (found.device, found.account)
    assert shown.is_certified
    assert found.certificate is not None
    assert fleet.node.peers.card() == shown
    signed = fleet.ask("SELECT count(*) FROM registers WHERE signature IS NOT NULL")
    assert signed == [(1,)]


def test_a_peer_is_kept_as_it_was_added(fleet: Fleet) -> None:
    """It is found by its name or fingerprint, and adding the same again changes nothing."""
    peers = fleet.node.peers
    words = (ANNS, "ann", Address(url=f"{URL}/"), "team:apollo, project:apollo/site", ("bob",))
    added = peers.add(*words)
    assert (added.is_new, added.is_certified, added.device) == (True, False, peers.card().device)
    found = added.peer
    assert (found.device, found.account, found.is_own) == (ANN.id, AWAY.id, False)
    assert (found.address, found.introduced) == (Address(url=URL), ("bob",))
    assert found.ceiling == "team:apollo,project:apollo/site"
    assert (found.seen_at, found.offset, found.fault) == (None, None, "")
    assert found.added_at > 0
    assert peers.get("ann") == peers.get(ANN.id) == found
    again = peers.add(*words)
    assert (again.is_new, again.peer) == (False, found)
    assert peers.list() == (found,)
    audited = fleet.node.upkeep.audit(OPERATOR, AuditFilter(action="peer add")).entries
    assert [(one.object, one.detail) for one in audited] == [(ANN.id, "ann")]


def test_what_is_usual(fleet: Fleet) -> None:
    """Without more a peer of another account is sent what was granted, and comes by itself."""
    found = fleet.node.peers.add(ANNS, "ann").peer
    assert (found.ceiling, found.address, found.introduced) == ("granted", NOWHERE, ())


REFUSED: dict[str, tuple[type[AgentMemoryError], dict[str, object]]] = {
    "a card begins with": (InvalidInput, {"card": "x"}),
    "cannot be the name of a peer": (InvalidInput, {"name": "a b"}),
    "the word has a meaning here": (InvalidInput, {"name": "global"}),
    "is no URL of a node": (InvalidInput, {"address": Address(url="ann.example")}),
    "no name, password or key": (InvalidInput, {"address": Address(url="http://me@x")}),
    "not by both": (InvalidInput, {"address": Address(URL, "/tmp")}),
    "no whole path": (InvalidInput, {"address": Address(folder="x")}),
    "make it first": (InvalidInput, {"address": Address(folder="/nowhere/x")}),
    "begins with https": (InvalidInput, {"address": Address(URL, pin="0" * 64)}),
    "64 digits of hex": (InvalidInput, {"address": Address("https://x", pin="0")}),
    "for devices of your own account": (InvalidInput, {"ceiling": "full"}),
    "'all' is no ceiling": (InvalidInput, {"ceiling": "all"}),
    "no team called 'apolo'; did you mean apollo": (UnknownName, {"ceiling": "team:apolo"}),
    "no agent called 'ghost'": (UnknownName, {"introduce": ("ghost",)}),
    "of another account, and not of yours": (Refused, {"own": True}),
    "not certified by its account yet": (Refused, {"card": card_of(ANN, certified=False)}),
}


@pytest.mark.parametrize("words", REFUSED)
def test_what_may_not_be_added(fleet: Fleet, words: str) -> None:
    """One sentence says what is wrong, and nothing is kept."""
    kind, given = REFUSED[words]
    whole = {"card": ANNS, "name": "ann", **given}
    with pytest.raises(kind, match=words):
        fleet.node.peers.add(**whole)  # type: ignore[arg-type]
    assert fleet.node.peers.list() == ()


def test_one_that_is_there_is_not_added_otherwise(fleet: Fleet) -> None:
    """A name or a device that a peer has is refused, and this device itself is no peer."""
    peers = fleet.node.peers
    with pytest.raises(InvalidInput, match="this device itself"):
        peers.add(peers.card().card, "me")
    peers.add(ANNS, "ann")
    for more in ({"name": "anna"}, {"address": Address(url=URL)}, {"introduce": ("bob",)}):
        with pytest.raises(AlreadyExists, match="change that one") as told:
            peers.add(ANNS, **{"name": "ann", **more})  # type: ignore[arg-type]
        assert told.value.remedy == "change_peer"
    with pytest.raises(AlreadyExists, match="choose another name"):
        peers.add(BOBS, "ann")


def test_a_peer_is_changed(fleet: Fleet, tmp_path: Path) -> None:
    """What is named is otherwise, and the rest as it was."""
    peers = fleet.node.peers
    peers.add(ANNS, "ann", Address(url=URL), introduce=("bob",))
    peers.add(BOBS, "bob")
    found = peers.change("ann", PeerChange(name="anna", introduce=("ada", "bob")))
    assert (found.name, found.address, found.introduced) == (
        "anna",
        Address(url=URL),
        ("ada", "bob"),
    )
    found = peers.change(ANN.id, PeerChange(address=Address(folder=str(tmp_path))))
    assert found.address == Address(folder=str(tmp_path))
    assert peers.change("anna", PeerChange(address=NOWHERE)).address == NOWHERE
    assert peers.change("anna", PeerChange(ceiling="shared")).ceiling == "shared"
    assert peers.change("anna", PeerChange(ceiling="team:apollo")).ceiling == "team:apollo"
    for change, words in (
        (PeerChange(name="bob"), "choose another name"),
        (PeerChange(name=""), "cannot be the name"),
        (PeerChange(ceiling="full"), "your own account"),
        (PeerChange(introduce=("ghost",)), "no agent called"),
    ):
        with pytest.raises(AgentMemoryError, match=words):
            peers.change("anna", change)
    assert peers.get("anna").ceiling == "team:apollo"
    assert peers.get("anna").introduced == ("ada", "bob")


def test_a_peer_is_removed(fleet: Fleet) -> None:
    """It is found no more, and can be added anew under any name."""
    peers = fleet.node.peers
    peers.add(ANNS, "ann")
    with pytest.raises(NotFound, match="did you mean ann"):
        peers.remove("anm")
    assert peers.remove("ann").device == ANN.id
    with pytest.raises(NotFound, match="no peer called 'ann'"):
        peers.get("ann")
    assert peers.add(ANNS, "other").is_new


def test_only_the_root_key_certifies(own: Pair, tmp_path: Path) -> None:
    """A further device is certified where the root key is, once, and by nobody else."""
    third = further(tmp_path / "third", own.desk, own.clock)
    shown = third.peers.card()
    assert not shown.is_certified
    assert shown.account == own.desk.peers.card().account
    with pytest.raises(Refused, match="has not certified it yet") as told:
        own.lap.peers.add(shown.card, "third")
    assert told.value.remedy == "own_device"
    with pytest.raises(Refused, match="on the machine where the account was made"):
        own.lap.peers.add(shown.card, "third", own=True)
    with pytest.raises(InvalidInput, match="its ceiling is full"):
        own.desk.peers.add(shown.card, "third", ceiling="granted", own=True)
    assert own.desk.peers.add(shown.card, "third", own=True).is_certified
    assert own.desk.peers.get("third").ceiling == "full"
    again = own.desk.peers.add(shown.card, "third", own=True)
    assert (again.is_new, again.is_certified) == (False, False)
    assert own.desk.peers.add(shown.card, "third").is_new is False
    third.close()


def state_of_keys(own: Pair) -> str:
    """Return what the doctor of the further device says of its keys."""
    return next(one.state for one in own.lap.upkeep.doctor(OPERATOR) if one.name == "keys")


def test_a_further_device_has_no_private_key_of_its_account(own: Pair) -> None:
    """Its home has the public ones alone, and cannot become another account's."""
    names = sorted(path.name for path in Path(own.lap.context.home, "keys").iterdir())
    assert names == ["device-seal.key", "device-sign.key", "recovery.pub", "root.pub"]
    assert state_of_keys(own) == "warning"
    own.settle()
    assert state_of_keys(own) == "ok"
    assert own.lap.peers.card().is_certified


def test_a_home_without_its_own_keys_shows_no_card(fleet: Fleet, tmp_path: Path) -> None:
    """A key that is missing is named, and keys of another device are not taken for its own."""
    keys = fleet.home / "keys"
    other = opened(tmp_path / "other", fleet.node.context.database.clock)  # type: ignore[arg-type]
    other.close()
    kept = (keys / "device-sign.key").read_bytes()
    (keys / "device-sign.key").write_bytes(
        (tmp_path / "other" / "keys" / "device-sign.key").read_bytes()
    )
    with pytest.raises(Refused, match="those of another device"):
        fleet.node.peers.card()
    (keys / "device-sign.key").unlink()
    with pytest.raises(DamagedDatabase, match=r"device-sign\.key"):
        fleet.node.peers.card()
    (keys / "device-sign.key").write_bytes(kept)
    assert peering_of(fleet.node.context).device.id == fleet.node.peers.card().device
    fleet.say("UPDATE node SET home_mark = 'elsewhere'")
    with pytest.raises(CopiedHome, match="copied or moved"):
        peering_of(fleet.node.context)


def test_who_is_trusted_with_all_decides_what_is_shown(own: Pair, tmp_path: Path) -> None:
    """What another account shares with everybody is here as long as the ceilings say so."""
    other = opened(tmp_path / "other", own.clock)
    address = Address(folder=str(own.between))
    mira = other.organisation.add_agent("mira")
    own.desk.peers.add(other.peers.card().card, "other", address, "shared", ("scout",))
    other.peers.add(own.desk.peers.card().card, "desk", address, "shared", ("mira",))
    own.add(own.desk, "for all", "global")
    own.add(own.desk, "for nobody")

    def seen() -> list[str]:
        reader = Principal.of_agent(mira.id)
        return [one.text for one in other.memories.list(reader, Filter()).memories]

    def exchanged() -> list[str]:
        for _ in range(3):
            list(own.desk.sync.run(["other"]))
            list(other.sync.run())
        return seen()

    assert exchanged() == ["for all"]
    other.peers.change("desk", PeerChange(ceiling="granted"))
    assert seen() == []
    other.peers.change("desk", PeerChange(ceiling="shared"))
    assert exchanged() == ["for all"]
    other.peers.remove("desk")
    assert seen() == []
    other.close()


def test_nobody_but_the_operator_looks_into_the_quarantine(fleet: Fleet) -> None:
    """An agent is refused in words that are the same whatever lies there."""
    said = []
    for _ in range(2):
        with pytest.raises(NotAllowed) as told:
            fleet.node.quarantine.show(fleet.ada, 1)
        said.append(str(told.value))
        with fleet.database.write() as transaction:
            aside.put_aside(transaction, BOB.id, b"a secret\n", "it is no line")
    assert said[0] == said[1]
    assert fleet.node.quarantine.show(OPERATOR, 1) == "a secret"
    audited = fleet.node.upkeep.audit(OPERATOR, AuditFilter(action="quarantine show")).entries
    assert [one.detail for one in audited] == ["1"]


def test_what_an_edit_lost_goes_with_the_memory(fleet: Fleet) -> None:
    """Where a memory is erased, what is kept of edits that lost goes too, to the last byte."""
    memory = fleet.remember("it is green")
    lost = Content("it is turquoise", 1, 1, "note")
    shelve(fleet.database, memory.id, lost)
    assert b"turquoise" in bytes_of(fleet.path) + bytes_of(f"{fleet.path}-wal")
    fleet.node.memories.erase(fleet.ada, [memory.id])
    assert fleet.ask("SELECT count(*) FROM shelf") == [(0,)]
    assert b"turquoise" not in bytes_of(fleet.path) + bytes_of(f"{fleet.path}-wal")
