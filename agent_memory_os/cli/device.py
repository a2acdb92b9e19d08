"""The devices of your account: which there are, inviting a further one, and revoking one."""

from __future__ import annotations

from typing import Annotated

import typer

from agent_memory_os.cli import grid, moment, render
from agent_memory_os.cli.desk import Desk
from agent_memory_os.cli.invitation import USUAL_MINUTES, Minutes, NoWait, give_out
from agent_memory_os.cli.secret import RecoveryKey, with_key
from agent_memory_os.cli.word import DryRun, Yes
from agent_memory_os.service.peers import DeviceView, Revocation
from agent_memory_os.service.peers.pairing import Invited
from agent_memory_os.wire import peers as wire

DeviceName = Annotated[
    str,
    typer.Argument(
        help="A device, by its fingerprint, the beginning of that, or the name of the peer.",
        metavar="DEVICE",
        show_default=False,
    ),
]
StolenAt = Annotated[
    str | None,
    typer.Option(
        "--stolen-at",
        help="When it was stolen: a date, a time, or a time ago (2h); what came later is left off.",
        metavar="WHEN",
    ),
]
HEADS = ("DEVICE", "WHICH", "STATE", "PEER")
_MOST_NAMED = 10
_CERTIFY = "Once it has come: agent-memory device certify PEER --recovery-key FILE"


def invite(
    desk: Desk,
    *,
    minutes: Minutes = USUAL_MINUTES,
    no_wait: NoWait = False,
    recovery_key: RecoveryKey = None,
) -> None:
    """Invite a further machine of yours: print the code that it joins by.

    Where the root key is lost, the recovery key invites, and certifies whoever comes.

    Example: agent-memory device invite
    """
    typed: list[str] = []

    def made(key: str) -> Invited:
        typed.append(key)
        return desk.node.invitations.device(minutes, key)

    invited = give_out(desk, with_key(desk, recovery_key, made), no_wait=no_wait)
    if invited.device:
        desk.node.peers.certify(invited.device, typed[-1])
    elif typed[-1]:
        desk.tell(_CERTIFY)


def certify(desk: Desk, device: DeviceName, *, recovery_key: RecoveryKey = None) -> None:
    """Certify a peer that is a further device of your account, and came by a code.

    Example: agent-memory device certify attic --recovery-key FILE
    """
    peer = with_key(desk, recovery_key, lambda key: desk.node.peers.certify(device, key))
    desk.say(f"{peer.name}, {peer.device}, is a certified device of your account.")
    desk.give({"peer": wire.of_peer(peer)})


def revoke(
    desk: Desk,
    device: DeviceName,
    *,
    stolen_at: StolenAt = None,
    recovery_key: RecoveryKey = None,
    yes: Yes = False,
    dry_run: DryRun = False,
) -> None:
    """Revoke a device of your account: it is sent nothing more, and nothing is taken of it.

    What is here of it stays; with the date of a theft, only what had come here by then.

    Example: agent-memory device revoke laptop --stolen-at 2026-05-08T14:00 --dry-run
    """
    at = None if stolen_at is None else moment.past(stolen_at, desk.now)
    typed: list[str] = []

    def foreseen(key: str) -> Revocation:
        typed.append(key)
        return desk.node.peers.revoke_device(device, at, key, dry_run=True)

    found = with_key(desk, recovery_key, foreseen)
    desk.say(*_told(found, at))
    if not dry_run:
        desk.confirm(f"Revoke {found.peer or found.device}? It cannot be undone.", yes=yes)
        found = desk.node.peers.revoke_device(found.device, at, typed[-1])
        desk.say(
            f"Revoked {found.peer or found.device}. Others learn of it when they next exchange.",
            "What it holds stays on it: nothing can be called back from somebody who has it.",
        )
    desk.give({"revocation": wire.of_revocation(found)})


def show(desk: Desk) -> None:
    """List the devices of your account: this one, and which of the others are peers here.

    Example: agent-memory device list
    """
    found = desk.node.peers.devices()
    desk.say(*grid.table(HEADS, [_row(one) for one in found]))
    desk.give({"devices": [wire.of_device(one) for one in found]})


def _told(found: Revocation, at: int | None) -> list[str]:
    """Return what of a device stays, and what does not."""
    since = "" if at is None else f", which had come here by {moment.shown(at)} UTC"
    lines = [
        f"Device {found.device}{f' ({found.peer})' if found.peer else ''}:",
        f"  stays    {render.counted(found.stays, 'write')}{since}",
        f"  voided   {render.counted(found.voided, 'write')}, everywhere",
    ]
    if found.memories:
        named = [render.short(one) for one in found.memories[:_MOST_NAMED]]
        more = len(found.memories) - len(named)
        rest = f" and {more:,} more" if more else ""
        lines.append(
            f"  of {render.counted(len(found.memories), 'memory')}: {', '.join(named)}{rest}"
        )
        lines.append("To keep what one said before, see its history, and edit it here first.")
    return lines


def _row(one: DeviceView) -> tuple[str, ...]:
    return (one.device, "this one" if one.is_this else "another", one.state, one.peer or "-")


COMMANDS = {"invite": invite, "list": show, "certify": certify, "revoke": revoke}
