"""The groups of registers: who may write each, how two versions merge, what the id commits to.

``latest``: the highest stamp wins. ``length``: causal length, so that an ending beats all that it
has seen, whatever the clocks say; odd is on, even is off, and a tie in length goes to the higher
stamp. ``log``: every entry is kept, for an entry may name others. A group that is not known is kept
and relayed, and shown to nobody.
"""

from __future__ import annotations

from typing import NamedTuple

from agent_memory_os.model import register as name

LATEST = "latest"
LENGTH = "length"
LOG = "log"


class Rule(NamedTuple):
    """One group: how versions merge, the kind of its objects, and whether it stands in the chain."""

    merge: str
    object_kind: str
    is_chained: bool = False


_EXACT = {
    name.CONTENT: Rule(LATEST, "memory"),
    name.LIFE: Rule(LENGTH, "memory"),
    name.LINK: Rule(LATEST, "link"),
    name.AGENT: Rule(LATEST, "agent"),
    name.TEAM_NAME: Rule(LOG, "team", is_chained=True),
    name.TEAM_LIFE: Rule(LOG, "team", is_chained=True),
    name.PROJECT_NAME: Rule(LOG, "project", is_chained=True),
    name.PROJECT_LIFE: Rule(LOG, "project", is_chained=True),
}
_PREFIXED = {
    name.GRANT: Rule(LENGTH, "memory"),
    name.DEVICE: Rule(LOG, "account", is_chained=True),
    name.TEAM_MEMBER: Rule(LOG, "team", is_chained=True),
    name.PROJECT_MEMBER: Rule(LOG, "project", is_chained=True),
}


def rule_of(group: str) -> Rule | None:
    """Return the rule of a group, or ``None`` for one that this version does not know."""
    found = _EXACT.get(group)
    if found is not None:
        return found
    prefix, colon, rest = group.partition(":")
    return _PREFIXED.get(prefix + colon) if rest else None
