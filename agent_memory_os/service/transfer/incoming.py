"""Importing: what importers found becomes memories, a batch in a transaction.

A record of another program becomes a memory of the acting agent, private unless an audience is
named, with an id that follows from the record: a second import finds it there and adds nothing, and
what was forgotten stays forgotten. An export of this very account is put back as it was, ids and
history included; other owners' memories only by the operator. What looks like a secret in it, and
was not kept on purpose, was written into the file, and is masked. An export of another account is
read like any other file: ids are derived anew, and the provenance says from what.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise

from agent_memory_os.errors import InvalidInput
from agent_memory_os.importers import jsonl
from agent_memory_os.importers.base import Found
from agent_memory_os.model.audience import is_scope
from agent_memory_os.model.identifier import derived_nonce, memory_id, proves
from agent_memory_os.model.memory import MAX_TIME, MIN_TIME, Content, check, to_value
from agent_memory_os.model.principal import Principal
from agent_memory_os.service.audience import Scope
from agent_memory_os.service.memory.add import (
    NewMemory,
    content_of,
    notes_on,
    put,
    same_memory,
    without_secrets,
)
from agent_memory_os.service.transfer.report import ADDED, FORGOTTEN, KNOWN
from agent_memory_os.store import memories, organisation
from agent_memory_os.store.database import Snapshot
from agent_memory_os.store.memory import history
from agent_memory_os.store.write import Writer
from agent_memory_os.value import TYPE_CHECKING, NamedTuple, cast

if TYPE_CHECKING:
    from typing import Any

PURPOSE = "import"

MAX_VERSION = 2**31 - 1
"""The highest number of a version that is put back."""

_Version = tuple[int, Mapping[str, object], int, int, bool]
"""Number, value, since, until, and whether its secrets were kept on purpose."""


class Intake(NamedTuple):
    """Who imports, and into what: the owner of what is new, its audience, the file's account.

    ``owner`` is an agent id; ``account`` is empty for the file of another program. ``folder`` is
    where the source lies (``~/…`` below the person's home), so that a record without an id of its
    own is told from that of an equal file elsewhere.
    """

    principal: Principal
    owner: str
    scopes: tuple[Scope, ...]
    account: str
    folder: str
    allow_secrets: bool


class Taken(NamedTuple):
    """What became of one finding: ``added``, ``known`` or ``forgotten``; notes on secrets."""

    outcome: str
    notes: tuple[str, ...] = ()


def take(writer: Writer, intake: Intake, found: Found) -> Taken:
    """Put one finding into the store, or find it there; raise for one that cannot be taken."""
    if found.extra and intake.account == writer.account:
        return _put_back(writer, intake, found)
    return _take_foreign(writer, intake, found)


def foreseen(
    snapshot: Snapshot, intake: Intake, own_account: str, found: Found, said: set[bytes]
) -> str:
    """Return what would become of a finding, writing nothing.

    ``said`` holds what was found before it, by hashes: what says the same again would be known.
    """
    if found.extra and intake.account == own_account:
        # Its owner may be an agent that the same file brings.
        return _state_of(snapshot, _own_line(intake, own_account, found).id)
    identifier = memory_id(own_account, intake.owner, _nonce(intake, found))
    state = _state_of(snapshot, identifier)
    if state != ADDED:
        return state
    content, _ = _content(intake, found, snapshot.now)
    owner_row = organisation.agent_row(snapshot, intake.owner) or 0
    same = memories.same_key(owner_row, content)
    if same in said:
        return KNOWN
    said.add(same)
    return _state_of_same(snapshot, owner_row, content, intake.scopes, same)


def _state_of_same(
    snapshot: Snapshot, owner_row: int, content: Content, scopes: tuple[Scope, ...], same: bytes
) -> str:
    """Return what is the case of a record by what it says: its sentence may stand elsewhere, too.

    What was forgotten stays so, whichever of the files that have it is imported.
    """
    if same_memory(snapshot, owner_row, content, scopes, same) is not None:
        return KNOWN
    gone = same_memory(snapshot, owner_row, content, scopes, same, forgotten=True)
    return ADDED if gone is None else FORGOTTEN


def _nonce(intake: Intake, found: Found) -> str:
    file = str(found.source.get("file", ""))
    key = found.key
    if key.startswith(f"{file}#"):
        # The key of a record without an id of its own begins with its file, relative to what was
        # named: the whole place makes it the same whichever folder above it is named.
        key = f"{intake.folder}/{key}"
    return derived_nonce(PURPOSE, str(found.source.get("format", "")), key)


def _state_of(snapshot: Snapshot, identifier: str) -> str:
    place = memories.place_of(snapshot, identifier)
    if memories.is_erased(snapshot, identifier) or (place and place.state != "active"):
        return FORGOTTEN
    return KNOWN if place else ADDED


def _take_foreign(writer: Writer, intake: Intake, found: Found) -> Taken:
    nonce = _nonce(intake, found)
    identifier = memory_id(writer.account, intake.owner, nonce)
    state = _state_of(writer.transaction, identifier)
    if state != ADDED:
        return Taken(state)
    content, notes = _content(intake, found, writer.transaction.now)
    owner_row = writer.owner_row(intake.owner)
    same = memories.same_key(owner_row, content)
    state = _state_of_same(writer.transaction, owner_row, content, intake.scopes, same)
    if state == ADDED:
        proof = (writer.account, intake.owner, nonce)
        put(writer, identifier, proof, content, intake.scopes, same)
        return Taken(ADDED, notes)
    return Taken(state)


def _content(intake: Intake, found: Found, now: int) -> tuple[Content, tuple[str, ...]]:
    if not found.extra:
        return content_of(_from_file(found, allow_secrets=intake.allow_secrets), now)
    # What another account remembered keeps its dates: it is as old as it was there.
    line = cast("jsonl.MemoryLine", jsonl.parse(found.extra))
    held = jsonl.content_of(line.value)
    new = _from_export(found, line, held, allow_secrets=intake.allow_secrets)
    content, notes = content_of(new, held.created_at)
    return content._replace(updated_at=held.updated_at), notes


def _from_file(found: Found, *, allow_secrets: bool) -> NewMemory:
    return NewMemory(
        found.content,
        found.type,
        found.summary,
        found.tags,
        found.source,
        found.author,
        found.session,
        found.position,
        found.event_at,
        allow_secrets=allow_secrets,
    )


def _from_export(
    found: Found, line: jsonl.MemoryLine, content: Content, *, allow_secrets: bool
) -> NewMemory:
    origin = {**found.source, "owner": line.owner_name or line.owner, "source": content.source}
    shared = {name: getattr(content, name) for name in NewMemory._fields if name in Content._fields}
    return NewMemory(**{**shared, "source": origin, "allow_secrets": allow_secrets})


def _own_line(intake: Intake, account: str, found: Found) -> jsonl.MemoryLine:
    """Return the line of a memory of this account that the principal may put back."""
    line = cast("jsonl.MemoryLine", jsonl.parse(found.extra))
    if not intake.principal.is_operator and line.owner != intake.principal.agent:
        raise InvalidInput(
            f"it belongs to {line.owner_name or line.owner}: only the operator can put it back"
        )
    if not proves("memory", (account, line.owner, line.nonce), line.id):
        raise InvalidInput("its id does not follow from its owner")
    _versions(line.versions)
    return line


def _put_back(writer: Writer, intake: Intake, found: Found) -> Taken:
    line = _own_line(intake, writer.account, found)
    proof = (writer.account, line.owner, line.nonce)
    if organisation.agent_row(writer.transaction, line.owner) is None:
        raise InvalidInput("its owner is not known here")
    state = _state_of(writer.transaction, line.id)
    if state != ADDED:
        return Taken(state)
    kinds: dict[str, None] = {}
    is_kept = intake.allow_secrets or line.allow_secrets
    content = _checked(line.value, kinds, is_kept=is_kept)
    scopes, notes = _audience(writer, intake, line)
    put(writer, line.id, proof, content, scopes)
    versions = _versions(line.versions)
    _put_versions(writer, intake, line.id, versions, kinds)
    return Taken(ADDED, (*notes, *notes_on(kinds)))


def put_version(
    writer: Writer, intake: Intake, memory_id: str, item: Mapping[str, Any]
) -> tuple[str, ...]:
    """Keep one earlier version of a memory that this import has just put back; return notes."""
    kinds: dict[str, None] = {}
    _put_versions(writer, intake, memory_id, _versions([item]), kinds)
    return notes_on(kinds)


def _put_versions(
    writer: Writer,
    intake: Intake,
    memory_id: str,
    versions: Iterable[_Version],
    kinds: dict[str, None],
) -> None:
    shown = []
    for number, value, since, until, is_kept in versions:
        content = _checked(value, kinds, is_kept=is_kept or intake.allow_secrets)
        shown.append((number, {**value, **to_value(content)}, since, until))
    history.put_history(writer.transaction, memory_id, shown)


def _checked(value: Mapping[str, object], kinds: dict[str, None], *, is_kept: bool) -> Content:
    """Return the content of a value, masked unless its secrets were kept on purpose."""
    content = jsonl.content_of(value)
    if is_kept:
        return content
    masked, found = without_secrets(content)
    kinds.update(found)
    return check(masked)


def _audience(
    writer: Writer, intake: Intake, line: jsonl.MemoryLine
) -> tuple[tuple[Scope, ...], tuple[str, ...]]:
    """Return the scopes that a memory comes back with, and notes on those that it does not.

    A file may say anything: what an agent puts back reaches no team or project but those that it is
    a member of now. What the operator puts back is shared as it was.
    """
    scopes = [_scope(writer, scope, line.owner) for scope in dict.fromkeys(line.audience)]
    if intake.principal.is_operator:
        return tuple(scopes), ()
    kept = tuple(one for one in scopes if one.add is not None or not _has_members(one.scope))
    if len(kept) == len(scopes):
        return kept, ()
    return kept, ("What was shared with a team or project that you are no member of is not now.",)


def _has_members(scope: str) -> bool:
    return scope.partition(":")[0] in ("team", "project")


def _scope(writer: Writer, scope: str, owner: str) -> Scope:
    # A grant to somebody who is not known here is kept, and reaches nobody until he is.
    kind, _, object_id = scope.partition(":")
    if is_scope(scope) and object_id:
        organisation.put_scope(writer.transaction, kind, object_id)
    return Scope(scope, scope, organisation.standing_add(writer.transaction, scope, owner))


def _versions(items: Iterable[Mapping[str, Any]]) -> list[_Version]:
    """Return earlier versions, oldest first; raise :class:`InvalidInput` for what can be none."""
    found = [_version(item) for item in items]
    for (number, _, _, until, _), (following, _, since, _, _) in pairwise(found):
        if following <= number or since < until:
            raise InvalidInput("its versions are not in order")
    return found


def _version(item: Mapping[str, Any]) -> _Version:
    number, since, until = (item.get(name) for name in ("number", "since", "until"))
    value = item.get("value")
    if type(number) is not int or type(since) is not int or type(until) is not int:
        raise InvalidInput("one of its versions has no number or time")
    if not 1 <= number <= MAX_VERSION or not MIN_TIME <= since < until <= MAX_TIME:
        raise InvalidInput("one of its versions has a number or time that cannot be")
    if not isinstance(value, Mapping):
        raise InvalidInput("one of its versions has no value")
    jsonl.content_of(value)
    return number, value, since, until, item.get("allow_secrets") is True
