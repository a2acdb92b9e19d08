"""Two nodes that never met, and a code: who comes in, who does not, and what each then has."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from agent_memory_os.errors import AgentMemoryError, BadCode, InvalidInput, Refused
from agent_memory_os.federation.pairing import code as codes
from agent_memory_os.federation.pairing import message
from agent_memory_os.federation.pairing.message import CLOSE_PATH, OPEN_PATH, Joiner
from agent_memory_os.service.node import LocalNode
from agent_memory_os.service.peers import Address
from agent_memory_os.service.peers.identity import local_of
from agent_memory_os.service.peers.pairing import (
    Called,
    Guest,
    Host,
    Invitations,
    Joined,
    guest,
    people,
)
from tests.laws.world import Clock
from tests.service.peers.nodes import further, opened

URL = "http://127.0.0.1:8765"
AT = Address(url=URL)
SAM = Called("sam", "desktop")
NAMES = Joiner._fields
Ask = Callable[[str, bytes], bytes]


class Two(NamedTuple):
    """A node with a team and a stranger's, a clock, and what asks the first."""

    sam: LocalNode
    mira: LocalNode
    clock: Clock
    host: Host

    def ask(self, path: str, line: bytes) -> bytes:
        """Ask the inviter's end."""
        assert len(line) <= message.MOST_BYTES
        answer = {OPEN_PATH: self.host.open, CLOSE_PATH: self.host.close}[path](line)
        assert len(answer) <= message.MOST_BYTES
        return answer

    def invite(self) -> str:
        """Invite somebody into the team; return the code."""
        return Invitations(self.sam.context).team("apollo").code

    def join(self, code: str, ask: Ask | None = None) -> Joined:
        """Have the stranger join with her agent."""
        return Guest(code, AT, ask or self.ask).join(self.mira.context, ["mira"], "mira")

    def members(self, node: LocalNode) -> set[str]:
        """Return the members of the team, as a node has them."""
        return {name for view in node.organisation.teams() for name in view.members}


@pytest.fixture
def two(tmp_path: Path) -> Iterator[Two]:
    """Give two nodes of two accounts; the first has a team."""
    clock = Clock()
    sam, mira = opened(tmp_path / "sam", clock), opened(tmp_path / "mira", clock)
    sam.organisation.add_agent("planner")
    sam.organisation.add_team("apollo")
    sam.organisation.join("planner", "team:apollo")
    mira.organisation.add_agent("mira")
    yield Two(sam, mira, clock, Host(sam.context, SAM))
    sam.close()
    mira.close()


def test_by_a_code_both_are_peers_and_the_agent_is_in(two: Two) -> None:
    """Each has the other as a peer that is sent the team alone, and the agent is a member."""
    code = two.invite()
    joined = two.join(code)
    assert (joined.offer.kind, joined.offer.name) == ("team", "apollo")
    [mira] = two.sam.peers.list()
    [sam] = two.mira.peers.list()
    assert (mira.name, mira.device, mira.ceiling) == ("mira", joined.device, "team:apollo")
    assert (sam.name, sam.device, sam.address.url) == ("sam", two.sam.peers.card().device, URL)
    assert joined.peer == sam
    assert two.members(two.sam) == {"planner", "mira@mira"}
    [invited] = Invitations(two.sam.context).list()
    assert (invited.state, invited.peer, invited.device) == ("joined", "mira", mira.device)
    assert invited.code == ""


def test_a_code_is_good_once(two: Two, tmp_path: Path) -> None:
    """Who comes by a code that somebody came by is told that none is open."""
    code = two.invite()
    two.join(code)
    with pytest.raises(BadCode, match="No invitation"):
        two.join(code)
    other = opened(tmp_path / "other", two.clock)
    other.organisation.add_agent("eve")
    with pytest.raises(BadCode):
        Guest(code, AT, two.ask).join(other.context, ["eve"], "eve")
    other.close()
    assert len(two.sam.peers.list()) == 1


def test_who_began_before_somebody_came_in_does_not_come_in_after(two: Two) -> None:
    """Of two that have the words the first to end comes in."""
    code = two.invite()
    first, second = Guest(code, AT, two.ask), Guest(code, AT, two.ask)
    second.join(two.mira.context, ["mira"], "mira")
    with pytest.raises(BadCode):
        first.join(two.mira.context, ["mira"], "mira")


def wrong(code: str) -> str:
    """Return a code with the same number and other words."""
    said = codes.read(code)
    other = next(word for word in codes.words() if word not in said.words)
    return said._replace(words=(other, *said.words[1:])).text


def test_three_wrong_tries_burn_an_invitation(two: Two) -> None:
    """After three tries with other words the right ones are of no use, and nothing is made."""
    code = two.invite()
    for left in (2, 1, 0):
        with pytest.raises(BadCode, match="not the one"):
            two.join(wrong(code))
        assert Invitations(two.sam.context).list()[0].tries_left == left
    with pytest.raises(BadCode, match="No invitation"):
        two.join(code)
    assert Invitations(two.sam.context).list()[0].state == "burnt"
    assert two.sam.peers.list() == two.mira.peers.list() == ()


def test_a_restart_gives_no_more_tries(two: Two) -> None:
    """Tries are counted in the file, whoever answers."""
    code = two.invite()
    for _ in range(3):
        again = two._replace(host=Host(two.sam.context, SAM))
        with pytest.raises(BadCode):
            again.join(wrong(code))
    with pytest.raises(BadCode, match="No invitation"):
        two.join(code)


