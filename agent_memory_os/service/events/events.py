"""Events: which memories changed, and which are gone, as far as a principal may know.

A caller asks again and again with the cursor of the last answer. It learns of each memory that it
may read and that changed or came to it, once for all that happened to it meanwhile; of each that it
could read and cannot any more; and that its own memberships changed, or the node's past did, after
which it should read again what it holds. Of anything else it learns nothing, also not that there
was something.
"""

from __future__ import annotations

from functools import cached_property

from agent_memory_os.errors import InvalidInput
from agent_memory_os.model.principal import Principal
from agent_memory_os.service.context import OPERATOR, Context
from agent_memory_os.service.events.cursor import Cursors, digest
from agent_memory_os.service.events.follow import Event, Following, Looking
from agent_memory_os.store import audit
from agent_memory_os.store.gate import open_gate
from agent_memory_os.store.memory import changes
from agent_memory_os.store.memory.changes import Change

MEMORY = "memory"
GONE = "gone"
AUDIENCE = "audience"
MAX_EVENTS = 1000


class Events:
    """What changes, for whoever asks."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._database = context.database

    @cached_property
    def _cursors(self) -> Cursors:
        return Cursors(self._context.home)

    def begin(self, principal: Principal) -> str:
        """Return the cursor after which a principal is told of what happens from now on."""
        with self._database.read() as snapshot:
            now = changes.latest(snapshot)
        return self._cursors.write(principal, *now)

    def follow(self, principal: Principal, after: str = "", *, wait: bool = True) -> Following:
        """Return what happens, event by event: from now on, or ``after`` a cursor.

        It waits for more until it is closed; without ``wait`` it ends once it has told what has
        happened by then. A cursor that is none of the principal's raises :class:`InvalidInput`.
        """
        if after:
            self.check(principal, after)
        cursor = after or self.begin(principal)
        looking = Looking(self, principal, cursor, waits=wait)
        return Following(looking.news, looking.end, cursor)

    def check(self, principal: Principal, cursor: str) -> None:
        """Raise :class:`InvalidInput` for what is no cursor of a principal's."""
        self._cursors.read(principal, cursor)

    def pulse(self) -> tuple[int, int]:
        """Return numbers that are others after any change, for whoever waits for one.

        One follows what a node holds, the other what is done to its keys. They count what nobody
        may know of: they are for no reader's eyes.
        """
        with self._database.read() as snapshot:
            return changes.latest(snapshot).number, audit.latest(snapshot)

    def since(
        self, principal: Principal, cursor: str, limit: int = MAX_EVENTS
    ) -> tuple[tuple[Event, ...], str]:
        """Return what happened after a cursor, in order, and the cursor after it.

        What the operator is told is written to the audit. A cursor that is none, or is another
        principal's, raises :class:`InvalidInput`.
        """
        if type(limit) is not int or not 1 <= limit <= MAX_EVENTS:
            raise InvalidInput(f"A limit lies between 1 and {MAX_EVENTS}, not {limit!r}.")
        place = self._cursors.read(principal, cursor)
        with self._database.read() as snapshot:
            now = changes.latest(snapshot)
            if digest(now.incarnation) != place.log or place.number > now.number:
                return (Event(AUDIENCE),), self._cursors.write(principal, *now)
            found = changes.since(snapshot, open_gate(snapshot, principal), place.number, limit)
        if found and principal.is_operator:
            with self._database.write() as transaction:
                audit.add(transaction, OPERATOR, "events", "")
        reached = found[-1].number if len(found) == limit else now.number
        return tuple(map(_event, found)), self._cursors.write(principal, reached, now.incarnation)


def _event(change: Change) -> Event:
    if not change.memory:
        return Event(AUDIENCE)
    if change.version is None:
        return Event(GONE, change.memory)
    return Event(MEMORY, change.memory, change.version)
