"""What lies ahead of the clock waits, and is neither dropped nor changed.

A content, a widening, or anything else that gives is not taken into the view while its stamp is
more than a minute ahead of this node's clock; it is kept, and taken in when it is due. (Dropping
it makes nodes differ for good; bringing its stamp back changes what was signed.) Whatever takes
away counts as soon as it comes, and never moves this node's own clock.
"""

from __future__ import annotations

from agent_memory_os.model.authority.memory import is_ending
from agent_memory_os.model.register import (
    FUTURE_LIMIT_MS,
    PROJECT_NARROW,
    TEAM_NARROW,
    Register,
    time_of,
)


def takes_away(register: Register) -> bool:
    """Say whether a register only takes away: it counts at once, whatever its stamp."""
    if register.group in (TEAM_NARROW, PROJECT_NARROW) or is_ending(register):
        return True
    return register.value.get("act") == "remove" or register.value.get("state") in (
        "revoked",
        "removed",
    )


def waits(register: Register, now: int, last: int = 0) -> bool:
    """Say whether a register waits until it is due; ``now`` in milliseconds of UTC.

    ``last`` is this node's newest stamp, where a register is judged that is held already: what
    counted once, or was written here, counts though the clock went back.
    """
    is_ahead = due_at(register) > now and register.stamp > last
    return is_ahead and not takes_away(register)


def due_at(register: Register) -> int:
    """Return from when on a register that gives is taken in."""
    return time_of(register.stamp) - FUTURE_LIMIT_MS


def moves_clock(register: Register, now: int) -> bool:
    """Say whether this node's next stamp has to lie above a register's."""
    return not takes_away(register) and not waits(register, now)
