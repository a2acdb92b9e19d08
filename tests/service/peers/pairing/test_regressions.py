"""What failed elsewhere where nodes pair, each by its name: whoever comes by a code takes nothing.

What needs real processes is in ``tests/acceptance/peers/test_pairing.py``, and that pairing locks
nobody out in ``tests/api/peer/test_pairing.py``.
"""

from __future__ import annotations

import json
import os
import shutil
import zlib
from collections.abc import Iterator
from itertools import count, product
from pathlib import Path

import pytest

from agent_memory_os.errors import (
    AlreadyExists,
    BadCode,
    CopiedHome,
    InvalidInput,
    NotAllowed,
    Refused,
)
from agent_memory_os.federation.pairing import code as codes
from agent_memory_os.federation.pairing import message
from agent_memory_os.federation.pairing.code import Code
from agent_memory_os.federation.pairing.handshake import Half, check_shown, sealed
from agent_memory_os.federation.pairing.message import (
    CLOSE_PATH,
    OPEN_PATH,
    Closing,
    Opening,
)
from agent_memory_os.model.principal import Principal
from agent_memory_os.service.context import Context
from agent_memory_os.service.memory.add import NewMemory
from agent_memory_os.service.node import LocalNode
from agent_memory_os.service.peers import Address, PeerChange
from agent_memory_os.service.peers.pairing import Called, Guest, Host
from agent_memory_os.store.database import Database
from tests.laws.world import Clock
from tests.service.peers.nodes import further, opened

AT = Address(url="http://127.0.0.1:8765")


class Inviter:
    """A node with a team and an agent, and what answers by it."""

    def __init__(self, folder: Path) -> None:
        self.clock, self._folder, self._homes = Clock(), folder, count()
        self.node = opened(folder / "sam", self.clock)
        self.node.organisation.add_agent("planner")
        self.node.organisation.add_team("apollo")
        self.node.organisation.join("planner", "team:apollo")
        self.host = Host(self.node.context, Called("sam", "desktop"))
        self._opened = [self.node]

    def ask(self, path: str, line: bytes) -> bytes:
        """Ask one of the two questions."""
        return {OPEN_PATH: self.host.open, CLOSE_PATH: self.host.close}[path](line)

    def stranger(self, agent: str) -> LocalNode:
        """Make a node of another account, with an agent."""
        node = opened(self._folder / f"stranger-{next(self._homes)}", self.clock)
        node.organisation.add_agent(agent)
        self._opened.append(node)
        return node

    def device(self) -> LocalNode:
        """Make a further device of the account, which is not certified yet."""
        node = further(self._folder / f"device-{next(self._homes)}", self.node, self.clock)
        node.organisation.add_agent("lap")
        self._opened.append(node)
        return node

    def begun(self) -> Guest:
        """Have somebody begin with the code of a new invitation."""
        return Guest(self.node.invitations.team("apollo").code, AT, self.ask)

    def names(self) -> dict[str, str]:
        """Return the names of the peers, by their devices."""
        return {one.device: one.name for one in self.node.peers.list()}

    def close(self) -> None:
        """Close all nodes."""
        for node in self._opened:
            node.close()


@pytest.fixture
def sam(tmp_path: Path) -> Iterator[Inviter]:
    """Give a node that invites."""
    found = Inviter(tmp_path)
    yield found
    found.close()


def test_a_joiner_calls_itself_an_existing_agent(sam: Inviter) -> None:
    """An agent of the inviter's name is another one: it is shown as such and reads nothing more."""
    eve = sam.stranger("planner")
    planner = sam.node.organisation.agent("planner")
    sam.node.memories.add(Principal.of_agent(planner.id), NewMemory("private to the first"))
    sam.begun().join(eve.context, ["planner"], "planner")
    assert sam.node.organisation.agent("planner") == planner
    [view] = sam.node.organisation.teams()
    assert set(view.members) == {"planner", "planner@planner"}
    assert eve.organisation.agent("planner").id != planner.id
    assert [one.memory.owner for one in sam.node.peers.view_as("planner")] == [planner.id]
    assert list(sam.node.peers.view_as("planner@planner")) == []
    with pytest.raises(NotAllowed, match="of another account"):
        sam.node.organisation.agent("planner@planner")


