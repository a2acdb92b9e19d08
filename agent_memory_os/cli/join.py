"""``agent-memory join``: come by a code to a team of somebody else, or to your own account."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from typing import Annotated, NamedTuple

import typer

from agent_memory_os import settings, wiring
from agent_memory_os.cli import render
from agent_memory_os.cli.desk import Desk
from agent_memory_os.cli.word import Yes
from agent_memory_os.errors import ConfirmationNeeded
from agent_memory_os.model.organisation import Team, check_name
from agent_memory_os.model.principal import Principal
from agent_memory_os.server import sockets
from agent_memory_os.service.node import LocalNode
from agent_memory_os.service.peers import Address
from agent_memory_os.service.peers.exchange.sync import BUSY, FAILED
from agent_memory_os.service.peers.pairing import Guest, Joined, asker
from agent_memory_os.wire import peers as wire

CodeText = Annotated[
    str,
    typer.Argument(
        help="The code, such as 417-otter-violin-cedar; four letters of each word are enough.",
        metavar="CODE",
        show_default=False,
    ),
]
Url = Annotated[
    str,
    typer.Option(
        "--url",
        help="Where the node that invites is served, such as http://HOST:8765.",
        metavar="URL",
        show_default=False,
    ),
]
AgentText = Annotated[
    str | None,
    typer.Option(
        "--agent",
        help="The agent of yours that joins; else the one that acts here.",
        metavar="NAME",
        show_default=False,
    ),
]
Called = Annotated[
    str | None,
    typer.Option(
        "--name",
        help="What to call the other node here; else what it calls itself.",
        metavar="NAME",
        show_default=False,
    ),
]
OwnName = Annotated[
    str | None,
    typer.Option(
        "--called",
        help="What this node calls itself there; else your user name, or your machine's.",
        metavar="NAME",
        show_default=False,
    ),
]
Pin = Annotated[
    str | None,
    typer.Option(
        "--pin",
        help="The SHA-256 of the certificate that the URL shows; no other is taken then.",
        metavar="SHA256",
        show_default=False,
    ),
]
_LOOKED = "To look has used one of the code's tries."
_ROUNDS = 3
"""How often the two exchange at first: an answer may bring what the next question is about."""
_PAUSE_SECONDS = 1.0


class Came(NamedTuple):
    """What the first exchange brought: registers, memories that the agent reads, what failed."""

    taken: int = 0
    sent: int = 0
    memories: int = 0
    fault: str = ""


def join(
    desk: Desk,
    code: CodeText,
    *,
    url: Url,
    joining: AgentText = None,
    name: Called = None,
    called: OwnName = None,
    pin: Pin = None,
    yes: Yes = False,
) -> None:
    """Join a team, or make this machine a further device of your account, by a code.

    Whoever invites you tells you the code. It makes the home and the agent where they are not there
    yet, and shows what will be shared before it changes anything.

    Example: agent-memory join 417-otter-violin-cedar --url http://desktop:8765
    """
    for kind, given in (("agent", joining), ("peer", name), ("peer", called)):
        if given is not None:
            check_name(kind, given)
    # What is wrong with the home is told before a try of the code is used.
    wiring.open_upkeep(desk.settings)
    is_new = not os.path.exists(os.path.join(desk.home, settings.DATABASE))
    local = None if is_new else desk.local
    address = Address(url=url, pin=pin or "")
    guest = Guest(code, address, asker(address))
    if local is not None:
        guest.check(local.context, name or "")
    agent = joining or _agent_of(desk, local, guest)
    desk.say(*_offered(guest, agent, url))
    _agree(desk, yes=yes)
    if local is None and guest.is_for_device:
        wiring.join_account(desk.settings, guest.offer.card).close()
    node = desk.local
    made, _ = node.organisation.ensure_agent(agent)
    if not node.default_agent:
        wiring.set_default_agent(node, made.name)
    usual = settings.Names(wiring.user_name(), sockets.own_name().partition(".")[0])
    names = settings.own_names(desk.home, os.environ, usual)
    own = names.machine if guest.is_for_device else names.person
    joined = guest.join(node.context, [made.name], called or own, name or "")
    desk.say("", *_done(joined, made.name, is_new=is_new, home=desk.home))
    came = _exchanged(node, joined, Principal.of_agent(made.id))
    _tell(desk, joined, came)
    desk.give(
        {
            "home": desk.home,
            "made": is_new,
            "kind": joined.offer.kind,
            "team": joined.offer.name if joined.offer.team else None,
            "agent": made.name,
            "peer": wire.of_peer(joined.peer),
            "own_device": joined.device,
            **came._asdict(),
        }
    )


def _agent_of(desk: Desk, local: LocalNode | None, guest: Guest) -> str:
    default = local.default_agent if local is not None else ""
    if not default and guest.is_for_device:
        # The agents of the account act on all of its machines.
        default = guest.offer.name
    return desk.settings.agent or default or wiring.user_name()


def _offered(guest: Guest, agent: str, url: str) -> list[str]:
    """Return who invites, to what, and what will be shared by which rule."""
    inviter, team = render.one_line(guest.offer.called), render.one_line(guest.offer.name)
    who = [
        f"  its fingerprint    {guest.card.device}",
        f"  its account        {guest.card.account}",
        f"  where              {url}",
        "",
    ]
    if guest.is_for_device:
        return [
            f"{inviter} invites this machine to be a further device of its account.",
            *who,
            "All that the account's agents have there will be here, and what they write here will",
            f"be there. The agent that acts here by default: {agent}.",
        ]
    return [
        f"{inviter} invites you into team {team}.",
        *who,
        f"Your agent {agent} joins: it reads what is shared with team {team}, and may share with",
        f"it. {inviter} is sent what you share with team {team}, and that your agent {agent} is",
        "there. Nothing else of this node is sent.",
    ]


def _done(joined: Joined, agent: str, *, is_new: bool, home: str) -> list[str]:
    lines = [f"Made a home at {home}"] if is_new else []
    own = f"  this one's         {joined.device}"
    if joined.offer.team:
        done = f"{agent} is in team {render.one_line(joined.offer.name)}"
        return [*lines, f"{done}, by {joined.peer.name}.", own]
    return [*lines, f"This machine is a device of the account of {joined.peer.name}.", own]


def _exchanged(node: LocalNode, joined: Joined, principal: Principal) -> Came:
    """Exchange with who invited, until nothing more comes; return what came."""
    before = node.upkeep.stats(principal).shown
    came = Came()
    for _ in range(_ROUNDS):
        (one,) = node.sync.run([joined.peer.device])
        came = came._replace(taken=came.taken + one.taken, sent=came.sent + one.sent)
        if one.state == FAILED:
            came = came._replace(fault=one.fault)
        if one.state == BUSY:
            # The server here, which has met the peer just now, is at it.
            time.sleep(_PAUSE_SECONDS)
        elif one.fault or not (one.taken or one.sent):
            break
    return came._replace(memories=node.upkeep.stats(principal).shown - before)


def _tell(desk: Desk, joined: Joined, came: Came) -> None:
    if came.fault:
        desk.tell(f"The first exchange failed: {came.fault} Later: agent-memory sync auto")
        return
    counted = render.counted(came.memories, "memory", "memories")
    desk.say(f"The first exchange brought {counted}; see: agent-memory list")
    if joined.offer.team:
        _tell_alike(desk, joined.offer.team)
    desk.tell("To exchange from now on: agent-memory serve, or agent-memory timer install sync")


def _tell_alike(desk: Desk, joined: str) -> None:
    """Tell of teams of one's own that are called as the joined one is, and what to do about it."""
    known = [view.team for view in desk.node.organisation.teams()]
    there = next((team for team in known if team.id == joined), None)
    if there is None:
        return
    plain = there.name.partition("@")[0]
    for own in known:
        if own.id == joined or own.name.partition("@")[0] != plain:
            continue
        desk.tell(
            f"There is another team {plain} here, and the two stay two: the one that you joined is "
            f"called {there.name}, and the other {own.name}."
        )
        operator = Principal.operator()
        plan = desk.node.moves.preview_team(operator, own.id, joined, keep=True)
        if plan.memories:
            counted = render.counted(plan.memories, "memory", "memories")
            both = f"{_written(own, known)} {_written(there, known)}"
            desk.tell(
                f"{counted} of yours shared with {own.name}: to share with {there.name} instead, "
                f"agent-memory team move-memories {both} --as-operator; as well, add --keep"
            )


def _written(team: Team, known: Iterable[Team]) -> str:
    """Return how a team is named where another may be called the same."""
    return team.id if [one.name for one in known].count(team.name) > 1 else team.name


def _agree(desk: Desk, *, yes: bool) -> None:
    try:
        desk.confirm("Join?", yes=yes)
    except ConfirmationNeeded as error:
        # Who guesses would else have as many tries as it likes: it need only never go on.
        raise ConfirmationNeeded(f"{error} {_LOOKED}") from error


COMMANDS = {"join": join}