def test_a_code_ends(two: Two) -> None:
    """After its minutes, and once it is withdrawn, a code opens nothing, begun or not."""
    code = two.invite()
    begun = Guest(code, AT, two.ask)
    two.clock.now += 10 * 60_000
    with pytest.raises(BadCode):
        begun.join(two.mira.context, ["mira"], "mira")
    with pytest.raises(BadCode, match="No invitation"):
        two.join(code)
    code = two.invite()
    begun = Guest(code, AT, two.ask)
    number = codes.read(code).number
    assert Invitations(two.sam.context).withdraw(number).state == "ended"
    assert Invitations(two.sam.context).withdraw(number).state == "ended"
    with pytest.raises(BadCode):
        begun.join(two.mira.context, ["mira"], "mira")


def test_an_attempt_has_to_be_ended_soon(two: Two) -> None:
    """Who waits for more than five minutes between the questions begins again."""
    begun = Guest(two.invite(), AT, two.ask)
    two.clock.now += 300_000
    with pytest.raises(BadCode):
        begun.join(two.mira.context, ["mira"], "mira")


def test_a_further_device_comes_by_a_code(two: Two, tmp_path: Path) -> None:
    """A new home of the account that the card tells is certified, and each has the other."""
    code = Invitations(two.sam.context).device().code
    begun = Guest(code, AT, two.ask)
    lap = further(tmp_path / "lap", two.sam, two.clock)
    joined = begun.join(lap.context, [], "lap")
    [held] = two.sam.peers.list()
    assert (held.name, held.is_own, held.ceiling) == ("lap", True, "full")
    assert joined.peer.is_own
    assert joined.peer.ceiling == "full"
    card = lap.peers.card()
    assert card.device == held.device
    lap.close()


def test_a_device_of_another_account_is_none_of_this_one(two: Two) -> None:
    """An invitation for a device is refused by a node of another account, and the other way."""
    code = Invitations(two.sam.context).device().code
    with pytest.raises(Refused, match="further device"):
        two.join(code)
    code = two.invite()
    with pytest.raises(Refused, match="same account"):
        Guest(code, AT, two.ask).join(two.sam.context, ["planner"], "sam")


def test_only_who_is_in_charge_invites(two: Two, tmp_path: Path) -> None:
    """Who is not in charge of a team, or has no root key, invites nobody."""
    two.join(two.invite())
    lap = further(tmp_path / "lap", two.sam, two.clock)
    with pytest.raises(Refused, match="root key"):
        Invitations(lap.context).device()
    lap.close()
    with pytest.raises(AgentMemoryError, match="no team"):
        Invitations(two.mira.context).team("apollo")
    for minutes in (0, 61):
        with pytest.raises(InvalidInput, match="1 to 60"):
            Invitations(two.sam.context).team("apollo", minutes)


def test_somebody_between_gains_nothing(two: Two) -> None:
    """Whoever changes any message on its way, or answers in the inviter's place, ends it."""
    code = two.invite()

    def at(path: str, line: bytes) -> bytes:
        question = message.opening(line)
        return two.ask(path, message.to_opening(question._replace(url="http://eve:1")))

    with pytest.raises(BadCode):
        two.join(code, at)

    def changed(path: str, line: bytes) -> bytes:
        if path == OPEN_PATH:
            return two.ask(path, line)
        closing = message.closing(line)
        return two.ask(path, message.to_closing(closing._replace(shown=bytes(32))))

    with pytest.raises(BadCode):
        two.join(code, changed)
    assert two.sam.peers.list() == ()


@pytest.mark.parametrize("what", ["agent", "line", "word", "many"])
def test_an_agent_that_is_not_ones_own_does_not_come_in(two: Two, what: str) -> None:
    """A joiner that names the inviter's agent, or has lines of others, is refused, whole."""
    planner = two.sam.organisation.agent("planner").id
    identity = two.sam.peers.card()
    theirs = people.lines_of(local_of(two.sam.context), identity.account, [planner])
    forged: dict[str, dict[str, tuple[str, ...]]] = {
        "agent": {"agents": (planner,)},
        "line": {"lines": theirs},
        "word": {"lines": ("{}\n",)},
        "many": {"agents": (planner,) * 5},
    }

    def joiner_of(**fields: object) -> Joiner:
        return Joiner(**{**fields, **forged[what]})  # type: ignore[arg-type]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            guest, "Joiner", lambda *fields: joiner_of(**dict(zip(NAMES, fields, strict=True)))
        )
        with pytest.raises((BadCode, InvalidInput)):
            two.join(two.invite())
    assert two.sam.peers.list() == ()
    assert two.members(two.sam) == {"planner"}


def test_a_peer_that_is_met_again_stays_one(two: Two) -> None:
    """By a second team's code the peer is the same, and is sent that team, too."""
    two.join(two.invite())
    two.sam.organisation.add_team("hermes")
    code = Invitations(two.sam.context).team("hermes").code
    two.join(code)
    [mira] = two.sam.peers.list()
    assert mira.ceiling == "team:apollo,team:hermes"
    assert two.members(two.sam) == {"planner", "mira@mira"}


def test_a_name_that_is_taken_gets_a_number(two: Two, tmp_path: Path) -> None:
    """Two that call themselves alike, or by no name, are told apart."""
    two.join(two.invite())
    for home, called, name in (("b", "mira", "mira-2"), ("c", "no name!", "peer")):
        other = opened(tmp_path / home, two.clock)
        other.organisation.add_agent("mira")
        Guest(two.invite(), AT, two.ask).join(other.context, ["mira"], called)
        other.close()
        assert name in {one.name for one in two.sam.peers.list()}
