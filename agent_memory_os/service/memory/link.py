"""Writing links, and that one memory supersedes another."""

from __future__ import annotations

from collections.abc import Iterable

from agent_memory_os.model.identifier import link_id
from agent_memory_os.model.link import SUPERSEDES
from agent_memory_os.model.memory import Memory
from agent_memory_os.model.principal import Principal
from agent_memory_os.model.register import LINK
from agent_memory_os.service.context import OPERATOR
from agent_memory_os.store import links, memories, organisation
from agent_memory_os.store.database import Snapshot
from agent_memory_os.store.registers import Draft
from agent_memory_os.store.write import Writer


def put_link(writer: Writer, src: str, dst: str, relation: str, weight: int, by: str) -> None:
    """Write what somebody says of a link; of no weight, that it says so no more.

    It is said in the teams and projects that both ends are shared with, as far as who says it is
    in them; what is taken back is taken back everywhere.
    """
    proof = (src, dst, relation, by)
    draft = Draft(link_id(*proof), LINK, {"weight": weight}, proof)
    writer.put_link(draft, _common(writer, src, dst, by) if weight else {})


def _common(writer: Writer, src: str, dst: str, by: str) -> dict[str, str]:
    places = [memories.place_of(writer.transaction, one) for one in (src, dst)]
    granted = [memories.granted(writer.transaction, one.row) for one in places if one]
    found: dict[str, str] = {}
    for scope in sorted(set.intersection(*granted)) if len(granted) == len(places) else ():
        if scope.startswith(("team:", "project:")):
            add = organisation.standing_add(writer.transaction, scope, by)
            if add is not None:
                found[scope] = add
    return found


def put_supersession(writer: Writer, newer: Memory, older: Memory, weight: int, by: str) -> None:
    """Write that one memory supersedes another; that it was the other way round is taken back."""
    if by in links.asserted(writer.transaction, older.id, newer.id, SUPERSEDES):
        put_link(writer, older.id, newer.id, SUPERSEDES, 0, by)
    put_link(writer, newer.id, older.id, SUPERSEDES, weight, by)


def retractable(snapshot: Snapshot, principal: Principal, asserters: Iterable[str]) -> list[str]:
    """Return whose assertions a principal takes back: its own; an operator all of its account."""
    if not principal.is_operator:
        return [by for by in asserters if by == principal.agent]
    return [by for by in asserters if by == OPERATOR or organisation.is_own(snapshot, by)]
