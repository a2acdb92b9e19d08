"""``agent-memory status``: whether the node is served, and how it stands."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from typing import Annotated

import typer

from agent_memory_os import __version__
from agent_memory_os.cli import moment
from agent_memory_os.cli.desk import Desk
from agent_memory_os.errors import Unreachable
from agent_memory_os.federation.recovery import lies_in
from agent_memory_os.model.principal import Principal
from agent_memory_os.server import record
from agent_memory_os.server.unit import machine
from agent_memory_os.service.peers import PeerView
from agent_memory_os.wire.instant import iso

Check = Annotated[
    bool, typer.Option("--check", help="Only tell whether it is served and ready; 1, if not.")
]
Wait = Annotated[
    int,
    typer.Option(
        "--wait", help="With --check: give it so long to get ready.", metavar="SECONDS", min=0
    ),
]
HERE = "the key lies in this home; to write it down: agent-memory recovery-key"
_MEGABYTE = 1_000_000
_LOOK_SECONDS = 0.1


def status(desk: Desk, *, check: Check = False, wait: Wait = 0) -> None:
    """Show whether the node is served, since when, its size, backup, keys, peers and timers.

    Example: agent-memory status
    """
    if check:
        _check(desk, wait)
        return
    home, upkeep = desk.home, desk.upkeep
    sizes = upkeep.sizes(Principal.operator())
    served, backup = record.read(home), upkeep.last_backup()
    live = [key for key in desk.node.keys.list() if key.state_at(desk.now) == "live"]
    known = desk.node.peers.list()
    system = machine.system_of(sys.platform, os.environ)
    timers = machine.timers_at(system, home)
    is_ready = served is not None and record.is_ready(served)
    age = "never" if backup is None else f"{moment.age(backup.at, desk.now)}, {backup.path}"
    desk.say(
        f"served       {_served(served, desk.now, is_ready=is_ready)}",
        f"home         {home}",
        f"version      {_version(served)}",
        f"file         {sizes.file_bytes / _MEGABYTE:,.1f} MB, "
        f"write-ahead log {sizes.log_bytes / _MEGABYTE:,.1f} MB",
        f"last backup  {age}",
        f"keys         {len(live) or 'none'}",
        f"peers        {mesh(known, desk.now)}",
        f"timers       {', '.join(timers) or 'none'}",
        f"recovery     {HERE if lies_in(home) else 'the key is not in this home'}",
    )
    desk.give(
        {
            "home": home,
            "served": None if served is None else _shape(served, is_ready=is_ready),
            "version": __version__,
            "file_bytes": sizes.file_bytes,
            "log_bytes": sizes.log_bytes,
            "last_backup": backup and {"at": iso(backup.at), "path": backup.path},
            "keys": len(live),
            "peers": len(known),
            "failed_peers": [one.name for one in known if one.fault],
            "timers": timers,
            "recovery_key_here": lies_in(home),
        }
    )


def _check(desk: Desk, wait: int) -> None:
    home, until = desk.home, time.monotonic() + wait
    while True:
        served = record.read(home)
        if served is not None and record.is_ready(served):
            desk.say(f"{home} is served at {served.url}, and ready.")
            desk.give({"home": home, "served": _shape(served, is_ready=True)})
            return
        if time.monotonic() >= until:
            told = "is not served" if served is None else "is served, and not ready"
            raise Unreachable(f"{home} {told}.")
        time.sleep(_LOOK_SECONDS)


def _served(served: record.Record | None, now: int, *, is_ready: bool) -> str:
    if served is None:
        return "no; to serve it: agent-memory serve"
    state = "" if is_ready else ", not ready"
    since = moment.age(served.started, now)
    return f"at {served.url} by process {served.pid}, started {since}{state}"


def mesh(known: Sequence[PeerView], now: int) -> str:
    """Return how many peers there are, how many failed, and when one was last seen."""
    if not known:
        return "none"
    failed = [one.name for one in known if one.fault]
    seen = max((one.seen_at or 0 for one in known), default=0)
    parts = [
        str(len(known)),
        f"last seen {moment.age(seen, now)}" if seen else "none was seen yet",
        *([f"{len(failed)} failed"] if failed else []),
    ]
    return f"{', '.join(parts)}; see: agent-memory sync status"


def _version(served: record.Record | None) -> str:
    if served is None or served.version == __version__:
        return __version__
    return f"{__version__}; the server is still {served.version}: restart it"


def _shape(served: record.Record, *, is_ready: bool) -> dict[str, object]:
    return {
        "url": served.url,
        "pid": served.pid,
        "since": iso(served.started),
        "version": served.version,
        "ready": is_ready,
    }


COMMANDS = {"status": status}
