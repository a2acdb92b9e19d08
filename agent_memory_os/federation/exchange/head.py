"""Heads: what an account says that it put into a team or project, signed by its device.

A hub that passes on what others wrote could leave something out, and the totals of the hub would
hide it. So each author says how many records of its own are in a scope, and the sum of their marks;
that travels with the scope, and whoever holds less for longer than it takes to come knows that
somebody withholds. A head is said anew when it has changed, by a stamp that only grows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from agent_memory_os.errors import InvalidInput
from agent_memory_os.federation.bundle import notice
from agent_memory_os.federation.bundle.notice import Notice
from agent_memory_os.federation.identity import Device, PublicDevice
from agent_memory_os.federation.statement import from_text, holds, signed, to_line
from agent_memory_os.model.authority.memory import is_shared
from agent_memory_os.model.canonical import fits
from agent_memory_os.model.register import MAX_STAMP, of_time
from agent_memory_os.store.database import Snapshot
from agent_memory_os.store.exchange import route
from agent_memory_os.store.exchange.chart import Chart
from agent_memory_os.store.exchange.route import Total
from agent_memory_os.store.peer import heads
from agent_memory_os.store.peer.heads import Head

HEAD = "head"
DOMAIN = b"agent-memory head 1\n"
MAX_LINE_BYTES = 2_048


def changed(snapshot: Snapshot, chart: Chart, device: Device, routes: list[str]) -> Iterator[Head]:
    """Yield this account's heads of some routes that are not as they were said last."""
    scopes = [name for name in routes if is_shared(name)]
    said = {
        one.scope: one for one in heads.of_scopes(snapshot, scopes) if one.account == chart.account
    }
    for scope in scopes:
        total = route.total_of(snapshot, scope, chart.account)
        last = said.get(scope)
        if total != (last.total if last else Total(0, 0)):
            stamp = min(max(of_time(snapshot.now), last.stamp + 1 if last else 0), MAX_STAMP)
            yield _said(Head(scope, chart.account, stamp, total, b""), device)


def _said(head: Head, device: Device) -> Head:
    fields = {
        "scope": head.scope,
        "account": head.account,
        "device": device.id,
        "stamp": head.stamp,
        "records": head.total.records,
        "mark": f"{head.total.mark:064x}",
    }
    return head._replace(line=to_line(signed(DOMAIN, fields, device.sign)))


def of_head(head: Head) -> bytes:
    """Return the line that passes a head on, as its device signed it."""
    return notice.to_line(Notice(HEAD, {"line": head.line.decode().rstrip("\n")}))


def head_of(
    fields: Mapping[str, object],
    known: Callable[[str], PublicDevice | None],
    account_of: Callable[[str], str | None],
) -> Head:
    """Return a head that a device of its account signed; raise :class:`InvalidInput` for others.

    ``account_of`` gives the account of a device that is certified and not revoked.
    """
    statement = from_text(fields.get("line"), MAX_LINE_BYTES)
    said = statement.fields
    device, account, scope, mark = (said.get(n) for n in ("device", "account", "scope", "mark"))
    stamp, records = said.get("stamp"), said.get("records")
    if not (isinstance(device, str) and isinstance(account, str) and isinstance(scope, str)):
        raise InvalidInput("a head names no device, account or scope")
    if not (fits(mark, "digest") and fits(stamp, "count") and fits(records, "count")):
        raise InvalidInput("a head counts nothing")
    public = known(device)
    if public is None or account_of(device) != account or not is_shared(scope):
        raise InvalidInput("a head is of nobody who is known here")
    if not holds(DOMAIN, statement, public.sign):
        raise InvalidInput("a head was not signed by its device")
    total = Total(int(str(records)), int(str(mark), 16))
    return Head(scope, account, int(str(stamp)), total, to_line(statement))
