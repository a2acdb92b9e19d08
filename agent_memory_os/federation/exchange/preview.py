"""What a peer would be sent, and by which rule, before anything is: the routes of serving, unsent.

Each row is something that would go: a record of a memory or link, or a register of the
organisation. The rule says what admits it. It is worked out by what serves, so that there is no
second opinion to differ.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from agent_memory_os.federation.exchange.serve import Server, records_of
from agent_memory_os.model.register import CONTENT
from agent_memory_os.model.routing import ceiling, serve
from agent_memory_os.store.exchange import route

_PAGE = 200
INTRODUCED = "introduced"

OWN = "it is a device of this account, and holds all that the account wrote"
BACK = "its account wrote it"
CHARGE = "its account founded the team, or is in charge of it"
MEMBER = "its agents are members there"
AGENT = "it is shared with this agent of its account"
EVERYBODY = "it is shared with everybody, and this peer may have that"
REMOVED = "one of its agents was removed: it is told so"
KNOWN = "its account is to know of it"
ENDED = "it was shared there once: that this ended is told"

_RULES = {
    "own": OWN,
    "back": BACK,
    "charge": CHARGE,
    "team": MEMBER,
    "project": MEMBER,
    "agent": AGENT,
    "global": EVERYBODY,
}


class Row(NamedTuple):
    """Something that would be sent: on which route, what object, of which groups, by which rule.

    ``has_content``: its words would go, and not only what ended.
    """

    route: str
    object: str
    groups: tuple[str, ...]
    rule: str
    has_content: bool


def rows(server: Server) -> Iterator[Row]:
    """Yield what a peer that has nothing yet would be sent."""
    if server.is_revoked:
        return
    view, account = server.chart.view, server.peer.account
    yield from _chart(server, "", serve.told(view, account), REMOVED)
    yield from _chart(server, "", server.introduced(), KNOWN)
    for name in ceiling.routes(view, server.chart.account, account, server.peer.ceiling):
        rule = _RULES[name.partition(":")[0]]
        yield from _chart(server, name, server.frame_of(name), rule)
        yield from _records(server, name, rule)


def _chart(server: Server, name: str, names: list[str], rule: str) -> Iterator[Row]:
    groups: dict[str, list[str]] = {}
    for one in names:
        register = server.chart.entries[one].register
        groups.setdefault(register.object, []).append(register.group)
    for object_id, found in sorted(groups.items()):
        yield Row(name, object_id, tuple(sorted(set(found))), rule, has_content=False)


def _records(server: Server, name: str, rule: str) -> Iterator[Row]:
    records, after = records_of(name), 0
    while records and (found := route.after(server.snapshot, records, after, _PAGE)):
        after = found[-1].lseq
        for object_id, held in server.reader.of(one.object for one in found).items():
            served = server.served(object_id, records, held)
            groups = tuple(sorted({one.register.group for one in served}))
            has_content = CONTENT in groups or object_id.startswith("lnk_")
            ended = ENDED if not has_content and rule == MEMBER else rule
            yield Row(name, object_id, groups, ended, has_content)
