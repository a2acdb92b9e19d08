"""What authors and devices say that travels with the scopes: heads, and where devices are reached.

Each goes to a peer once, in the order in which it came here, and not back to who brought it. Which
of them a peer gets follows from the scopes that it is served: of heads those of the scopes, of
addresses those of the people who are in one of them now.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

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
from agent_memory_os.value import NamedTuple

HEADS = "heads"
ADDRESSES = "addresses"
_TOKEN_DIGITS = 32


class Passed(NamedTuple):
    """What is passed on of one kind: its route, how far it brings a peer, and the lines."""

    route: str
    cursor: Cursor
    part: Part


class Line(NamedTuple):
    """One thing that was said: how late it came, who brought it, and the line that passes it on."""

    number: int
    source: str
    text: bytes


def passed(
    snapshot: Snapshot, chart: Chart, routes: list[str], had: Mapping[str, Cursor], device: str
) -> Iterator[Passed]:
    """Yield what is new, for a peer's device, of what is passed on with some routes."""
    scopes = [name for name in routes if is_shared(name)]
    said = [
        Line(one.number, one.source, head.of_head(one)) for one in heads.of_scopes(snapshot, scopes)
    ]
    yield from _new(HEADS, scopes, said, chart.origin, had.get(HEADS), device)
    accounts = sorted(accounts_in(chart.view, scopes))
    told_by = addresses.of_accounts(snapshot, accounts)
    said = [
        Line(one.number, one.source, address.of_said(one))
        for one in told_by
        if one.device != device
    ]
    yield from _new(ADDRESSES, accounts, said, chart.origin, had.get(ADDRESSES), device)


def _new(
    route: str,
    names: Sequence[str],
    said: Sequence[Line],
    origin: str,
    held: Cursor | None,
    device: str,
) -> Iterator[Passed]:
    token = serve.token(names)[:_TOKEN_DIGITS]
    is_known = held is not None and (held.origin, held.token) == (origin, token)
    after = held.lseq if held is not None and is_known else 0
    found = [one for one in said if one.number > after and one.source != device]
    if found:
        at = Cursor(origin, token, after)
        frame = [] if is_known else [told.of_move(Move(route, at))]
        reached = at._replace(lseq=max(one.number for one in found))
        moved = told.of_move(Move(route, reached, after))
        yield Passed(route, reached, Part("", [*frame, *(one.text for one in found), moved]))
