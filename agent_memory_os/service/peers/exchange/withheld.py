"""What authors say that they put into scopes, and has not come: somebody may withhold it.

Something is always on its way, so what matters is since when. Told is of teams and projects alone
that an agent of this account is in: of others no node is sent anything any more.
"""

from __future__ import annotations

from agent_memory_os.model.routing import acquaint
from agent_memory_os.service.peers import ceiling
from agent_memory_os.store.database import Snapshot
from agent_memory_os.store.exchange import chart as charts
from agent_memory_os.store.exchange import route
from agent_memory_os.store.peer import heads, peers
from agent_memory_os.value import NamedTuple


class Withheld(NamedTuple):
    """A scope in which an account says that it has other memories and links than are held here.

    ``peer`` is what a device of the account is called here, if one is a peer. ``says`` and ``held``
    count them; ``since`` is when the two were first found to differ, in milliseconds of UTC.
    """

    scope: str
    account: str
    peer: str
    says: int
    held: int
    since: int


def withheld(snapshot: Snapshot) -> tuple[Withheld, ...]:
    """Return where what is held differs from what others say, what has differed longest first."""
    chart = charts.read(snapshot)
    called: dict[str, str] = {}
    for one in peers.every(snapshot):
        called.setdefault(one.account, one.name)
    found = [
        Withheld(
            ceiling.shown(snapshot, head.scope),
            head.account,
            called.get(head.account, ""),
            head.total.records,
            route.total_of(snapshot, head.scope, head.account).records,
            head.differs_since,
        )
        for head in heads.every(snapshot)
        if head.differs_since is not None
        and head.source
        and acquaint.was_in(chart.view, chart.account, head.scope)
    ]
    return tuple(sorted(found, key=lambda one: (one.since, one.scope, one.account)))
