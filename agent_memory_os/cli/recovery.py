"""``agent-memory recovery-key``: show the recovery key once, and take it off the machine."""

from __future__ import annotations

import sys

from agent_memory_os.cli import render
from agent_memory_os.cli.desk import Desk
from agent_memory_os.cli.word import Yes
from agent_memory_os.errors import ConfirmationNeeded
from agent_memory_os.service.peers.authority import recovery

ABOUT = (
    "This is the recovery key of your account. Write it down, and keep it away from this machine.",
    "With it you take back teams that you made and, where the root key is lost, revoke and certify",
    "devices of yours. Whoever has it can do the same.",
)
_QUESTION = "Have you written it down? It is taken off this machine now, and not shown again."
_NOTE = "A backup with keys that was made before still has it: agent-memory backup DEST --with-keys"


def show(desk: Desk, *, yes: Yes = False) -> None:
    """Show the account's recovery key once, and take it off this machine.

    Example: agent-memory recovery-key
    """
    desk.home  # noqa: B018 - it raises where another node is meant
    if not yes and (desk.as_json or not (sys.stdin and sys.stdin.isatty())):
        raise ConfirmationNeeded(
            "The key would be shown, and taken off this machine. Nothing was done; to go ahead, "
            "say --yes."
        )
    key = recovery.shown(desk.local.context)
    desk.explain(*ABOUT, "")
    desk.say(*(render.paint(line, render.BOLD) for line in key.splitlines()))
    desk.explain("")
    desk.confirm(_QUESTION, yes=yes)
    recovery.take_off(desk.local.context)
    desk.explain("It is not on this machine any more.")
    desk.tell(_NOTE)
    desk.give({"recovery_key": key, "removed": True})


COMMANDS = {"recovery-key": show}
