"""Codes by which others join: what became of each, and taking one back."""

from __future__ import annotations

import sys
import time
from typing import Annotated, NamedTuple

import typer

from agent_memory_os.cli import grid, moment, render
from agent_memory_os.cli.desk import Desk
from agent_memory_os.errors import BadCode, InvalidInput
from agent_memory_os.federation.pairing.message import DEVICE
from agent_memory_os.server import record, sockets
from agent_memory_os.service.context import USUAL_PORT
from agent_memory_os.service.peers import PeerView
from agent_memory_os.service.peers.pairing import MINUTES, Invited
from agent_memory_os.store.peer.invitations import BURNT, JOINED, OPEN
from agent_memory_os.wire import peers as wire

Minutes = Annotated[
    int, typer.Option("--minutes", help="For how long it is good, from 1 to 60.", metavar="MINUTES")
]
NoWait = Annotated[
    bool,
    typer.Option(
        "--no-wait", help="Do not wait until somebody has joined, as is done on a terminal."
    ),
]
Number = Annotated[
    str,
    typer.Argument(
        help="The number of an invitation, or its code, which begins with that.",
        metavar="NUMBER",
        show_default=False,
    ),
]
USUAL_MINUTES = MINUTES
HEADS = ("NUMBER", "FOR", "STATE", "MADE", "GOOD UNTIL", "TRIES LEFT", "WHO JOINED")
_LOOK_SECONDS = 0.5
_DIGITS = 3

NO_SERVER = (
    "Nobody joins while no server answers here. In another terminal, before the code ends: "
    "agent-memory serve --host 0.0.0.0"
)
LOOPBACK = (
    "The server here listens to this machine alone: from another one that URL leads nowhere. Stop "
    "it, and: agent-memory serve --host 0.0.0.0"
)

LAST_TRY = (
    "The code was tried three times, and nobody can try it again: unless whoever tried last is "
    "about to join, make another invitation."
)


class Where(NamedTuple):
    """Where somebody joins: a URL, and what the inviter should know of it."""

    url: str
    note: str = ""


def show_all(desk: Desk) -> None:
    """List the invitations of the last day, and who came by them.

    Example: agent-memory invitation list
    """
    found = desk.node.invitations.list()
    if found:
        desk.say(*grid.table(HEADS, [_row(one, desk.now) for one in found]))
    else:
        desk.say("No invitation. Make one: agent-memory team invite TEAM")
    desk.give({"invitations": [wire.of_invited(one) for one in found]})


def withdraw(desk: Desk, number: Number) -> None:
    """Let nobody join by an invitation any more.

    Example: agent-memory invitation withdraw 417
    """
    plain = number.strip().partition("-")[0]
    if not (plain.isascii() and plain.isdigit() and len(plain) <= _DIGITS):
        raise InvalidInput("The number of an invitation is what its code begins with, such as 417.")
    done = desk.node.invitations.withdraw(int(plain))
    told = f"Somebody has joined by invitation {plain} already: {done.peer or done.device}."
    desk.say(told if done.state == JOINED else f"Nobody can join by invitation {plain} now.")
    desk.give({"invitation": wire.of_invited(done)})


def give_out(desk: Desk, invited: Invited, *, no_wait: bool) -> Invited:
    """Say how to join by an invitation; on a terminal wait until somebody has, and return it."""
    where = _where(desk)
    command = f"agent-memory join {invited.code} --url {where.url}"
    ends = moment.shown(invited.ends_at)
    desk.say(
        f"The code is {render.paint(invited.code, render.BOLD)}",
        f"It is good once, for 3 tries, until {ends} UTC. On the other machine:",
        "",
        f"  {command}",
        "",
        *rule_of(invited.kind, invited.team),
    )
    if where.note:
        desk.tell(where.note)
    shape: dict[str, object] = {"url": where.url, "command": command}
    if not no_wait and not desk.as_json and sys.stdout.isatty():
        invited = _waited(desk, invited)
    desk.give({"invitation": wire.of_invited(invited), **shape})
    return invited


def rule_of(kind: str, team: str) -> list[str]:
    """Return what an inviter shares with whoever joins, and the rule."""
    if kind == DEVICE:
        return [
            "That machine becomes a device of your account: it has all that your agents have here,",
            "and this one has all that they write there.",
        ]
    return [
        f"Whoever joins reads what is shared with team {team}, and with those of its projects that",
        "you add them to, and shares with it, too. Nothing else of this node is sent to them. What",
        "has left this machine cannot be called back from somebody who made a copy.",
    ]


def _waited(desk: Desk, invited: Invited) -> Invited:
    desk.explain("", "Waiting until somebody has joined. Ctrl-C ends the waiting, not the code.")
    is_told = False
    while (now := desk.node.invitations.get(invited.number)).state in (OPEN, BURNT):
        if now.state == BURNT and not is_told:
            desk.tell(LAST_TRY)
            is_told = True
        time.sleep(_LOOK_SECONDS)
    if now.state != JOINED:
        raise BadCode("Nobody has joined, and the invitation has ended: make another one.")
    peer = desk.node.peers.get(now.device)
    desk.say("", *_joined(desk, now, peer))
    return now


def _joined(desk: Desk, invited: Invited, peer: PeerView) -> list[str]:
    """Return who has joined, and what to do if that is the wrong one."""
    lines = [
        f"{peer.name} has joined.",
        f"  its fingerprint    {peer.device}",
        f"  this one's         {desk.node.peers.card().device}",
        f"  it is sent         {peer.ceiling}",
    ]
    if invited.kind == DEVICE:
        return lines
    members = [
        member
        for view in desk.node.organisation.teams()
        if view.team.name == invited.team
        for member in view.members
        if member.endswith(f"@{peer.name}")
    ]
    lines.append(f"  in team {invited.team:<10} {', '.join(members)}")
    out = " ".join(members[:1]) or "AGENT"
    return [
        *lines,
        f"To take them out again: agent-memory team remove-member {invited.team} {out}",
    ]


def _where(desk: Desk) -> Where:
    """Return where somebody joins this node, as far as this machine can tell."""
    if desk.reach is not None:
        if desk.reach.url.startswith("unix:"):
            return Where("URL", "Say to them where that node is served: put it in place of URL.")
        return Where(desk.reach.url)
    served = record.read(desk.home)
    name = sockets.own_name()
    if served is None:
        return Where(sockets.url(name, USUAL_PORT), NO_SERVER)
    if sockets.is_loopback(served.host):
        return Where(served.url, LOOPBACK)
    host = name if served.host in (sockets.ANY_4, sockets.ANY_6) else served.host
    return Where(sockets.url(host, served.port))


def _row(one: Invited, now: int) -> tuple[str, ...]:
    what = "a device" if one.kind == DEVICE else f"team {one.team}"
    made, ends = moment.age(one.created_at, now), f"{moment.shown(one.ends_at)} UTC"
    tries = str(one.tries_left) if one.state == OPEN else "-"
    return (str(one.number), what, one.state, made, ends, tries, one.peer or one.device or "-")


COMMANDS = {"list": show_all, "withdraw": withdraw}
