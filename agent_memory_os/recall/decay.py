"""How a memory goes stale: its half-life, and how fresh it is at a time.

Age counts from the last change of the content, and from nothing else: reading a memory does not
make it younger. A date that lies in the future makes nothing fresh; only a clock that is a little
ahead is forgiven. What has a half-life of 0 days does not go stale.
"""

from __future__ import annotations

from agent_memory_os.model.memory import Content

HALF_LIFE_DAYS = {
    "preference": 180,
    "fact": 90,
    "procedure": 365,
    "environment": 30,
    "decision": 180,
    "warning": 365,
    "note": 30,
    "event": 30,
    "snapshot": 30,
}
"""Days after which a memory of a type is half as fresh."""

DAY_MS = 86_400_000
CLOCK_SKEW_MS = 300_000
"""How far ahead another clock may be: five minutes."""


def half_life_days(content: Content) -> int:
    """Return the memory's own half-life if it has one, else its type's; 0 is none."""
    own = content.half_life_days
    return HALF_LIFE_DAYS[content.type] if own is None else own


def freshness(content: Content, now: int) -> float:
    """Return how fresh the content is: 1 when just changed, a half after each half-life.

    It is 0 when both the change and the creation lie in the future.
    """
    past = [at for at in (content.created_at, content.updated_at) if at <= now + CLOCK_SKEW_MS]
    if not past:
        return 0.0
    days = half_life_days(content)
    if days == 0:
        return 1.0
    age = max(0, now - max(past))
    return float(0.5 ** (age / (days * DAY_MS)))
