"""``agent-memory check``: whether the node is sound."""

from __future__ import annotations

from agent_memory_os.cli import render
from agent_memory_os.cli.desk import Desk
from agent_memory_os.errors import DamagedDatabase


def check(desk: Desk) -> None:
    """Say whether the node's file is sound; change nothing.

    Example: agent-memory check
    """
    report = desk.upkeep.check()
    desk.say(*map(render.plain, report.lines))
    desk.give({"ok": report.ok, "lines": list(report.lines)})
    if not report.ok:
        raise DamagedDatabase("The check found damage. Run: agent-memory doctor")


COMMANDS = {"check": check}
