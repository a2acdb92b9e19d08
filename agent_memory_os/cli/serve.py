"""``agent-memory serve``: the node as a service, for agents, people and peers."""

from __future__ import annotations

import gc
import os
import sys
from typing import Annotated

import typer

from agent_memory_os import settings, wiring
from agent_memory_os.cli.desk import Desk
from agent_memory_os.cli.remedy import told
from agent_memory_os.errors import AgentMemoryError, InvalidInput, Refused
from agent_memory_os.federation.transport.url import host_of
from agent_memory_os.value import TYPE_CHECKING

if TYPE_CHECKING:
    from agent_memory_os.api.door import Door
    from agent_memory_os.federation.transport.responder import Peering

Host = Annotated[
    str | None,
    typer.Option(
        "--host",
        help="The address to listen at; else node.toml's, or this machine alone.",
        metavar="HOST",
    ),
]
Port = Annotated[
    int | None,
    typer.Option(
        "--port",
        help="The port; 0 takes a free one; else node.toml's, or 8765 or the next that is free.",
        metavar="PORT",
        min=0,
        max=settings.MAX_PORT,
    ),
]
StrictPort = Annotated[
    bool,
    typer.Option("--strict-port", help="Take no other port where the usual one is taken: refuse."),
]
Names = Annotated[
    list[str] | None,
    typer.Option(
        "--name",
        help="Another name that this server is reached by; may be given again.",
        metavar="HOST",
    ),
]
Origins = Annotated[
    list[str] | None,
    typer.Option(
        "--origin",
        help="A page's origin that may call it; may be given again.",
        metavar="URL",
    ),
]
Url = Annotated[
    str | None,
    typer.Option(
        "--url",
        help="Where the members of your teams reach it, which they are told; else node.toml's.",
        metavar="URL",
    ),
]
Grace = Annotated[
    int,
    typer.Option(
        "--grace",
        help="Seconds that running requests have to finish when it is told to end.",
        metavar="SECONDS",
        min=0,
    ),
]
NoSignInLink = Annotated[
    bool,
    typer.Option("--no-sign-in-link", help="Print no sign-in link, where what is printed is kept."),
]
LogFile = Annotated[
    str | None,
    typer.Option(
        "--log-file",
        help="Write the log to this file, as JSON; else to the standard error.",
        metavar="FILE",
    ),
]
LogLevel = Annotated[
    str,
    typer.Option(
        "--log-level",
        help="What is written at all: debug, info, warning or error.",
        metavar="LEVEL",
    ),
]
UNENCRYPTED = (
    "Whoever listens between a caller and {host} can read the keys and the memories: put a proxy "
    "with TLS in front, or serve 127.0.0.1."
)
_GRACE_SECONDS = 30
_NEEDED = ("fastapi", "uvicorn", "prometheus_client")


def serve(  # noqa: PLR0913 - each is an option of the command
    desk: Desk,
    *,
    host: Host = None,
    port: Port = None,
    strict_port: StrictPort = False,
    names: Names = None,
    origins: Origins = None,
    url: Url = None,
    grace: Grace = _GRACE_SECONDS,
    no_sign_in_link: NoSignInLink = False,
    log_file: LogFile = None,
    log_level: LogLevel = "info",
) -> None:
    """Serve the node over HTTP until it is interrupted.

    It prints a link that signs a browser in, once. Programs need a key:
    agent-memory key create NAME --agent AGENT

    Example: agent-memory serve --port 8765
    """
    check_extra()
    # What is imported stays: looking for cycles in it would be a tenth of the time.
    gc.disable()
    from agent_memory_os.server import logs, sockets
    from agent_memory_os.server.beat import Beat, Told
    from agent_memory_os.server.serve import Serving, serve

    gc.freeze()
    gc.enable()
    if log_level not in logs.LEVELS:
        raise InvalidInput(f"There is no level {log_level!r}; they are {', '.join(logs.LEVELS)}.")
    node, home = desk.local, desk.home
    place = settings.listening(home, host, port, os.environ)
    url = settings.told_url(home, url, os.environ)
    called = settings.called(home, os.environ) or wiring.user_name()
    named = [*(names or ()), *([host_of(url)] if url else [])]
    logs.begin(log_level, log_file)
    if not sockets.is_loopback(place.host):
        desk.tell(UNENCRYPTED.format(host=place.host), word="warning")

    def ready(door: Door, at: int) -> None:
        if place.port not in (0, at):
            desk.tell(f"Port {place.port} is taken; this is {at}.")
        own = sockets.url(sockets.reachable(place.host), at)
        # What a service prints is kept in the system's journal, which others may read.
        link = (
            None if log_file or no_sign_in_link else f"{own}/sign-in?code={door.sessions.invite()}"
        )
        _tell(desk, own, link)
        beat.tell(Told(url or _public(place.host, at), called))

    may_move = place.is_usual and not strict_port
    # To strangers a user's name is told where none but this machine's can ask.
    shown = called if sockets.is_loopback(place.host) else settings.called(home, os.environ)
    more = (tuple(origins or ()), may_move, grace, shown, _announces(desk, place.host))
    serving = Serving(place.host, place.port, tuple(named), *more)
    beat = Beat(desk.settings)
    serve(node, home, serving, ready, _peering(desk), beat)


def _tell(desk: Desk, url: str, link: str | None) -> None:
    """Tell where the node is served, and how to sign in."""
    sign_in = f"Sign in, once: {link}" if link else "Sign in: agent-memory sign-in"
    desk.say(f"Serving {desk.home} at {url}", sign_in, "To stop: Ctrl-C")
    desk.give({"home": desk.home, "url": url, "sign_in": link, "pid": os.getpid()})
    sys.stdout.flush()


def _public(host: str, port: int) -> str:
    """Return the URL of an address that others reach, where a node listens at that one alone."""
    from agent_memory_os.federation.transport.outward import checked
    from agent_memory_os.server import sockets

    try:
        return checked(sockets.url(host, port))
    except InvalidInput:
        return ""


def _announces(desk: Desk, host: str) -> bool:
    """Say whether the node is to announce itself in its network; tell why, where it cannot."""
    from agent_memory_os.federation.discovery import multicast
    from agent_memory_os.server import sockets

    if settings.node_file(desk.home).announce != settings.ON:
        return False
    if sockets.is_loopback(host):
        desk.tell("It is not announced: it listens to this machine alone.", word="warning")
        return False
    if not multicast.is_there():
        desk.tell(
            "It is not announced. Install what does: pip install 'agent-memory-node[discovery]'",
            word="warning",
        )
        return False
    return True


def _peering(desk: Desk) -> Peering | None:
    """Return what answers peers; nobody does where this node cannot sign as itself."""
    from agent_memory_os.service.peers.answer import peering_of

    try:
        return peering_of(desk.local.context)
    except AgentMemoryError as error:
        desk.tell(f"Peers are not answered: {told(error)}", word="warning")
        return None


def check_extra() -> None:
    """Raise :class:`Refused` where the packages that serving needs are not installed."""
    from importlib.util import find_spec

    for name in _NEEDED:
        if find_spec(name) is None:
            raise Refused(f"To serve, {name} is needed: pip install 'agent-memory-node[server]'")


COMMANDS = {"serve": serve}
