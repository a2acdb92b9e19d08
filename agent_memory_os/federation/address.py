"""Where a device says that it is reached: signed by it, and passed on within its teams.

Whoever joins a team knows the one peer that it came by. So a device whose operator wants it says
where it is reached, and how it calls itself; that goes to whoever shares a team or project with its
account, by whatever peer. It says so anew each day while it is served, by a stamp that only grows,
and what was not said for a month is forgotten. An empty URL takes back what was said.

It tells nobody whom to trust: whoever answers there must sign as that device, or nothing is said or
believed. And it opens nothing: a URL that leads to the reader's own machine, or to what stands
beside it, is none (:mod:`federation.transport.outward`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from agent_memory_os.errors import InvalidInput
from agent_memory_os.federation.bundle import notice
from agent_memory_os.federation.bundle.notice import Notice
from agent_memory_os.federation.identity import Device, PublicDevice
from agent_memory_os.federation.statement import from_text, holds, signed, to_line
from agent_memory_os.federation.transport.outward import checked
from agent_memory_os.model.canonical import fits
from agent_memory_os.model.organisation import check_name
from agent_memory_os.model.register import MAX_STAMP, of_time
from agent_memory_os.store.peer.addresses import Said

ADDRESS = "address"
DOMAIN = b"agent-memory address 1\n"
MAX_LINE_BYTES = 1_024
DAY_MS = 86_400_000
KEPT_MS = 30 * DAY_MS
"""For how long it counts what a device said."""

_AHEAD_MS = 300_000
"""What is from further ahead is not believed: its device says it again, once its clock is right."""


def said(device: Device, account: str, url: str, called: str, now: int, last: int = 0) -> Said:
    """Return what a device says; ``last`` is the stamp of what it said before."""
    stamp = min(max(of_time(now), last + 1), MAX_STAMP)
    fields = {
        "account": account,
        "called": called,
        "device": device.id,
        "stamp": stamp,
        "url": url,
    }
    line = to_line(signed(DOMAIN, fields, device.sign))
    return Said(device.id, account, stamp, url, called, line)


def of_said(said: Said) -> bytes:
    """Return the line that passes on what a device said, as it signed it."""
    return notice.to_line(Notice(ADDRESS, {"line": said.line.decode().rstrip("\n")}))


def said_in(
    fields: Mapping[str, object],
    known: Callable[[str], PublicDevice | None],
    account_of: Callable[[str], str | None],
    now: int,
) -> Said | None:
    """Return what a device of its account signed; ``None`` where it is from too far ahead.

    Raises :class:`InvalidInput` for what nobody who is known here said, or no URL that is asked.
    ``account_of`` gives the account of a device that is certified and not revoked.
    """
    statement = from_text(fields.get("line"), MAX_LINE_BYTES)
    given = statement.fields
    account, called, device, url = (
        given.get(name) for name in ("account", "called", "device", "url")
    )
    if not (isinstance(account, str) and isinstance(called, str) and isinstance(device, str)):
        raise InvalidInput("an address names no device")
    if not isinstance(url, str) or not fits(given.get("stamp"), "count"):
        raise InvalidInput("an address says nothing")
    public = known(device)
    if public is None or account_of(device) != account:
        raise InvalidInput("an address is of nobody who is known here")
    if not holds(DOMAIN, statement, public.sign):
        raise InvalidInput("an address was not signed by its device")
    if url:
        checked(url)
    check_name("peer", called)
    stamp = int(str(given["stamp"]))
    if stamp > of_time(now + _AHEAD_MS):
        return None
    return Said(device, account, stamp, url, called, to_line(statement))
