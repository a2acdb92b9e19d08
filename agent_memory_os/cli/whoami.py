"""``agent-memory whoami``: who acts, and what it is a member of."""

from __future__ import annotations

from agent_memory_os.cli.agent import shape_of_view
from agent_memory_os.cli.desk import Desk
from agent_memory_os.service.context import NODE_FILE
from agent_memory_os.settings import AGENT_VARIABLE


def whoami(desk: Desk) -> None:
    """Tell which agent acts, why, and what it may see.

    Example: agent-memory whoami
    """
    view = desk.node.organisation.whoami(desk.agent)
    agent = view.agent
    title = f" ({agent.display_name})" if agent.display_name else ""
    desk.say(
        f"agent     {agent.name}{title}",
        f"kind      {agent.kind}",
        f"named by  {_reason(desk)}",
        f"teams     {', '.join(view.teams) or 'none'}",
        f"projects  {', '.join(view.projects) or 'none'}",
        f"{'home' if desk.reach is None else 'node':<10}{_place(desk)}",
    )
    if desk.shared.as_operator:
        desk.say("operator  yes: this command line sees the whole node")
    desk.give(
        {
            "agent": shape_of_view(view),
            "named_by": _reason(desk),
            "home": desk.settings.home if desk.reach is None else None,
            "node": desk.reach and desk.reach.url,
            "as_operator": desk.shared.as_operator,
        }
    )


def _place(desk: Desk) -> str:
    return desk.settings.home if desk.reach is None else desk.reach.url


def _reason(desk: Desk) -> str:
    if desk.shared.agent:
        return "--as"
    if desk.settings.agent:
        return AGENT_VARIABLE
    return NODE_FILE if desk.reach is None else "its key"


COMMANDS = {"whoami": whoami}
