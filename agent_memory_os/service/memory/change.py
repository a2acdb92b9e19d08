"""Changing memories: edit, share, revoke, forget, bring back, erase.

A content keeps its earlier version; a grant keeps its span. A tombstone ends a life, whatever the
clocks say; bringing a memory back starts the next one.
"""

from __future__ import annotations

from collections.abc import Mapping

from agent_memory_os.errors import InvalidInput, NotFound
from agent_memory_os.model import memory as model
from agent_memory_os.model.memory import Content, Memory
from agent_memory_os.model.register import CONTENT, GRANT, LIFE
from agent_memory_os.model.view import next_length
from agent_memory_os.service.audience import Scope
from agent_memory_os.service.context import check_clock
from agent_memory_os.service.memory.add import storable
from agent_memory_os.service.memory.right import proof_of
from agent_memory_os.store import memories, organisation
from agent_memory_os.store.memory import put
from agent_memory_os.store.registers import Draft, held_values
from agent_memory_os.store.write import Writer
from agent_memory_os.value import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from typing import Any

UNDO_DAYS = 30
UNDO_MS = UNDO_DAYS * 86_400_000

EDITABLE = frozenset(Content._fields) - {"created_at", "updated_at", "editor", "reason", "life"}


class Edit(NamedTuple):
    """Fields of :class:`Content` with their new values, why, and who edits."""

    changes: Mapping[str, object]
    reason: str
    actor: str


def edit(writer: Writer, memory: Memory, new: Edit, *, allow_secrets: bool) -> dict[str, None]:
    """Write a new version of a memory; return the kinds of secrets that were masked in it.

    What changes nothing writes nothing.
    """
    check_names(new.changes)
    kinds: dict[str, None] = {}
    fields: dict[str, Any] = {**new.changes, "reason": new.reason}
    fields |= storable(fields, kinds, allow_secrets=allow_secrets)
    reason = fields.pop("reason")
    held = memory.content
    content = held._replace(**fields)
    if content == held:
        return kinds
    # A version begins after the one before it and after every change of the audience, whatever the
    # clock says: else a reader could be shown what was written while nothing was shared with it.
    last = max(held.updated_at, put.last_grant_change(writer.transaction, memory.id)) + 1
    content = content._replace(
        updated_at=max(writer.transaction.now, last),
        editor="" if new.actor == memory.owner else new.actor,
        reason=reason,
    )
    content = model.check(content)
    put_content(writer, memory, content)
    return kinds


def check_names(changes: Mapping[str, object]) -> None:
    """Raise :class:`InvalidInput` for a field that there is not, or that is not edited."""
    unknown = sorted(set(changes) - EDITABLE)
    if unknown:
        raise InvalidInput(f"A memory has no field {unknown[0]!r} that can be edited.")


def check_changes(changes: Mapping[str, object], reason: str) -> dict[str, object]:
    """Return changes and the reason as they are taken; secrets are left as they are.

    Raises the error of the first that no memory can take, whatever it holds now.
    """
    check_names(changes)
    fields: dict[str, Any] = {**changes, "reason": reason}
    fields |= storable(fields, {}, allow_secrets=True)
    model.check(Content("-", 0, 0)._replace(**fields))
    return fields


def put_content(writer: Writer, memory: Memory, content: Content) -> None:
    """Write a memory's content for each of its present scopes in which its owner is.

    It names the scope, with the add that the owner relies on; an agent and ``global`` have none.
    """
    adds = {scope: _add(writer, scope, memory.owner) for scope in memory.grants}
    relies = {scope: add for scope, add in adds.items() if add is not None}
    draft = Draft(memory.id, CONTENT, {}, proof_of(writer, memory), relies)
    writer.put_content(draft, content)


def _add(writer: Writer, scope: str, owner: str) -> str | None:
    if not scope.startswith(("team:", "project:")):
        return ""
    return organisation.standing_add(writer.transaction, scope, owner)


