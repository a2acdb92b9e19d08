"""Keys for the HTTP API, each bound to what its bearer may do."""

from __future__ import annotations

from typing import Annotated

import typer

from agent_memory_os.cli import grid, moment
from agent_memory_os.cli.desk import Desk
from agent_memory_os.model.key import AGENT, Key, Limits
from agent_memory_os.service.keys import MadeKey
from agent_memory_os.wire.instant import iso

Name = Annotated[
    str, typer.Argument(help="The name of the key.", metavar="NAME", show_default=False)
]
Kind = Annotated[
    str,
    typer.Option(
        "--kind",
        help="What it is for: agent, reader (an agent that reads only), operator or metrics.",
        metavar="KIND",
    ),
]
Agent = Annotated[
    str | None,
    typer.Option(
        "--agent",
        help="The agent that it stands for; kinds agent and reader need one.",
        metavar="AGENT",
    ),
]
Expires = Annotated[
    str | None,
    typer.Option(
        "--expires",
        help="When it ends: a date, or a span from now (90d); else never.",
        metavar="WHEN",
    ),
]
Requests = Annotated[
    int | None,
    typer.Option("--requests", help="Requests in a minute at most.", metavar="COUNT", min=1),
]
Writes = Annotated[
    int | None,
    typer.Option("--writes", help="Writes in a minute at most.", metavar="COUNT", min=1),
]
Bytes = Annotated[
    int | None,
    typer.Option("--bytes", help="Bytes sent in a day at most.", metavar="COUNT", min=1),
]
Memories = Annotated[
    int | None,
    typer.Option(
        "--memories", help="Memories that its agent may own at most.", metavar="COUNT", min=1
    ),
]
HEADS = ("KEY", "KIND", "AGENT", "STATE", "LAST USED")


def create(  # noqa: PLR0913 - each is an option of the command
    desk: Desk,
    name: Name,
    *,
    kind: Kind = AGENT,
    bound: Agent = None,
    expires: Expires = None,
    requests: Requests = None,
    writes: Writes = None,
    size: Bytes = None,
    memories: Memories = None,
) -> None:
    """Make a key and show it, this once.

    Example: agent-memory key create laptop --agent planner
    """
    ends = None if expires is None else moment.future(expires, desk.now)
    limits = Limits(requests, writes, size, memories)
    _show(desk, desk.node.keys.create(name, kind, bound, expires_at=ends, limits=limits))


def show(desk: Desk) -> None:
    """List the keys: what each is for, and when it was last used.

    Example: agent-memory key list
    """
    found = desk.node.keys.list()
    if found:
        desk.say(*grid.table(HEADS, [_row(key, desk.now) for key in found]))
    else:
        desk.say("No key yet. Make one: agent-memory key create NAME --agent AGENT")
    desk.give({"keys": [_shape(key, desk.now) for key in found]})


def rotate(desk: Desk, name: Name, *, expires: Expires = None) -> None:
    """Give a key another secret and show it; the old one opens nothing any more.

    Example: agent-memory key rotate laptop
    """
    ends = None if expires is None else moment.future(expires, desk.now)
    _show(desk, desk.node.keys.rotate(name, expires_at=ends))


def revoke(desk: Desk, name: Name) -> None:
    """Let a key open nothing any more, at once.

    Example: agent-memory key revoke laptop
    """
    key = desk.node.keys.revoke(name)
    desk.say(f"Revoked. {key.name} opens nothing any more.")
    desk.give({"key": _shape(key, desk.now)})


def _show(desk: Desk, made: MadeKey) -> None:
    desk.say(made.token)
    desk.tell(f"This is the key {made.key.name}. It is shown now and never again: keep it safe.")
    desk.give({"key": _shape(made.key, desk.now), "token": made.token})


def _row(key: Key, now: int) -> tuple[str, ...]:
    used = "never" if key.last_used_at is None else moment.age(key.last_used_at, now)
    return (key.name, key.kind, key.agent_name or "-", key.state_at(now), used)


def _shape(key: Key, now: int) -> dict[str, object]:
    return {
        "id": key.id,
        "name": key.name,
        "kind": key.kind,
        "agent": key.agent_name or None,
        "state": key.state_at(now),
        "created_at": iso(key.created_at),
        "expires_at": iso(key.expires_at),
        "last_used_at": iso(key.last_used_at),
        "limits": key.limits._asdict(),
    }


COMMANDS = {"create": create, "list": show, "rotate": rotate, "revoke": revoke}
