"""A session in its order: putting something at its end, and reading it from its beginning.

A session is its owner's: another agent's of the same name is another one. Positions count from 0,
as in what is imported; one that was taken is not given again while its memory can be brought back.
"""

from __future__ import annotations

from agent_memory_os.errors import InvalidInput, TooLarge
from agent_memory_os.model.identifier import PREFIXES, kind_of
from agent_memory_os.model.memory import MAX_LABEL, Memory
from agent_memory_os.service.audience import Scope
from agent_memory_os.service.memory import add as adding
from agent_memory_os.service.memory.add import NewMemory, Placed
from agent_memory_os.service.memory.find import NO_CURSOR, Page
from agent_memory_os.store import organisation
from agent_memory_os.store.database import Snapshot
from agent_memory_os.store.gate import Gate
from agent_memory_os.store.memory import session as sessions
from agent_memory_os.store.write import Writer
from agent_memory_os.value import cast

_PREFIX = PREFIXES["memory"]
_BEFORE_ALL = -(2**63)


def label(session: str) -> str:
    """Return a session's name as memories keep it.

    What looks like a secret is masked in a name, too. Raises :class:`InvalidInput` where there is
    none, and :class:`TooLarge` where it is too long.
    """
    kept = adding.storable({"session": session}, {}, allow_secrets=False)
    name = cast("str", kept.get("session", ""))
    if not name.strip():
        raise InvalidInput("A session has a name.")
    if len(name) > MAX_LABEL:
        raise TooLarge(f"The name of a session has at most {MAX_LABEL} characters.")
    return name


def place(
    writer: Writer, agent: str, new: NewMemory, scopes: tuple[Scope, ...], nonce: str
) -> Placed:
    """Write one memory of ``agent`` at the end of its session, or find the one of its key."""
    session = label(new.session)
    last = sessions.last_position(writer.transaction, session, writer.owner_row(agent))
    following = 0 if last is None else last + 1
    return adding.place(
        writer, agent, new._replace(session=session, position=following), scopes, nonce
    )


def page(
    snapshot: Snapshot, gate: Gate, session: str, owner: str | None, limit: int, cursor: str
) -> Page:
    """Return those memories of an owner's session that have a place in it, in their order.

    Without ``owner`` it is the session of whoever asks.
    """
    after, after_id = _read_cursor(cursor)
    row = _owner_row(snapshot, gate, owner)
    found = sessions.page(
        snapshot, gate, label(session), row, after=after, after_id=after_id, limit=limit + 1
    )
    shown = found[:limit]
    return Page(tuple(shown), _write_cursor(shown[-1]) if len(found) > limit else "")


def _owner_row(snapshot: Snapshot, gate: Gate, owner: str | None) -> int | None:
    if owner is None:
        if gate.sight.principal.is_operator:
            raise InvalidInput("A session is an agent's: say whose.")
        return gate.agent_row
    named = organisation.agents_named(snapshot, owner)
    return organisation.agent_row(snapshot, named[0].id) if named else None


def _write_cursor(memory: Memory) -> str:
    return f"{memory.content.position:x}.{memory.id.removeprefix(_PREFIX)}"


def _read_cursor(cursor: str) -> tuple[int, str]:
    if not cursor:
        return _BEFORE_ALL, ""
    at, _, rest = cursor.partition(".")
    try:
        after = int(at, 16)
    except ValueError:
        raise InvalidInput(NO_CURSOR) from None
    if kind_of(_PREFIX + rest) is None or not _BEFORE_ALL <= after < -_BEFORE_ALL:
        raise InvalidInput(NO_CURSOR)
    return after, _PREFIX + rest
