"""Moving one memory to another agent of the account.

It is written anew for the other agent, with all that it says and for everybody who reads it now, as
far as the other agent may share with them. The new one supersedes the old one, which ends: it is no
longer offered, and stays where it was for those who know its id. Where its owner's writes count no
more, or the new one is not shared, the old one is taken back, so that nobody is left with it alone.
All of it is one transaction: at any moment a memory is moved, or it is not.

The id of the new one follows from the old one's, so that two devices which move the same memory to
the same agent make one memory of it.
"""

from __future__ import annotations

from agent_memory_os.errors import Refused
from agent_memory_os.model.audience import GLOBAL
from agent_memory_os.model.identifier import memory_id
from agent_memory_os.model.link import DEFAULT_WEIGHT, SUPERSEDES
from agent_memory_os.model.memory import Content, Memory
from agent_memory_os.model.organisation import Agent
from agent_memory_os.model.principal import Principal
from agent_memory_os.service.audience import Scope
from agent_memory_os.service.context import OPERATOR, check_clock
from agent_memory_os.service.memory import add, change
from agent_memory_os.service.memory.link import put_link, put_supersession
from agent_memory_os.service.memory.right import own
from agent_memory_os.store import memories, organisation
from agent_memory_os.store.database import Snapshot
from agent_memory_os.store.memory import move
from agent_memory_os.store.memory.move import HeldLink
from agent_memory_os.store.write import Writer
from agent_memory_os.value import NamedTuple

_OPERATOR = Principal.operator()

_LONG_AGO_MS = 86_400_000
"""So long before it is moved an old one has expired, so that no peer whose clock is behind goes on
offering it beside the new one."""


class Way(NamedTuple):
    """From which agent to which; ``drops``: also what the other cannot share as it is shared."""

    source: Agent
    target: Agent
    drops: bool = False


class Shared(NamedTuple):
    """How a memory is shared then: with whom still, and who loses it."""

    kept: tuple[Scope, ...]
    lost: tuple[Scope, ...]


def is_done(snapshot: Snapshot, way: Way, memory: str) -> bool:
    """Say whether a memory was moved before: to this agent, or to any other that has it still."""
    if move.is_moved(snapshot, memory):
        return True
    account = way.target.account
    new = memory_id(account, way.target.id, move.nonce_from(memory))
    return memories.place_of(snapshot, new) is not None or memories.is_erased(snapshot, new)


def shared(snapshot: Snapshot, way: Way, grants: dict[str, str]) -> Shared:
    """Return how the other agent may share what is granted to some scopes (with their names)."""
    kept, lost = list[Scope](), list[Scope]()
    for scope, name in grants.items():
        kind, _, object_id = scope.partition(":")
        if kind == GLOBAL or (kind == "agent" and object_id != way.target.id):
            kept.append(Scope(scope, name, None))
        elif kind != "agent" and not _is_over(snapshot, kind, object_id):
            add_register = organisation.standing_add(snapshot, scope, way.target.id)
            found = Scope(scope, name, add_register)
            (lost if add_register is None else kept).append(found)
    return Shared(tuple(kept), tuple(lost))


def _is_over(snapshot: Snapshot, kind: str, object_id: str) -> bool:
    """Say whether a team or project has ended: nobody reads through it, then or now."""
    read = organisation.teams if kind == "team" else organisation.projects
    return any(one.id == object_id for one in read(snapshot, organisation.REMOVED))


def put(writer: Writer, way: Way, old_id: str) -> bool:
    """Move one memory; say whether that was still to be done (it was not moved, nor forgotten).

    Raises :class:`Refused` where somebody would lose it and that was not said, and
    :class:`ClockWrong` where it is shared and nothing can be shared now.
    """
    place = memories.place_of(writer.transaction, old_id)
    if place is None or place.state != "active" or is_done(writer.transaction, way, old_id):
        return False
    old = own(writer, _OPERATOR, old_id, "move")
    with_names = dict(zip(old.grants, old.audience, strict=True))
    then = shared(writer.transaction, way, with_names)
    if then.lost and not way.drops:
        raise loses(way, [scope.name for scope in then.lost], old.id)
    if then.kept:
        check_clock(writer.transaction)
    proof = (writer.account, way.target.id, move.nonce_from(old.id))
    new = add.put(writer, memory_id(*proof), proof, _content(old, way), then.kept)
    _end(writer, way, old, then)
    put_supersession(writer, new, old, DEFAULT_WEIGHT, old.owner)
    for link in move.links_of(writer.transaction, old.id):
        _link_anew(writer, way, link, old.id, new.id)
    return True


def loses(way: Way, names: list[str], what: str) -> Refused:
    """Return what is said where somebody would lose what is moved."""
    return Refused(
        f"{way.target.name} may not share with {', '.join(names)}, and who reads {what} by that "
        "would lose it: add it there first, or drop those grants.",
        "drop_grants",
    )


def _content(old: Memory, way: Way) -> Content:
    """Return what the new one says: the same, written by whom it was written."""
    editor = old.content.editor or old.owner
    reason = f"Moved from {way.source.name}."
    return old.content._replace(
        editor="" if editor == way.target.id else editor, reason=reason, life=1
    )


def _end(writer: Writer, way: Way, old: Memory, then: Shared) -> None:
    """Let the old one be offered no longer."""
    kept = {scope.scope for scope in then.kept}
    gone = tuple(
        scope
        for scope in old.grants
        if scope not in kept or _is_unheard(writer.transaction, scope, old.owner)
    )
    change.revoke(writer, old, gone, OPERATOR)
    left = tuple(scope for scope in old.grants if scope not in gone)
    now, ends = writer.transaction.now, old.content.expires_at
    if ends is None or ends > now:
        changes = {"expires_at": now - _LONG_AGO_MS}
        edit = change.Edit(changes, f"Moved to {way.target.name}.", OPERATOR)
        change.edit(writer, old._replace(grants=left), edit, allow_secrets=True)


def _is_unheard(snapshot: Snapshot, scope: str, owner: str) -> bool:
    """Say whether an owner has left a team or project: what it writes reaches it no more."""
    return (
        scope.startswith(("team:", "project:"))
        and organisation.standing_add(snapshot, scope, owner) is None
    )


def _link_anew(writer: Writer, way: Way, link: HeldLink, old: str, new: str) -> None:
    """Make a link of the old one for the new one, where this account asserts it."""
    other = link.dst if link.src == old else link.src
    snapshot = writer.transaction
    if other == new or move.is_moved(snapshot, other):
        return
    if link.by != OPERATOR and not organisation.is_own(snapshot, link.by):
        return
    src, dst = (new, other) if link.src == old else (other, new)
    put_link(writer, src, dst, link.relation, link.weight, _asserter(way, link, old))


def _asserter(way: Way, link: HeldLink, old: str) -> str:
    """Return who says it then: the new owner for the old one.

    That something supersedes a memory is said by the owner of that memory, or hides nothing.
    """
    if link.by != way.source.id:
        return link.by
    if link.relation == SUPERSEDES and link.src == old and link.other_owner == way.source.id:
        return link.by
    return way.target.id
