"""``agent-memory init``: make the home of a node."""

from __future__ import annotations

import os
import shlex
from typing import Annotated

import typer

from agent_memory_os import wiring
from agent_memory_os.cli import render
from agent_memory_os.cli.agent import Kind
from agent_memory_os.cli.desk import Desk
from agent_memory_os.cli.peers import text_of
from agent_memory_os.federation.recovery import lies_in
from agent_memory_os.model.organisation import check_name
from agent_memory_os.service.context import FLEET_FILE
from agent_memory_os.service.upkeep.home import open_to_others

DefaultAgent = Annotated[
    str | None,
    typer.Option(
        "--agent",
        help="The agent that acts where none is named.",
        metavar="NAME",
        show_default=False,
    ),
]
NewDevice = Annotated[
    bool, typer.Option("--new-device", help="Make a copied home a device of its own.")
]
DeviceOf = Annotated[
    str | None,
    typer.Option(
        "--device-of",
        help="Make a further device of the account of this card; - reads it from the input.",
        metavar="CARD",
        show_default=False,
    ),
]
NEXT = (
    ('agent-memory add "We deploy on Tuesdays"', "remember something"),
    ("agent-memory search deploy", "recall it"),
    ("agent-memory import ~/.claude/projects --dry-run", "see what your agents know already"),
)
RECOVERY = (
    "The recovery key of your account lies in this home. To write it down, and take it off this "
    "machine: agent-memory recovery-key"
)
CERTIFY = "Certify it where the account was made: agent-memory peers add CARD --own --name NAME"


def init(
    desk: Desk,
    *,
    default: DefaultAgent = None,
    kind: Kind = "custom",
    new_device: NewDevice = False,
    device_of: DeviceOf = None,
) -> None:
    """Make a node's home, and say which agent acts by default.

    It asks nothing, and may be run again.

    Example: agent-memory init --agent claude --kind claude-code
    """
    fleet = os.path.join(desk.home, FLEET_FILE)
    if new_device:
        device = wiring.become_new_device(desk.settings)
        desk.say(f"{desk.home} is a device of its own now.")
        _card(desk)
        desk.give({"home": desk.home, "device": device})
        return
    if default is not None:
        check_name("agent", default)
    is_new = not os.path.exists(desk.settings.database)
    if device_of is not None:
        wiring.join_account(desk.settings, text_of(device_of)).close()
    node = desk.local
    name = node.default_agent or desk.settings.agent or wiring.user_name()
    name = name if default is None else default
    agent, is_made = node.organisation.ensure_agent(name, kind)
    if default is not None or not node.default_agent:
        wiring.set_default_agent(node, agent.name)
    desk.say(
        f"{'Made' if is_new else 'There is'} a home at {desk.home}",
        f"Memories lie in {desk.settings.database}",
        f"Acting agent: {agent.name} ({agent.kind}){', made just now' if is_made else ''}",
        f"More agents: agent-memory agent add NAME, or {fleet}",
        "",
        "Next:",
    )
    widest = max(len(command) for command, _ in NEXT)
    for command, use in NEXT:
        desk.say(f"  {command:<{widest}}  {render.paint(use, render.DIM)}")
    if mode := open_to_others(desk.home):
        desk.tell(
            f"{desk.home} is open to other users (mode {mode:o}). "
            f"To close it: chmod 700 {shlex.quote(desk.home)}",
            word="warning",
        )
    if is_new and lies_in(desk.home):
        desk.tell(RECOVERY)
    shape = {"home": desk.home, "made": is_new, "agent": agent.name, "kind": agent.kind}
    desk.give({**shape, **_card(desk)} if device_of is not None else shape)


def _card(desk: Desk) -> dict[str, object]:
    """Show the card of a device that is not certified yet, for the machine that can do it."""
    shown = desk.local.peers.card()
    if not shown.is_certified:
        desk.say("", f"This device is {shown.device}. Its card:", "", shown.card, "", CERTIFY)
    return {"device": shown.device, "card": shown.card, "certified": shown.is_certified}


COMMANDS = {"init": init}
