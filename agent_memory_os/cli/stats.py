"""``agent-memory stats``: how much is here."""

from __future__ import annotations

from agent_memory_os.cli.desk import Desk
from agent_memory_os.service.upkeep import Stats


def stats(desk: Desk) -> None:
    """Count the memories that you may read.

    With --as-operator, those of the whole node.

    Example: agent-memory stats --as-operator
    """
    found = desk.node.upkeep.stats(desk.principal)
    desk.say(
        f"memories   {found.shown:,} ({found.pinned:,} pinned)",
        f"expired    {found.expired:,}",
        f"forgotten  {found.forgotten:,}",
        f"types      {_counts(found.types)}",
        f"owners     {_counts(found.owners)}",
        f"fleet      {_fleet(found)}",
    )
    if found.node:
        desk.say(f"node       {_counts(found.node)}")
    parts = {name: dict(getattr(found, name)) for name in ("types", "owners", "node")}
    desk.give({**found._asdict(), **parts})


def _fleet(found: Stats) -> str:
    groups = f"teams {found.teams:,}, projects {found.projects:,}"
    return f"agents {found.agents:,}{', ' if found.node else '; you are in '}{groups}"


def _counts(pairs: tuple[tuple[str, int], ...]) -> str:
    return ", ".join(f"{name.replace('_', ' ')} {count:,}" for name, count in pairs) or "none"


COMMANDS = {"stats": stats}
