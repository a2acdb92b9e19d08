"""What authors and devices say that travels with the scopes: heads, and where devices are reached.

Each goes to a peer once, in the order in which it came here, and not back to who brought it. Which
of them a peer gets follows from the scopes that it is served: of heads those of the scopes, of
addresses those of the people who are in one of them now.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol, TypeVar

from agent_memory_os.federation import address
from agent_memory_os.federation.bundle.write import Part
from agent_memory_os.federation.exchange import head, told
from agent_memory_os.federation.exchange.told import Move
from agent_memory_os.model.authority.memory import is_shared
from agent_memory_os.model.routing import serve
from agent_memory_os.model.routing.acquaint import accounts_in
from agent_memory_os.model.routing.cursor import Cursor
from agent_memory_os.store.database import Snapshot
from agent_memory_os.store.exchange.chart import Chart
from agent_memory_os.store.peer import addresses, heads

HEADS = "heads"
ADDRESSES = "addresses"
_TOKEN_DIGITS = 32


class Passed(NamedTuple):
    """What is passed on of one kind: its route, how far it brings a peer, and the lines."""

    route: str
    cursor: Cursor
    part: Part


class Line(Protocol):
    """One thing that was said: how late it came, and who brought it."""

    @property
    def number(self) -> int:
        """How late it came."""

    @property
    def source(self) -> str:
        """Which peer brought it."""


Said = TypeVar("Said", bound=Line)


def passed(
    snapshot: Snapshot, chart: Chart, routes: list[str], had: Mapping[str, Cursor], device: str
) -> Iterator[Passed]:
    """Yield what is new, for a peer's device, of what is passed on with some routes."""
    scopes = [name for name in routes if is_shared(name)]
    at = _Reader(chart.origin, had, device)
    yield from at.new(HEADS, scopes, heads.of_scopes(snapshot, scopes), head.of_head)
    accounts = sorted(accounts_in(chart.view, scopes))
    told_by = [one for one in addresses.of_accounts(snapshot, accounts) if one.device != device]
    yield from at.new(ADDRESSES, accounts, told_by, address.of_said)


class _Reader(NamedTuple):
    """A peer that reads: by which index it is numbered for it, how far it is, and its device."""

    origin: str
    had: Mapping[str, Cursor]
    device: str

    def new(
        self,
        route: str,
        names: Sequence[str],
        said: Sequence[Said],
        written: Callable[[Said], bytes],
    ) -> Iterator[Passed]:
        """Yield what the reader has not got of what was said, as lines, and how far that brings."""
        token, held = serve.token(names)[:_TOKEN_DIGITS], self.had.get(route)
        is_known = held is not None and (held.origin, held.token) == (self.origin, token)
        after = held.lseq if held is not None and is_known else 0
        found = [one for one in said if one.number > after and one.source != self.device]
        if found:
            at = Cursor(self.origin, token, after)
            frame = [] if is_known else [told.of_move(Move(route, at))]
            reached = at._replace(lseq=max(one.number for one in found))
            moved = told.of_move(Move(route, reached, after))
            yield Passed(route, reached, Part("", [*frame, *map(written, found), moved]))
