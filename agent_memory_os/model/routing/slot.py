"""What a store keeps of the versions of one register.

Of a register that merges by the latest or by length, one version is kept for each device and each
set of adds that it relies on: the newest. So a write that does not count takes the place of none
that does. What a list names is kept beside newer versions. Every grant is kept, for who is out asks
by the one that it has. In a log, every entry is kept, by its digest: a device that was restored and
gives out a number again overwrites nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from agent_memory_os.model.authority.held import Named
from agent_memory_os.model.authority.kept import Kept
from agent_memory_os.model.merge import precedence
from agent_memory_os.model.register import GRANT, LOG, Register, rule_of

Slot = tuple[str, str, str, str, tuple[tuple[str, str], ...]]


def slot_of(register: Register) -> Slot | None:
    """Return what a register shares with the versions that it may take the place of, if any."""
    rule = rule_of(register.group)
    if rule is None or rule.merge == LOG or register.group.startswith(GRANT):
        return None
    relies = tuple(sorted(register.relies.items()))
    return (register.object, register.group, register.author, register.device, relies)


def pinned(lists: Mapping[str, Kept]) -> frozenset[str]:
    """Return the digests of what lists name: no newer version takes their place."""
    return frozenset(entry.digest for listed in lists.values() for entry in listed.entries)


def displaced(versions: Iterable[Named], pins: frozenset[str]) -> list[str]:
    """Return which versions of one slot need not be kept."""
    ranked = sorted(versions, key=lambda one: (precedence(one[1]), one[0]))
    return [name for name, _ in ranked[:-1] if name not in pins]
