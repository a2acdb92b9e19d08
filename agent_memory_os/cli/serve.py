"""``agent-memory serve``: the node as a service, for agents, people and peers."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from agent_memory_os.cli.desk import Desk
from agent_memory_os.errors import Refused

DEFAULT_PORT = 8765
Host = Annotated[
    str, typer.Option("--host", help="The address to listen at; else this machine alone.")
]
Port = Annotated[
    int, typer.Option("--port", help="The port; 0 takes a free one.", min=0, max=65_535)
]
Names = Annotated[
    list[str] | None,
    typer.Option("--name", help="Another name that this server is reached by.", metavar="HOST"),
]
Origins = Annotated[
    list[str] | None,
    typer.Option("--origin", help="A page's origin that may call it.", metavar="URL"),
]


def serve(
    desk: Desk,
    *,
    host: Host = "127.0.0.1",
    port: Port = DEFAULT_PORT,
    names: Names = None,
    origins: Origins = None,
) -> None:
    """Serve the node over HTTP until it is interrupted.

    It prints a link that signs a browser in, once. Programs need a key:
    agent-memory key create NAME --agent AGENT

    Example: agent-memory serve --port 8765
    """
    try:
        from agent_memory_os.server.serve import Serving, serve
    except ModuleNotFoundError as error:
        raise Refused(
            f"To serve, {error.name} is needed: pip install 'agent-memory-node[server]'"
        ) from error
    serving = Serving(host, port, tuple(names or ()), tuple(origins or ()))

    def ready(code: str, at: int) -> None:
        shown = f"[{host}]" if ":" in host else host
        desk.say(
            f"Serving {desk.settings.home} at http://{shown}:{at}",
            f"Sign in, once: http://{shown}:{at}/sign-in?code={code}",
            "To stop: Ctrl-C",
        )
        sys.stdout.flush()

    serve(
        desk.node, desk.settings.home, serving, lambda door, at: ready(door.sessions.invite(), at)
    )


COMMANDS = {"serve": serve}
