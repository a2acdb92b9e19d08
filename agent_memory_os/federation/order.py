"""The order in which registers can be taken in: each after what certifies the device that wrote it.

An account's key signs what certifies a device, so that this can be verified before anything is
known of the device by which it was written. It is kept by that device all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from agent_memory_os.model.register import DEVICE
from agent_memory_os.store.exchange.arrival import Arrival


def ordered(
    arrivals: Iterable[Arrival], is_known: Callable[[str], object]
) -> tuple[list[Arrival], list[Arrival]]:
    """Return what can be taken in, in an order in which it can, and what cannot yet."""
    taken: list[Arrival] = []
    waiting = list(arrivals)
    certified: set[str] = set()
    while waiting:
        ready, waiting = _parted(waiting, certified, is_known)
        if not ready:
            break
        taken += ready
        certified |= {one.register.group.removeprefix(DEVICE) for one in ready if _certifies(one)}
    return taken, waiting


def _parted(
    arrivals: list[Arrival], certified: set[str], is_known: Callable[[str], object]
) -> tuple[list[Arrival], list[Arrival]]:
    ready: list[Arrival] = []
    waiting: list[Arrival] = []
    for one in arrivals:
        device = one.register.device
        is_own = one.register.group == DEVICE + device
        is_ready = is_own or device in certified or is_known(device)
        (ready if is_ready else waiting).append(one)
    return ready, waiting


def _certifies(arrival: Arrival) -> bool:
    return arrival.register.group.startswith(DEVICE)