def test_a_joiner_overwrites_no_peer_by_its_name(sam: Inviter) -> None:
    """Whoever calls itself as a peer is called gets another name; the peer stays who it was."""
    mira, eve = sam.stranger("mira"), sam.stranger("mira")
    sam.begun().join(mira.context, ["mira"], "mira")
    held = sam.node.peers.get("mira")
    sam.begun().join(eve.context, ["mira"], "mira")
    assert sam.node.peers.get("mira") == held
    assert set(sam.names().values()) == {"mira", "mira-2"}


def test_a_joiner_overwrites_no_peer_by_its_url(sam: Inviter) -> None:
    """A URL is a hint: two that are met at one are two, and a joiner says none of its own."""
    mira = sam.stranger("mira")
    guest = sam.begun()
    held = mira.peers.add(sam.stranger("zoe").peers.card().card, "sam", AT).peer
    joined = guest.join(mira.context, ["mira"], "mira")
    assert mira.peers.get("sam") == held
    assert (joined.peer.name, joined.peer.address) == ("sam-2", AT)
    sam.node.peers.change("mira", PeerChange(address=AT))
    eve = sam.stranger("eve")
    sam.begun().join(eve.context, ["eve"], "eve")
    assert [one.address.url for one in sam.node.peers.list()] == ["", AT.url]


def test_the_inviter_is_called_as_the_joiner_says(sam: Inviter) -> None:
    """A name of one's own is taken, and refused before anything happens where it is another's."""
    mira = sam.stranger("mira")
    mira.peers.add(sam.stranger("zoe").peers.card().card, "zoe")
    guest = sam.begun()
    for name, kind in (("zoe", AlreadyExists), ("a b", InvalidInput)):
        with pytest.raises(kind):
            guest.join(mira.context, ["mira"], "mira", name)
    assert sam.names() == {}
    assert guest.join(mira.context, ["mira"], "mira", "boss").peer.name == "boss"
    again = sam.begun().join(mira.context, ["mira"], "mira", "chief")
    assert (again.peer.name, len(mira.peers.list())) == ("chief", 2)


def test_a_device_that_nobody_certified_joins_nobody(sam: Inviter, tmp_path: Path) -> None:
    """It would be refused by everybody afterwards: it is told so before it comes in."""
    other = opened(tmp_path / "ann", sam.clock)
    lap = further(tmp_path / "ann-lap", other, sam.clock)
    lap.organisation.add_agent("ann")
    with pytest.raises(Refused, match="not certified by its own account"):
        sam.begun().join(lap.context, ["ann"], "ann")
    assert sam.names() == {}
    lap.close()
    other.close()


def test_the_devices_of_an_account_are_told(sam: Inviter) -> None:
    """The node's own stands first, whichever it is; one that nobody certified says so of itself."""
    lap = sam.device()
    own, new = (node.peers.card().device for node in (sam.node, lap))
    assert [one[:3] for one in lap.peers.devices()] == [(new, True, "uncertified")]
    code = sam.node.invitations.device().code
    Guest(code, AT, sam.ask).join(lap.context, ["lap"], "lap")
    assert sam.node.peers.devices() == (
        (own, True, "certified", ""),
        (new, False, "certified", "lap"),
    )


def test_a_copied_home_joins_nobody(sam: Inviter, tmp_path: Path) -> None:
    """Two nodes that peers could not tell apart are told so before either comes in."""
    mira = sam.stranger("mira")
    mira.close()
    shutil.copytree(mira.context.home, tmp_path / "copy")
    copied = LocalNode(
        Context(
            Database(str(tmp_path / "copy" / "node.db"), sam.clock, lambda: 0.5),
            os.urandom,
            str(tmp_path / "copy"),
        ),
        "",
        (),
    )
    with pytest.raises(CopiedHome):
        sam.begun().join(copied.context, ["mira"], "mira")
    assert sam.names() == {}
    copied.close()


