"""Have the system do something for the node by the clock."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from agent_memory_os.cli import grid, plan
from agent_memory_os.cli.desk import Desk
from agent_memory_os.cli.word import DryRun
from agent_memory_os.errors import InvalidInput
from agent_memory_os.server.unit import machine
from agent_memory_os.server.unit.job import At, Every, time_of_day
from agent_memory_os.server.unit.timer import TIMERS, of_name

Name = Annotated[
    str,
    typer.Argument(help="What is to be done: backup or sync.", metavar="TIMER", show_default=False),
]
When = Annotated[
    str | None,
    typer.Option(
        "--at",
        help=f"backup: when, by this machine's clock; else {TIMERS[0].at}.",
        metavar="HH:MM",
    ),
]
Minutes = Annotated[
    int | None,
    typer.Option(
        "--every",
        help="sync: so many minutes from one time to the next; else 5.",
        metavar="MINUTES",
        min=1,
        max=720,
    ),
]
To = Annotated[
    str | None,
    typer.Option("--to", help="backup: into this folder; else beside the home.", metavar="FOLDER"),
]
Keep = Annotated[
    int | None,
    typer.Option(
        "--keep", help="backup: keep so many of the newest; else 7.", metavar="COUNT", min=1
    ),
]
HEADS = ("TIMER", "AT", "STATE", "WHAT")
STAYS = (
    "What is erased later stays in backups that are there, unless it is erased with --backup FILE."
)


def install(
    desk: Desk,
    name: Name,
    *,
    at: When = None,
    every: Minutes = None,
    to: To = None,
    keep: Keep = None,
    dry_run: DryRun = False,
) -> None:
    """Have it done once a day, or every few minutes, whether the node is served or not.

    Example: agent-memory timer install backup --at 03:15 --keep 7
    """
    given = {"to": to, "keep": None if keep is None else str(keep)}
    said = {option: value for option, value in given.items() if value is not None}
    hour = _time(name, at, every)
    system = machine.system_of(sys.platform, os.environ)
    job = machine.timer_of(desk.home, of_name(name), hour, said)
    shape = {"timer": name, "name": job.name, "at": str(job.at), "command": list(job.command)}
    if dry_run:
        plan.show(desk, system.files(job), system.begin(job), shape)
        return
    desk.local.ping()
    machine.install(system, job)
    when = f"every {job.at}" if isinstance(job.at, Every) else f"each day at {job.at}"
    desk.say(f"Installed {job.name}: {when}.")
    if name == "backup":
        desk.tell(STAYS)
    desk.give(shape)


def _time(name: str, at: str | None, every: int | None) -> At | Every | None:
    """Return the time that was named; raise where the timer has a time of another kind."""
    is_daily = isinstance(of_name(name).at, At)
    if at is not None and not is_daily:
        raise InvalidInput(f"The timer {name} runs every few minutes: say --every MINUTES.")
    if every is not None and is_daily:
        raise InvalidInput(f"The timer {name} runs once a day: say --at HH:MM.")
    if every is not None:
        return Every(every)
    return None if at is None else time_of_day(at)


def status(desk: Desk, name: Name) -> None:
    """Show what the system says of a timer.

    Example: agent-memory timer status backup
    """
    system = machine.system_of(sys.platform, os.environ)
    job = machine.timer_of(desk.home, of_name(name), None, {})
    is_installed = machine.is_installed(system, job)
    said = machine.run(system.ask(job))[1] if is_installed else ""
    desk.say(f"{job.name} is {'installed' if is_installed else 'not installed'}.")
    desk.say(*said.splitlines())
    desk.give({"timer": name, "name": job.name, "installed": is_installed})


def uninstall(desk: Desk, name: Name, *, dry_run: DryRun = False) -> None:
    """Have it done no more; what was done stays, backups too.

    Example: agent-memory timer uninstall backup
    """
    system = machine.system_of(sys.platform, os.environ)
    job = machine.timer_of(desk.home, of_name(name), None, {})
    plan.remove(desk, system, job, dry_run=dry_run)


def show(desk: Desk) -> None:
    """List the timers that there are, and which are installed for this home.

    Example: agent-memory timer list
    """
    system = machine.system_of(sys.platform, os.environ)
    installed = machine.timers_at(system, desk.home)
    rows = [
        (one.name, str(one.at), "installed" if one.name in installed else "-", one.title)
        for one in TIMERS
    ]
    desk.say(*grid.table(HEADS, rows))
    desk.give(
        {
            "timers": [
                {
                    "timer": one.name,
                    "at": str(one.at),
                    "installed": one.name in installed,
                    "title": one.title,
                }
                for one in TIMERS
            ]
        }
    )


COMMANDS = {"install": install, "status": status, "uninstall": uninstall, "list": show}
