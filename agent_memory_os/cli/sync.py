"""Exchange with peers: all of them, some, or by files that are carried."""

from __future__ import annotations

import hashlib
import sys
import time
from typing import Annotated

import typer

from agent_memory_os.cli import grid, moment, render
from agent_memory_os.cli.desk import Desk
from agent_memory_os.cli.peers import Name, clock_of, faults, offset_of
from agent_memory_os.cli.word import Yes
from agent_memory_os.errors import Unreachable
from agent_memory_os.service.context import CLOCK_LIMIT_MS
from agent_memory_os.service.peers import (
    Carried,
    PeerState,
    Synced,
    SyncStatus,
    Void,
    Withheld,
)
from agent_memory_os.service.peers.exchange.sync import BUSY, FAILED, REVOKED, WAITS
from agent_memory_os.wire import peers as wire

Names = Annotated[
    list[str] | None,
    typer.Argument(
        help="Peers, by name or fingerprint; those whose turn it is where none is named.",
        metavar="[PEER]...",
        show_default=False,
    ),
]
Jitter = Annotated[
    float | None,
    typer.Option(
        "--jitter",
        help="Wait up to so long first, each device as long each time; auto by itself up to 20.",
        metavar="SECONDS",
        min=0,
        show_default=False,
    ),
]
Everyone = Annotated[
    bool, typer.Option("--all", help="With every peer that has an address, at once.")
]
Out = Annotated[
    str,
    typer.Option(
        "--out",
        help="A file that is made, or a folder that is there.",
        metavar="FILE|DIR",
        show_default=False,
    ),
]
Source = Annotated[
    str,
    typer.Argument(
        help="A file of a peer, or a folder with such files.",
        metavar="FILE|DIR",
        show_default=False,
    ),
]
JITTER_SECONDS = 20.0
"""So that nodes whose timers tick at one moment do not all ask at that moment.

A device always waits as long. Where each time it were another, up to 20 seconds more than a minute
would pass between two of its exchanges, and a change would take so much longer to reach all.
"""

_DIGITS = 8

_MOST_NAMED = 3
HEADS = ("PEER", "TEAMS", "HOW", "LAST SEEN", "BEHIND BY", "CLOCK", "STATE")


def auto(
    desk: Desk, names: Names = None, *, jitter: Jitter = None, everyone: Everyone = False
) -> None:
    """Exchange with the peers whose turn it is, both ways: what a timer runs.

    Those are all that have an address. Of more than three those that nobody added, members of your
    teams, take turns: two at random.

    Example: agent-memory sync auto
    """
    is_watched = bool(sys.stdout and sys.stdout.isatty())
    most = jitter if jitter is not None else 0.0 if is_watched else JITTER_SECONDS
    _run(desk, names, jitter=most, everyone=everyone)


def pull(desk: Desk, names: Names = None, *, jitter: Jitter = None) -> None:
    """Take what peers have for this node, and send nothing.

    Example: agent-memory sync pull laptop
    """
    _run(desk, names, jitter=jitter or 0.0, pushes=False)


def push(desk: Desk, names: Names = None, *, jitter: Jitter = None) -> None:
    """Send peers what this node has for them, and take nothing.

    Example: agent-memory sync push laptop
    """
    _run(desk, names, jitter=jitter or 0.0, pulls=False)


def status(desk: Desk) -> None:
    """Show the mesh: who is there, how they are reached, when they were seen, what is still to go.

    Example: agent-memory sync status
    """
    found = desk.node.sync.status()
    if found.peers:
        desk.say(*grid.table(HEADS, [row(one, desk.now) for one in found.peers]))
        desk.say(*faults([one.peer for one in found.peers], desk.now))
    else:
        desk.say("No peer yet. Show yours: agent-memory peers card")
    desk.say(*about(found, desk.now))
    desk.give(wire.of_status(found))


def export(desk: Desk, name: Name, *, out: Out, yes: Yes = False) -> None:
    """Write a bundle for a peer, to be carried to it by hand.

    It has all that the peer has not confirmed yet, and only that peer can open it.

    Example: agent-memory sync export laptop --out laptop.bundle
    """
    done = desk.node.sync.export(name, out, replace=yes)
    desk.say(f"Wrote {_registers(done.registers)} for {done.peer} to {done.path}.")
    desk.give({"bundle": done._asdict()})


def take(desk: Desk, source: Source) -> None:
    """Take in a bundle that was carried here: a file, or all that a folder has for this device.

    Example: agent-memory sync import laptop.bundle
    """
    done = desk.node.sync.take(source)
    desk.say(*(_taken(one) for one in done))
    desk.give({"bundles": [one._asdict() for one in done]})


