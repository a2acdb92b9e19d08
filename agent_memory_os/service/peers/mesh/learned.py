"""Peers that nobody added: devices of people in the same teams, which come and go with the teams.

Whoever joins a team adds one peer, and the team would hang on that one machine. So the devices of
its other members become peers by themselves, each for the teams that are shared and for nothing
else: those that say where they are reached; and, on a node that says so itself, the others too, so
that they are answered when they come. What a person added, changed or removed is never touched.
``acquaint = "off"`` in ``node.toml`` ends it, and takes away whom it brought.
"""

from __future__ import annotations

from collections.abc import Iterator

from agent_memory_os.federation import address
from agent_memory_os.federation.address import DAY_MS, KEPT_MS
from agent_memory_os.federation.exchange.local import Local, known_devices
from agent_memory_os.model.register import of_time
from agent_memory_os.model.routing import acquaint
from agent_memory_os.service.context import OPERATOR, Context
from agent_memory_os.service.peers.pairing.meeting import free_name
from agent_memory_os.store import audit, node, organisation
from agent_memory_os.store.database import Snapshot, Transaction
from agent_memory_os.store.exchange import settle
from agent_memory_os.store.exchange.chart import Chart
from agent_memory_os.store.peer import addresses, peers
from agent_memory_os.store.peer.addresses import MAX_DEVICES
from agent_memory_os.store.peer.peers import Peer

MAX_LEARNED = 1_000
"""How many peers a node has that nobody added."""


def say(context: Context, local: Local, url: str, called: str) -> None:
    """Say where this node is reached, unless that was said today; nothing takes it back."""
    with context.database.read() as snapshot:
        held = addresses.of_device(snapshot, local.device.id)
        account, now = local.charts.read(snapshot).account, snapshot.now
    stamp = held.stamp if held is not None else 0
    had = (held.url, held.called) if held is not None and held.url else ("", called)
    is_fresh = not url or stamp > of_time(now - DAY_MS)
    if had == (url, called) and is_fresh:
        return
    made = address.said(local.device, account, url, called, now, stamp)
    with context.database.write() as transaction:
        addresses.keep(transaction, made)


def acquaint_with(context: Context, local: Local) -> None:
    """Make peers of the devices that may be, as they are reached now, and drop those of before."""
    with context.database.read() as snapshot:
        chart = local.charts.read(snapshot)
        near = [chart.account, *acquaint.shared(chart.view, chart.account)]
        stray = addresses.stray(snapshot, near, of_time(max(0, snapshot.now - KEPT_MS)))
        is_done = not any(True for _ in _changes(snapshot, chart))
    if is_done and not stray:
        return
    with context.database.write() as transaction:
        changes = [*_changes(transaction, chart)]
        for held, wanted in changes:
            _change(transaction, held, wanted)
        addresses.drop(transaction, stray)
    settle.refresh(context.database)


def _change(transaction: Transaction, held: Peer | None, wanted: Peer | None) -> None:
    if wanted is None:
        assert held is not None  # noqa: S101 - there is no change from nothing to nothing
        peers.remove(transaction, held.device)
        audit.add(transaction, OPERATOR, "peer forget", held.device, held.name)
    elif held is None:
        made = wanted._replace(name=free_name(transaction, wanted.name))
        peers.add(transaction, made)
        audit.add(transaction, OPERATOR, "peer learn", made.device, made.name)
    else:
        peers.change(transaction, wanted)


def _changes(snapshot: Snapshot, chart: Chart) -> Iterator[tuple[Peer | None, Peer | None]]:
    """Yield what is to be otherwise: a learned peer as it is, and as it is to be."""
    known = {one.device: one for one in peers.every(snapshot)}
    wanted = _wanted(snapshot, chart, known)
    for device, one in wanted.items():
        held = known.get(device)
        if held is None:
            yield None, one
        elif (held.address, held.ceiling) != (one.address, one.ceiling):
            yield held, held._replace(address=one.address, ceiling=one.ceiling)
    for device, held in known.items():
        if held.is_learned and device not in wanted:
            yield held, None


def _wanted(snapshot: Snapshot, chart: Chart, known: dict[str, Peer]) -> dict[str, Peer]:
    """Return the peers that are to be there without anybody having added them, by device."""
    home = node.home(snapshot)
    if home is None or not home.acquaints:
        return {}
    teams = acquaint.shared(chart.view, chart.account)
    since = of_time(max(0, snapshot.now - KEPT_MS))
    said = {
        one.device: one
        for one in addresses.of_accounts(snapshot, [chart.account, *teams])
        if one.stamp >= since and one.url
    }
    refused = peers.unwanted(snapshot) | {
        device for device, one in known.items() if not one.is_learned
    }
    is_reached = chart.device in said
    found: dict[str, Peer] = {}
    for account in sorted(teams):
        devices = [one for one in acquaint.devices(chart.view, account) if one not in refused]
        near = [one for one in devices if is_reached or one in said]
        near.sort(key=lambda one: one not in said)
        for device in near[:MAX_DEVICES]:
            where = said.get(device)
            name = where.called if where else _name_of(snapshot, chart, account)
            peer = _peer(snapshot, (device, account), name, teams[account])
            found[device] = peer._replace(address=where.url if where else "")
    return dict([*found.items()][:MAX_LEARNED])


def _name_of(snapshot: Snapshot, chart: Chart, account: str) -> str:
    """Return what to call a device that does not say: by an agent of its account."""
    agents = sorted(organisation.agent_name(snapshot, one) for one in chart.view.agents(account))
    return agents[0].partition("@")[0] if agents else "peer"


def _peer(snapshot: Snapshot, who: tuple[str, str], name: str, teams: list[str]) -> Peer:
    device, account = who
    public = known_devices(snapshot)(device)
    sign, seal = (public.sign, public.seal) if public else ("", "")
    keys = (sign, seal, *node.account_keys(snapshot, account))
    made = Peer(0, device, account, name, *keys, "", "", ",".join(teams), "", "", None, 0)
    return made._replace(is_learned=1)
