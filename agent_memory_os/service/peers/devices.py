"""The devices of this node's account: what the account says of each, and which are peers here."""

from __future__ import annotations

from agent_memory_os.model.register import DEVICE
from agent_memory_os.service.peers.identity import CERTIFIED, REVOKED, identity_of
from agent_memory_os.store.database import Snapshot
from agent_memory_os.store.exchange import chart as charts
from agent_memory_os.store.peer import peers
from agent_memory_os.value import NamedTuple

UNCERTIFIED = "uncertified"


class DeviceView(NamedTuple):
    """A device of the account; ``device`` is its fingerprint, ``peer`` the peer's name, if it is.

    ``state``: ``certified`` by the account, ``revoked``, or ``uncertified``, which this node itself
    is until another one has certified it.
    """

    device: str
    is_this: bool
    state: str
    peer: str


def devices_of(snapshot: Snapshot) -> tuple[DeviceView, ...]:
    """Return the devices of the account: this one, then the others by their fingerprints."""
    identity, chart = identity_of(snapshot), charts.read(snapshot)
    groups = [
        one.register.group
        for one in chart.entries.values()
        if one.lseq and one.register.object == identity.account
    ]
    known = {group.removeprefix(DEVICE) for group in groups if group.startswith(DEVICE)}
    revoked = chart.view.devices.revocations
    called = {one.device: one.name for one in peers.every(snapshot)}
    found = []
    for device in sorted(known | {identity.device}, key=lambda one: (one != identity.device, one)):
        state = CERTIFIED if device in known else UNCERTIFIED
        state = REVOKED if revoked(identity.account, device) else state
        is_this = device == identity.device
        found.append(DeviceView(device, is_this, state, called.get(device, "")))
    return tuple(found)
