"""The nodes that this one exchanges with: their cards, addresses and ceilings."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from typing import Annotated

import typer

from agent_memory_os.cli import grid, moment, render
from agent_memory_os.cli.desk import Desk
from agent_memory_os.cli.preview import preview
from agent_memory_os.cli.secret import RecoveryKey, with_key
from agent_memory_os.cli.word import DryRun, Yes
from agent_memory_os.errors import InvalidInput
from agent_memory_os.service.peers import NOWHERE, Address, PeerChange, PeerView
from agent_memory_os.service.peers.identity import REVOKED
from agent_memory_os.wire import peers as wire

CardText = Annotated[
    str,
    typer.Argument(
        help="The other device's card, as its `peers card` prints it; - reads it from the input.",
        metavar="CARD",
        show_default=False,
    ),
]
Name = Annotated[
    str,
    typer.Argument(
        help="A peer, by its name or its fingerprint.", metavar="PEER", show_default=False
    ),
]
Called = Annotated[
    str, typer.Option("--name", help="What to call it here.", metavar="NAME", show_default=False)
]
Renamed = Annotated[
    str | None, typer.Option("--name", help="What to call it from now on.", metavar="NAME")
]
Url = Annotated[
    str | None,
    typer.Option("--url", help="Where it is served, such as http://HOST:8765.", metavar="URL"),
]
Folder = Annotated[
    str | None,
    typer.Option(
        "--folder",
        help="A folder that both use: a stick, a synchronised folder, a mount.",
        metavar="FOLDER",
    ),
]
NoAddress = Annotated[
    bool, typer.Option("--no-address", help="It is reached nowhere: it comes by itself.")
]
Pin = Annotated[
    str | None,
    typer.Option(
        "--pin",
        help="The SHA-256 of the certificate that its URL shows; no other is taken then.",
        metavar="SHA256",
    ),
]
Ceiling = Annotated[
    str | None,
    typer.Option(
        "--ceiling",
        help="The most that it is sent: full (your own device), shared, granted, or teams and "
        "projects with commas.",
        metavar="CEILING",
    ),
]
Introduce = Annotated[
    list[str] | None,
    typer.Option(
        "--introduce",
        help="An agent of yours that it is told of; may be given again.",
        metavar="AGENT",
    ),
]
Own = Annotated[bool, typer.Option("--own", help="It is a device of your own account: certify it.")]
_MINUTE_MS = 60_000
HEADS = ("PEER", "DEVICE", "WHERE", "CEILING", "LAST SEEN", "STATE")
_STAYS = "What it was sent stays with it."
_COMPARE = "Compare both fingerprints with whoever gave you the card, before anything is exchanged."


def card(desk: Desk) -> None:
    """Show this device's fingerprint, and its card, which another node adds it by.

    A card is no secret. Whoever is given it compares the fingerprint with you.

    Example: agent-memory peers card
    """
    shown = desk.node.peers.card()
    desk.say(shown.card)
    desk.tell(f"This device is {shown.device}.")
    if not shown.is_certified:
        desk.tell(
            "Its account has not certified it yet. On the machine that has the account's root "
            "key: agent-memory peers add CARD --own --name NAME"
        )
    desk.give(wire.of_card(shown))


def add(  # noqa: PLR0913 - each is an option of the command
    desk: Desk,
    card: CardText,
    *,
    called: Called,
    url: Url = None,
    folder: Folder = None,
    pin: Pin = None,
    ceiling: Ceiling = None,
    introduce: Introduce = None,
    own: Own = False,
    recovery_key: RecoveryKey = None,
) -> None:
    """Add a peer by its card; the other side adds this device by its own.

    Example: agent-memory peers add CARD --name laptop --url http://laptop:8765
    """
    address = _address(desk, url, folder, pin)
    told, text = tuple(introduce or ()), text_of(card)
    add_by = desk.node.peers.add
    added = with_key(
        desk,
        recovery_key,
        lambda key: add_by(text, called, address, ceiling, told, own=own, recovery_key=key),
    )
    peer = added.peer
    done = "Added" if added.is_new else "There is already"
    whose = ", a device of your own account" if peer.is_own else ""
    desk.say(f"{done} peer {peer.name}{whose}.", *_fingerprints(peer, added.device))
    if added.is_certified:
        desk.say("This node certified it for your account.")
    if added.is_new:
        desk.tell(_COMPARE)
    desk.give(wire.of_added(added))


def show_all(desk: Desk) -> None:
    """List the peers: where each is, the most that it is sent, when it was last seen.

    Example: agent-memory peers list
    """
    found = desk.node.peers.list()
    if found:
        desk.say(*grid.table(HEADS, [_row(peer, desk.now) for peer in found]))
        desk.say(*faults(found, desk.now))
    else:
        desk.say("No peer yet. Show yours: agent-memory peers card")
    desk.give({"peers": [wire.of_peer(peer) for peer in found]})


def show(desk: Desk, name: Name) -> None:
    """Show a peer, whole.

    Example: agent-memory peers show laptop
    """
    peer = desk.node.peers.get(name)
    seen, tried = (
        "never" if at is None else f"{moment.shown(at)} UTC ({moment.age(at, desk.now)})"
        for at in (peer.seen_at, peer.tried_at)
    )
    fields = (
        ("peer", peer.name),
        ("device", peer.device),
        ("account", f"{peer.account}{' (your own)' if peer.is_own else ''}"),
        ("where", where(peer)),
        ("pin", peer.address.pin),
        ("ceiling", peer.ceiling),
        ("introduced", ", ".join(peer.introduced) or "nobody"),
        ("last seen", seen),
        ("last tried", tried),
        ("learned", "nobody added it; it is in a team of yours" if peer.is_learned else ""),
        ("clock", "" if peer.offset is None else f"{offset_of(peer.offset)} this node's"),
        ("fault", peer.fault),
        ("state", "revoked by its account" if peer.is_revoked else ""),
    )
    desk.say(
        *(
            f"{render.paint(f'{field:<11}', render.DIM)} {render.one_line(value)}"
            for field, value in fields
            if value
        )
    )
    desk.give({"peer": wire.of_peer(peer)})


def change(  # noqa: PLR0913 - each is an option of the command
    desk: Desk,
    name: Name,
    *,
    renamed: Renamed = None,
    url: Url = None,
    folder: Folder = None,
    no_address: NoAddress = False,
    pin: Pin = None,
    ceiling: Ceiling = None,
    introduce: Introduce = None,
) -> None:
    """Call, reach or limit a peer otherwise, or tell it of more of your agents.

    A new URL without --pin has none.

    Example: agent-memory peers change laptop --url http://10.0.0.7:8765
    """
    if no_address and (url or folder or pin):
        raise InvalidInput("Say where the peer is reached, or --no-address, and not both.")
    if pin and not url:
        url = desk.node.peers.get(name).address.url
    address = _address(desk, url, folder, pin)
    wanted = PeerChange(
        renamed,
        address if no_address or address != NOWHERE else None,
        ceiling,
        tuple(introduce or ()),
    )
    if wanted == PeerChange():
        raise InvalidInput("Nothing was said that is to be otherwise.")
    peer = desk.node.peers.change(name, wanted)
    desk.say(f"Peer {peer.name}: {where(peer)}, ceiling {peer.ceiling}.")
    if ceiling is not None:
        desk.tell(_STAYS)
    desk.give({"peer": wire.of_peer(peer)})


def remove(desk: Desk, name: Name, *, yes: Yes = False, dry_run: DryRun = False) -> None:
    """Exchange with a peer no more; what it was sent stays with it.

    Example: agent-memory peers remove laptop --dry-run
    """
    peer = desk.node.peers.get(name)
    desk.say(f"Peer {peer.name}, {peer.device}: {where(peer)}.")
    if not dry_run:
        desk.confirm(f"Exchange with {peer.name} no more? {_STAYS}", yes=yes)
        desk.node.peers.remove(peer.device)
        desk.say(f"Removed peer {peer.name}. {_STAYS}")
    desk.give({"peer": wire.of_peer(peer), "removed": not dry_run})


def text_of(card: str) -> str:
    """Return a card that was named as a word, or comes by the standard input."""
    if card != "-":
        return card
    return sys.stdin.read() if sys.stdin else ""


def offset_of(milliseconds: int) -> str:
    """Return how a clock is to another, as people say it."""
    if abs(milliseconds) < moment.SECOND:
        return "with"
    side = "ahead of" if milliseconds > 0 else "behind"
    return f"{abs(milliseconds) / moment.SECOND:,.0f} s {side}"


def clock_of(milliseconds: int) -> str:
    """Return how a clock is to this one's, as a cell of a table has it."""
    if abs(milliseconds) < moment.SECOND:
        return "in step"
    return offset_of(milliseconds).removesuffix(" of")


