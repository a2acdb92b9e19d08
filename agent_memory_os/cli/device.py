"""The devices of your account: which there are, and inviting a further one."""

from __future__ import annotations

from agent_memory_os.cli import grid
from agent_memory_os.cli.desk import Desk
from agent_memory_os.cli.invitation import USUAL_MINUTES, Minutes, NoWait, give_out
from agent_memory_os.service.peers import DeviceView
from agent_memory_os.wire import peers as wire

HEADS = ("DEVICE", "WHICH", "STATE", "PEER")


def invite(desk: Desk, *, minutes: Minutes = USUAL_MINUTES, no_wait: NoWait = False) -> None:
    """Invite a further machine of yours: print the code that it joins by.

    Example: agent-memory device invite
    """
    give_out(desk, desk.node.invitations.device(minutes), no_wait=no_wait)


def show(desk: Desk) -> None:
    """List the devices of your account: this one, and which of the others are peers here.

    Example: agent-memory device list
    """
    found = desk.node.peers.devices()
    desk.say(*grid.table(HEADS, [_row(one) for one in found]))
    desk.give({"devices": [wire.of_device(one) for one in found]})


def _row(one: DeviceView) -> tuple[str, ...]:
    return (one.device, "this one" if one.is_this else "another", one.state, one.peer or "-")


COMMANDS = {"invite": invite, "list": show}
