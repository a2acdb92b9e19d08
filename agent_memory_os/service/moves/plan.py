"""What a move would do: which memories it is about, and who reads them then."""

from __future__ import annotations

from agent_memory_os.errors import InvalidInput
from agent_memory_os.model.memory import Memory
from agent_memory_os.model.recall import Filter, check_filter
from agent_memory_os.value import NamedTuple


class Chosen(NamedTuple):
    """Which memories of an agent are to be moved.

    ``audience`` is one grant as people write it, or ``private``. ``back`` narrows to what was moved
    from the very agent that it is to be moved to.
    """

    wanted: Filter = Filter()
    audience: str | None = None
    back: bool = False


EVERYTHING = Chosen()
"""All that an agent has and that is offered."""


def check(chosen: Chosen) -> None:
    """Raise :class:`InvalidInput` for what cannot be chosen to be moved."""
    check_filter(chosen.wanted)
    if chosen.wanted.owner is not None:
        raise InvalidInput("What is moved is of the agent that it is moved from: name no owner.")
    if chosen.wanted.state == "forgotten":
        raise InvalidInput("What is forgotten is not moved: bring it back first.")


class Reach(NamedTuple):
    """An audience, by its scope and as people write it, and how many of the memories it reads."""

    scope: str
    name: str
    memories: int


class Plan(NamedTuple):
    """What a move from one agent to another would do; the agents are ids with their names.

    ``kept`` are the audiences that go on reading, ``lost`` those with whom the other agent may not
    share: what they read is moved only where it is said that they lose it. ``skipped`` counts what
    was moved before. ``sample`` are the first few memories.
    """

    source: str
    source_name: str
    target: str
    target_name: str
    memories: int
    skipped: int
    kept: tuple[Reach, ...]
    lost: tuple[Reach, ...]
    sample: tuple[Memory, ...]


class TeamPlan(NamedTuple):
    """What a move from one team to another would do; the teams are ids with their names.

    ``memories`` counts those of this account's that the first team reads and that their owners may
    share with the other; ``left`` those of agents that are not in it, by the agent's name.
    """

    source: str
    source_name: str
    target: str
    target_name: str
    memories: int
    left: tuple[tuple[str, int], ...]
    sample: tuple[Memory, ...]


class Step(NamedTuple):
    """What one transaction of a move did, and the cursor behind it (empty: that was all)."""

    moved: int
    skipped: int
    cursor: str
