"""Have the system serve the node, from when you sign in on."""

from __future__ import annotations

import os
import sys
import time
from typing import Annotated

import typer

from agent_memory_os import settings
from agent_memory_os.cli import plan
from agent_memory_os.cli.desk import Desk
from agent_memory_os.cli.logs import Follow, Level, Lines
from agent_memory_os.cli.logs import logs as show_logs
from agent_memory_os.cli.serve import check_extra
from agent_memory_os.cli.word import DryRun
from agent_memory_os.errors import Refused
from agent_memory_os.server import logs as log
from agent_memory_os.server import record, sockets
from agent_memory_os.server.unit import machine
from agent_memory_os.server.unit.job import Job, System
from agent_memory_os.service.context import NODE_FILE

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
        help="The port; else node.toml's, or 8765 or the next that is free.",
        metavar="PORT",
        min=1,
        max=settings.MAX_PORT,
    ),
]
_TRIES = 100
_READY_SECONDS = 30
_LOOK_SECONDS = 0.1
LINGER = "It ends when you sign out. To keep it running: loginctl enable-linger"


def install(desk: Desk, *, host: Host = None, port: Port = None, dry_run: DryRun = False) -> None:
    """Have the node served now, and each time you sign in; the port is written to node.toml.

    Example: agent-memory service install --port 8765
    """
    check_extra()
    system, job = _here(desk)
    home = desk.home
    served = record.read(home)
    if served is not None and not machine.is_installed(system, job):
        raise Refused(f"{home} is served already, by process {served.pid}: stop that one first.")
    place = _place(desk, host, port, is_served=served is not None)
    shape = {"name": job.name, "host": place.host, "port": place.port}
    if dry_run:
        set_ = f"host = {place.host!r}, port = {place.port}".replace("'", '"')
        desk.say(f"Would set in node.toml: {set_}")
        plan.show(desk, system.files(job), system.begin(job), shape)
        return
    desk.local.ping()
    with plan.kept(os.path.join(home, NODE_FILE)):
        settings.change_node_file(home, {"host": place.host, "port": place.port})
        machine.install(system, job)
    _wait(home)
    desk.say(f"Installed {job.name}: {home} is served at {sockets.url(place.host, place.port)}")
    if sys.platform == "linux":
        desk.tell(LINGER)
    desk.give(shape)


def status(desk: Desk) -> None:
    """Show whether the service is installed, and what the system says of it.

    Example: agent-memory service status
    """
    system, job = _here(desk)
    is_installed = machine.is_installed(system, job)
    said = machine.run(system.ask(job))[1] if is_installed else ""
    desk.say(f"{job.name} is {'installed' if is_installed else 'not installed'}.")
    desk.say(*said.splitlines())
    served = record.read(desk.home)
    desk.give(
        {
            "name": job.name,
            "installed": is_installed,
            "url": None if served is None else served.url,
        }
    )


def start(desk: Desk, *, dry_run: DryRun = False) -> None:
    """Start the service.

    Example: agent-memory service start
    """
    system, job = _here(desk)
    if plan.act(desk, system, job, system.start(job), "started", dry_run=dry_run):
        _wait(desk.home)


def stop(desk: Desk, *, dry_run: DryRun = False) -> None:
    """Stop the service; what has begun is finished.

    Example: agent-memory service stop
    """
    system, job = _here(desk)
    plan.act(desk, system, job, system.stop(job), "stopped", dry_run=dry_run)


def restart(desk: Desk, *, dry_run: DryRun = False) -> None:
    """Stop the service and start it, as after an update or a change of node.toml.

    Example: agent-memory service restart
    """
    system, job = _here(desk)
    if plan.act(desk, system, job, system.restart(job), "restarted", dry_run=dry_run):
        _wait(desk.home)


def uninstall(desk: Desk, *, dry_run: DryRun = False) -> None:
    """End the service and remove it; the home and all that is in it stay.

    Example: agent-memory service uninstall
    """
    system, job = _here(desk)
    plan.remove(desk, system, job, dry_run=dry_run)


def logs(desk: Desk, *, lines: Lines = 50, follow: Follow = False, level: Level = "debug") -> None:
    """Show the service's log, as agent-memory logs does.

    Example: agent-memory service logs --follow
    """
    show_logs(desk, lines=lines, follow=follow, level=level)


def _here(desk: Desk) -> tuple[System, Job]:
    return machine.system_of(sys.platform, os.environ), machine.service_of(desk.home)


def _place(
    desk: Desk, host: str | None, port: int | None, *, is_served: bool
) -> settings.Listening:
    """Return where it is to be served: as it was said, else at a port that is free."""
    said = settings.node_file(desk.home)
    place = settings.listening(desk.home, host or said.host, port or said.port or None, {})
    if is_served and place.port == said.port:
        return place  # its own port is not free, and need not be
    with sockets.at_port(place.host, place.port, _TRIES if place.is_usual else 1) as free:
        return place._replace(port=int(free.getsockname()[1]))


def _wait(home: str) -> None:
    """Wait until the service serves; raise :class:`Refused` where it does not."""
    until = time.monotonic() + _READY_SECONDS
    while record.read(home) is None:
        if time.monotonic() > until:
            raise Refused(
                f"The system started it, and it does not serve yet: look at {log.path_in(home)}."
            )
        time.sleep(_LOOK_SECONDS)


COMMANDS = {
    "install": install,
    "status": status,
    "start": start,
    "stop": stop,
    "restart": restart,
    "uninstall": uninstall,
    "logs": logs,
}
