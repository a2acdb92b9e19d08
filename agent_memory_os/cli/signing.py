"""``agent-memory sign-in``: a link that signs a browser in to the node that is served here."""

from __future__ import annotations

import json

from agent_memory_os.cli import moment
from agent_memory_os.cli.desk import Desk
from agent_memory_os.errors import Unreachable
from agent_memory_os.server import sockets
from agent_memory_os.wire import problem
from agent_memory_os.wire.instant import milliseconds

_MADE = 201


def sign_in(desk: Desk) -> None:
    """Ask the server of this home for a link that signs one browser in, as the operator.

    It works once, within a quarter of an hour.

    Example: agent-memory sign-in
    """
    home = desk.home
    if not sockets.is_served(home):
        raise Unreachable(f"No server answers at {home}. Start one: agent-memory serve")
    status, text = sockets.ask(home, "POST", "/v1/sign-in-links")
    made = json.loads(text)
    if status != _MADE:
        raise problem.to_error(made, status)
    desk.say(made["url"])
    ends = moment.shown(milliseconds(made["ends_at"]) or 0)
    desk.tell(f"It works once, until {ends} (UTC).")
    desk.give(made)


COMMANDS = {"sign-in": sign_in}
