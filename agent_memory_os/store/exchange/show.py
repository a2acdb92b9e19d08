"""Showing a memory: its row, its grants and its life, as the rules have judged them."""

from __future__ import annotations

from collections.abc import Iterable

from agent_memory_os.model.authority.plain import Plain
from agent_memory_os.model.memory import Content, from_value
from agent_memory_os.model.register import CONTENT, GRANT, LIFE, Register
from agent_memory_os.model.routing.shown import Shown
from agent_memory_os.store import memories, organisation
from agent_memory_os.store.database import Transaction
from agent_memory_os.store.exchange.held import HeldRegister
from agent_memory_os.store.lexical import Indexer, text_of, words_of
from agent_memory_os.store.memories import Place
from agent_memory_os.store.memory import put
from agent_memory_os.store.queries import Queries
from agent_memory_os.value import cast

_sql = Queries("exchange")
_memory_sql = Queries("memory")


class Shower:
    """Shows memories in one transaction; :meth:`close` enters those that are new in the index.

    ``account`` is this node's.
    """

    def __init__(self, transaction: Transaction, indexer: Indexer, account: str) -> None:
        self.transaction = transaction
        self.indexer = indexer
        self.account = account
        self._owners: dict[str, int] = {}
        self._scopes: dict[str, int] = {}
        self._fresh: dict[int, tuple[str, list[int]]] = {}
        self._ended: list[int] = []
        self._next_row = 0
        self._rows: list[put.Fresh] = []
        self._grants: list[tuple[object, ...]] = []

    def add(self, found: Shown, done: list[HeldRegister]) -> None:
        """Show a memory that has no row."""
        register = cast("tuple[str, Register]", found.content)[1]
        owner, content = self._owner(register), from_value(register.value)[0]
        same = memories.same_key(owner, content) if self._is_own(register) else None
        number = _number(done)
        row = put.insert(self.transaction, register, content, owner, same, number)
        seen_by = [self.indexer.owner_scope(owner)]
        for scope in sorted(found.scopes):
            actor = _actor(done, scope, holds=True)
            seen_by.append(self._scope(scope))
            put.insert_grant(self.transaction, row, seen_by[-1], content, actor)
        text = text_of(content.content, content.summary, content.tags)
        self._fresh[row] = (words_of(text), seen_by)
        if any(one.register.group == LIFE for one in done):
            self._live(done)
            self._ended.append(row)

    def add_plain(self, plain: Plain, content: Content, words: str, number: int) -> None:
        """Show a memory that has no row and is plain; it gets it with others (:meth:`flush`)."""
        owner = self._owner(plain.content)
        if not self._rows:
            self._next_row = put.next_row(self.transaction)
        row = self._next_row
        self._next_row += 1
        same = memories.same_key(owner, content) if self._is_own(plain.content) else None
        self._rows.append(put.Fresh(row, plain.content, content, owner, same, number))
        seen_by = [self.indexer.owner_scope(owner)]
        if plain.grant is not None:
            scope, actor = self._scope(plain.scope), str(plain.grant.value["by"])
            now = self.transaction.now
            self._grants.append(put.first_grant(now, row, scope, content, actor))
            seen_by.append(scope)
        self._fresh[row] = (words, seen_by)

    def flush(self) -> None:
        """Give those their rows that were put off: before anything else is shown, and at last."""
        if not self._rows:
            return
        put.insert_many(self.transaction, self._rows)
        put.insert_grants(self.transaction, self._grants)
        if self.transaction.value(_sql["any_link"]) is not None:
            for one in self._rows:
                self.transaction.execute(_sql["stale_links"], {"memory": one.register.object})
        self._rows.clear()
        self._grants.clear()

    def change(self, place: Place, found: Shown, done: list[HeldRegister]) -> None:
        """Show a memory that has a row as it is judged now."""
        register = cast("tuple[str, Register]", found.content)[1]
        content = from_value(register.value)[0]
        if (place.stamp, place.life) != (register.stamp, content.life) or self._differs(
            place, register
        ):
            number = _number(done)
            owner, is_own = self._owner(register), self._is_own(register)
            put.put_content(self.transaction, register, content, owner, number, is_own=is_own)
        held = memories.granted(self.transaction, place.row)
        for scope in sorted(found.scopes ^ held):
            self._switch(register.object, scope, done, holds=scope in found.scopes)
        self.live(done, place)

    def live(self, done: Iterable[HeldRegister], place: Place) -> None:
        """Show whether a memory lives, and bring the index up to date with all that it is."""
        self._live(done)
        self.indexer.refresh(place.row)

    def take_away(self, place: Place) -> None:
        """Show a memory no more."""
        self.indexer.leave(place.row)
        self.transaction.execute(_memory_sql["erase"], (place.row,))

    def close(self) -> None:
        """Enter in the index what is new."""
        self.flush()
        self.indexer.enter_words(self._fresh)
        for row in self._ended:
            if self.transaction.value(_memory_sql["is_forgotten"], (row,)):
                self.indexer.refresh(row)
        self._fresh.clear()
        self._ended.clear()

    def _differs(self, place: Place, register: Register) -> bool:
        row = memories.by_row(self.transaction, place.row)
        return row.content != from_value(register.value)[0]

    def _live(self, done: Iterable[HeldRegister]) -> None:
        lives = [one.register for one in done if one.register.group == LIFE]
        last = max(lives, key=lambda one: (one.value["length"], one.stamp), default=None)
        if last is not None:
            put.put_life(self.transaction, last, cast("int", last.value["length"]))

    def _switch(
        self, memory: str, scope: str, done: Iterable[HeldRegister], *, holds: bool
    ) -> None:
        self._scope(scope)
        register = Register(memory, GRANT + scope, "", "", 0, 0, {}, ())
        put.put_grant(self.transaction, register, _actor(done, scope, holds=holds), holds=holds)

    def _is_own(self, register: Register) -> bool:
        return register.author == self.account

    def _owner(self, register: Register) -> int:
        agent = register.proof[1]
        if agent not in self._owners:
            self._owners[agent] = cast("int", organisation.agent_row(self.transaction, agent))
        return self._owners[agent]

    def _scope(self, scope: str) -> int:
        if scope not in self._scopes:
            kind, _, object_id = scope.partition(":")
            organisation.put_scope(self.transaction, kind, object_id)
            self._scopes[scope] = memories.scope_row(self.transaction, scope)
        return self._scopes[scope]


def _number(done: Iterable[HeldRegister]) -> int:
    return max(one.lseq for one in done if one.register.group == CONTENT)


def _actor(done: Iterable[HeldRegister], scope: str, *, holds: bool) -> str:
    """Return who switched a grant last; the operator, where no register says so."""
    versions = [
        one.register
        for one in done
        if one.register.group == GRANT + scope and (one.register.value["length"] % 2 == 1) == holds
    ]
    last = max(versions, key=lambda one: (one.value["length"], one.stamp), default=None)
    return "operator" if last is None else str(last.value["by"])