def share(writer: Writer, memory: Memory, scopes: tuple[Scope, ...], actor: str) -> list[Scope]:
    """Grant scopes that do not hold yet; return those."""
    fresh = [scope for scope in scopes if scope.scope not in memory.grants]
    for scope in fresh:
        _switch_grant(writer, memory, scope, actor, on=True)
    if fresh:
        # A content is signed for each of its scopes: so it is for the new ones, as it was.
        relies = {scope.scope: scope.add or "" for scope in fresh}
        draft = Draft(memory.id, CONTENT, {}, proof_of(writer, memory), relies)
        writer.put_content(draft, memory.content, is_again=True)
    return fresh


def revoke(writer: Writer, memory: Memory, scopes: tuple[str, ...], actor: str) -> list[str]:
    """End the grants of scopes that hold; return those."""
    ended = [scope for scope in scopes if scope in memory.grants]
    for scope in ended:
        _switch_grant(writer, memory, Scope(scope, scope, None), actor, on=False)
    return ended


def _switch_grant(writer: Writer, memory: Memory, scope: Scope, actor: str, *, on: bool) -> None:
    group = GRANT + scope.scope
    length = next_length(_length(writer, memory.id, group), on=on)
    relies = {scope.scope: scope.add} if scope.add is not None else {}
    value = {"length": length, "by": actor}
    writer.put(Draft(memory.id, group, value, proof_of(writer, memory), relies))


def _length(writer: Writer, memory_id: str, group: str) -> int:
    lengths = [value["length"] for value in held_values(writer.transaction, memory_id, group)]
    return max((length for length in lengths if isinstance(length, int)), default=0)


def forget(writer: Writer, memory: Memory, actor: str) -> None:
    """End the present life of a memory."""
    length = next_length(max(_length(writer, memory.id, LIFE), memory.content.life), on=False)
    value = {"length": length, "by": actor}
    writer.put(Draft(memory.id, LIFE, value, proof_of(writer, memory)))


def bring_back(writer: Writer, memory: Memory, actor: str) -> None:
    """Start the next life of a forgotten memory, with the same content and audience."""
    if memory.state == "active":
        raise NotFound(f"{memory.id} is not forgotten; there is nothing to undo.")
    if memory.id in memories.overdue(writer.transaction, UNDO_MS, None):
        raise NotFound(f"{memory.id} was forgotten more than {UNDO_DAYS} days ago, for good.")
    if memory.grants:
        check_clock(writer.transaction)
    length = next_length(_length(writer, memory.id, LIFE), on=True)
    put_content(writer, memory, memory.content._replace(life=length))
    value = {"length": length, "by": actor}
    writer.put(Draft(memory.id, LIFE, value, proof_of(writer, memory)))


def drop_overdue(writer: Writer, most: int = 100) -> int:
    """Take the content of memories away whose days of undo are over; return how many."""
    overdue = memories.overdue(writer.transaction, UNDO_MS, most)
    for memory_id in overdue:
        writer.erase(memory_id)
    return len(overdue)


def erase(writer: Writer, memory: Memory, actor: str) -> list[str]:
    """End the life of a memory and take its content away; return every text that it held."""
    if memory.state == "active":
        forget(writer, memory, actor)
    return writer.erase(memory.id)


def held(memory: Memory, audience: str) -> tuple[str, ...]:
    """Return the scopes of an audience that a memory is shared with; else :class:`NotFound`."""
    # What is granted is named by the memory itself, so that a grant can be taken back even where
    # its team is gone or its owner has left it. Where two teams have one name, both lose it.
    known = list(zip(memory.audience, memory.grants, strict=True))
    wanted = [part.strip() for part in audience.split(",")]
    for part in wanted:
        if not any(part in names for names in known):
            there = ", ".join(memory.audience) or "nobody: it is private"
            raise NotFound(f"{memory.id} is not shared with {part}; it is shared with {there}.")
    return tuple(scope for name, scope in known if name in wanted or scope in wanted)