def _address(desk: Desk, url: str | None, folder: str | None, pin: str | None) -> Address:
    if folder is not None and desk.reach is None:
        folder = os.path.abspath(os.path.expanduser(folder)) if folder.strip() else folder
    for word, value in (("URL", url), ("folder", folder), ("pin", pin)):
        if value is not None and not value.strip():
            raise InvalidInput(f"The {word} that was named is empty; name one, or none at all.")
    return Address(url or "", folder or "", pin or "")


def _fingerprints(peer: PeerView, own: str) -> list[str]:
    return [f"  its fingerprint    {peer.device}", f"  this one's         {own}"]


def _row(peer: PeerView, now: int) -> tuple[str, ...]:
    seen = "never" if peer.seen_at is None else moment.age(peer.seen_at, now)
    learned = ", learned" if peer.is_learned else ""
    stands = "failed" if peer.fault else "ok" if peer.seen_at else "not seen yet"
    state = REVOKED if peer.is_revoked else f"{stands}{learned}"
    short = render.short(peer.device)
    return (peer.name, short, where(peer), peer.ceiling, seen, state)


def faults(found: Iterable[PeerView], now: int) -> list[str]:
    """Return a line for each peer that could not be reached: why, and when it is tried again."""
    lines = [f"{one.name}: {one.fault}{_next(one, now)}" for one in found if one.fault]
    return ["", *map(render.one_line, lines)] if lines else []


def _next(peer: PeerView, now: int) -> str:
    if peer.next_at is None or not peer.address.url:
        return ""
    minutes = max(0, peer.next_at - now) // _MINUTE_MS
    return f" Next try: in {minutes} min." if minutes else " Next try: now."


def where(peer: PeerView) -> str:
    """Return where a peer is reached."""
    return peer.address.url or peer.address.folder or "comes by itself"


COMMANDS = {
    "card": card,
    "add": add,
    "list": show_all,
    "show": show,
    "preview": preview,
    "change": change,
    "remove": remove,
}