def _run(
    desk: Desk,
    names: Names,
    *,
    jitter: float,
    pulls: bool = True,
    pushes: bool = True,
    everyone: bool = False,
) -> None:
    sync = desk.node.sync
    if jitter:
        time.sleep(share_of(desk.node.peers.card().device) * jitter)
    done: list[Synced] = []
    for one in sync.run(names or (), pulls=pulls, pushes=pushes, everyone=everyone):
        done.append(one)
        desk.say(_line(one))
        if not desk.as_json:
            sys.stdout.flush()
    if not done:
        desk.say("There is no peer with an address.")
    desk.give({"peers": [one._asdict() for one in done]})
    failed = [one.peer for one in done if one.state == FAILED]
    if failed:
        raise Unreachable(f"It failed with {', '.join(failed)}.")


def share_of(device: str) -> float:
    """Return which share of the longest wait a device waits, in ``[0, 1)``."""
    return int(hashlib.sha256(device.encode()).hexdigest()[:_DIGITS], 16) / 16.0**_DIGITS


def _line(done: Synced) -> str:
    name = render.paint(done.peer, render.BOLD)
    if done.state == FAILED:
        return f"{name}: {render.paint('failed', render.RED)}: {render.one_line(done.fault)}"
    if done.state == BUSY:
        return f"{name}: another process is at it; passed over"
    if done.state == REVOKED:
        return f"{name}: revoked by its account; passed over"
    aside = f", {done.aside:,} put aside" if done.aside else ""
    waits = "; waits for it to come by" if done.state == WAITS else ""
    return f"{name}: took {done.taken:,}, sent {done.sent:,}{aside}{waits}"


def _taken(done: Carried) -> str:
    aside = f", and put {done.aside:,} aside" if done.aside else ""
    return f"Took {_registers(done.registers)} of {done.peer} from {done.path}{aside}."


def _registers(count: int) -> str:
    return render.counted(count, "register")


def row(state: PeerState, now: int) -> tuple[str, ...]:
    """Return the cells of a peer."""
    peer = state.peer
    seen = "never" if peer.seen_at is None else moment.age(peer.seen_at, now)
    behind = "-" if state.behind is None else f"{state.behind:,}"
    clock = "-" if peer.offset is None else clock_of(peer.offset)
    teams = "your own" if peer.is_own else ", ".join(state.teams) or "-"
    how = "asked" if peer.address.url else "folder" if peer.address.folder else "comes by"
    stands = "failed" if peer.fault else "ok" if peer.seen_at else "new"
    stands = REVOKED if peer.is_revoked else stands
    learned = ", learned" if peer.is_learned else ""
    return (peer.name, teams, how, seen, behind, clock, f"{stands}{learned}")


def about(found: SyncStatus, now: int) -> list[str]:
    """Return what is said below the table: what a person should look at."""
    lines = [_missing(one, now) for one in found.withheld]
    lines += [_void(one) for one in found.void]
    if found.aside:
        lines.append(f"In quarantine: {found.aside:,}. See: agent-memory quarantine list")
    if found.lost:
        lines.append(f"Edits that lost: {found.lost:,}. See: agent-memory conflicts --sync")
    if found.offset is not None and abs(found.offset) > CLOCK_LIMIT_MS:
        lines.append(
            f"The peers' clocks are {offset_of(found.offset)} this one's: set this one right. "
            "Until then nothing is shared."
        )
    return ["", *lines] if lines else []


def _void(one: Void) -> str:
    """Say that something was shared and does not count, and what to do."""
    counted = render.counted(len(one.memories), "memory")
    named = ", ".join(render.short(name) for name in one.memories[:_MOST_NAMED])
    which = f"{counted} ({named}{'…' if len(one.memories) > _MOST_NAMED else ''})"
    if one.is_out:
        return (
            f"{one.scope}: {one.agent} was taken out, and shared {which} there: what its admin had "
            "seen stays with the others, and the rest does not count."
        )
    return (
        f"{one.scope}: not counted there, for its admin had not seen it: {which} of {one.agent}. "
        f"To share one again: agent-memory share ID {one.scope}"
    )


def _missing(one: Withheld, now: int) -> str:
    """Say that an author put something else into a scope than has come."""
    counted = render.counted(one.says, "record")
    return (
        f"{one.scope}: {one.peer or one.account} says that it has {counted} there; here are"
        f" {one.held:,}, not the same, first seen {moment.age(one.since, now)}. If that lasts, "
        "whoever passes them on withholds some."
    )


COMMANDS = {
    "auto": auto,
    "pull": pull,
    "push": push,
    "status": status,
    "export": export,
    "import": take,
}