ODD: tuple[object, ...] = (
    *(None, 0, "", "x", [], [""], ["x"], {}, "\ud800", ["\ud800"], ["{}\n"] * 3),
    *(["[" * 900], ["agt_" + "a" * 32], ["team_" + "a" * 32], [7], "amc_" + "A" * 900),
)
"""What is no value of a field, or is none that anybody could mean."""


RAW = (
    *(zlib.compress(text) for text in (b"", b"[]", b"{}", b"\xff", b"{" * 900, b"x" * 100_000)),
    *(b"x", zlib.compress(b"{}")[:-1]),
)
"""What is sealed and is nothing that could be read."""

FINE = [("agents", []), *(("called", value) for value in ODD if isinstance(value, str))]
"""What may be said all the same: that nobody joins yet, and a name that is none."""


def test_whatever_a_joiner_says_is_refused_in_our_words(sam: Inviter) -> None:
    """Who has the words and says nonsense under them comes in as little as who has not."""
    mira = sam.stranger("mira")
    fields = {"card": mira.peers.card().card, "called": "mira", "offer": "", "lines": []}
    sound = {**fields, "agents": [mira.organisation.agent("mira").id]}
    odd = [pair for pair in product(sound, ODD) if pair not in FINE]
    for said in (*RAW, *odd):
        code = codes.read(sam.node.invitations.team("apollo").code)
        half = Half(code, AT.url, is_joiner=True)
        opening = message.to_opening(Opening(code.number, AT.url, half.message))
        answer = message.read_opened(sam.ask(OPEN_PATH, opening))
        keys = half.keys(answer.message)
        offer = message.digest_of(message.open_offer(keys.inviter_seals, answer.offer))
        packed = (
            said
            if isinstance(said, bytes)
            else zlib.compress(json.dumps({**sound, "offer": offer, said[0]: said[1]}).encode())
        )
        closing = Closing(answer.session, keys.joiner_shows, sealed(keys.joiner_seals, packed))
        with pytest.raises((BadCode, InvalidInput)):
            sam.ask(CLOSE_PATH, message.to_closing(closing))
        sam.node.invitations.withdraw(code.number)
    assert sam.names() == {}
    assert sam.node.organisation.teams()[0].members == ("planner",)


def guess(inviter: Inviter, code: Code) -> None:
    """Try a code as somebody does who wants in; raise where it is not the one."""
    half = Half(code, AT.url, is_joiner=True)
    opening = message.to_opening(Opening(code.number, AT.url, half.message))
    answer = message.read_opened(inviter.ask(OPEN_PATH, opening))
    keys = half.keys(answer.message)
    with pytest.raises(BadCode):
        check_shown(answer.shown, keys.inviter_shows)
    closing = Closing(answer.session, keys.joiner_shows, message.seal_done(keys.joiner_seals))
    inviter.ask(CLOSE_PATH, message.to_closing(closing))


@pytest.mark.parametrize("guesses", [60, pytest.param(10_000, marks=pytest.mark.soak)])
def test_guessing_admits_nobody(sam: Inviter, guesses: int) -> None:
    """However many codes are guessed at fresh invitations, each is burnt after three of them."""
    words = codes.words()
    at, made = 0, 0
    while at < guesses:
        invited = sam.node.invitations.team("apollo")
        secret, made = codes.read(invited.code), made + 1
        said = secret.words
        for left in (2, 1, 0):
            # One word after the other is right, and one is not.
            wrong = words[(words.index(secret.words[at % 3]) + 1 + at % 2000) % len(words)]
            said = tuple(wrong if i == at % 3 else word for i, word in enumerate(secret.words))
            with pytest.raises(BadCode):
                guess(sam, secret._replace(words=said))
            assert sam.node.invitations.get(invited.number).tries_left == left
            at += 1
        for code in (secret._replace(words=said), secret):
            with pytest.raises(BadCode, match="No invitation"):
                guess(sam, code)
        assert sam.node.invitations.get(invited.number).state == "burnt"
    assert made * 3 >= guesses
    assert sam.names() == {}
