"""What a read path is that answers a principal at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from agent_memory_os.model.principal import Principal
from tests.laws.world import World

Ask = Callable[[World, Principal], Any]
MANY = 200


class Whole(NamedTuple):
    """A path that answers at once.

    ``ids`` takes the memories out of an answer, ``expected`` gives those that must be there, and
    ``in_order`` tells whether their order is known too; ``extra`` gives those that may be there as
    well. Without ``expected`` only what the answer must not show is looked at. ``tells`` gives the
    hidden words that this path alone may show.
    """

    name: str
    label: str
    ask: Ask
    ids: Callable[[Any], list[str]] = lambda _: []
    expected: Callable[[World, Principal], list[str]] | None = None
    in_order: bool = False
    extra: Callable[[World, Principal], set[str]] = lambda *_: set()
    tells: Callable[[World, Principal], set[str]] = lambda *_: set()
