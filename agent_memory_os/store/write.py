"""Writing: each draft becomes a register, and the view shows it, in one transaction.

:func:`writing` is how anything is written. A draft is logged, and the part of the view that its
group belongs to follows at once; the index follows when the transaction closes, once for each
memory that was touched. Either all of it is committed, or none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

from agent_memory_os.model import register as group
from agent_memory_os.model.canonical import digest, encode
from agent_memory_os.model.memory import Content, from_value, to_value
from agent_memory_os.model.register import Register
from agent_memory_os.store import links, memories, node, organisation
from agent_memory_os.store.database import Database, Transaction
from agent_memory_os.store.lexical import Indexer, text_of
from agent_memory_os.store.memory import put
from agent_memory_os.store.queries import Queries
from agent_memory_os.store.registers import Draft, Log
from agent_memory_os.value import cast

_register_sql = Queries("register")
_exchange_sql = Queries("exchange")
_CHARGED = ("team.", "project.")
_BY_RECOVERY = "recovery"
_INDEX_BATCH = 500


class Writer:
    """One transaction of registers. ``transaction`` serves the reads that decide what to write."""

    def __init__(self, transaction: Transaction) -> None:
        self.transaction = transaction
        self._log = Log(transaction)
        self._indexer = Indexer(transaction)
        self._touched: dict[int, bool] = {}
        self._fresh: dict[int, tuple[str, list[int]]] = {}
        self._owner_rows: dict[str, int] = {}
        self._owner_names: dict[str, str] = {}
        self._scope_rows: dict[str, int] = {}
        self._first_grants: dict[str, tuple[dict[str, object], str]] = {}

    @property
    def account(self) -> str:
        """The account of this node: the author of what it writes."""
        return str(self._log.account)

    def put(self, draft: Draft) -> Register:
        """Log a draft and show it; return the register that it became."""
        if draft.group == group.CONTENT:
            draft = draft._replace(value_digest=digest(draft.value))
        charge = self._charge(draft)
        if charge:
            draft = draft._replace(relies=charge)
        if charge or is_of_authority(draft):
            return self._put_followed(draft)
        register = self._log.place(draft)
        self._show(register)
        return register

    def _charge(self, draft: Draft) -> Mapping[str, str]:
        """Return by what this account is in charge of the team that a draft is about, if it says.

        Nothing where it founded the team, or takes it back: then it needs no other's word.
        """
        if not draft.group.startswith(_CHARGED) or draft.value.get("by") == _BY_RECOVERY:
            return {}
        team = draft.object if draft.object.startswith("team_") else draft.proof[0]
        found = self.transaction.value(_exchange_sql["charge"], (team,))
        return {f"team:{team}": str(found)} if found else {}

    def _put_followed(self, draft: Draft) -> Register:
        """Log what others' registers count by, and have everything follow from it."""
        # Where somebody took over or a device was revoked, and nowhere else.
        from agent_memory_os.store.exchange import organise

        with organise.followed(self.transaction):
            register = self._log.place(draft)
            self._log.close()
        return register

    def put_link(self, draft: Draft, relies: Mapping[str, str]) -> None:
        """Log a link for each scope in which it is said, with the add there; and show it."""
        parts = [{scope: add} for scope, add in relies.items()] or [{}]
        register = self._log.place(draft._replace(relies=parts[0]))
        for part in parts[1:]:
            self._log.place(draft._replace(relies=part), stamp=register.stamp)
        self._show(register)

    def put_content(self, draft: Draft, content: Content, *, is_again: bool = False) -> int:
        """Log a content register for each scope that the draft names; return the memory's row.

        ``is_again``: the content is what it was, and keeps its stamp, so that signing it for one
        more scope takes the place of no edit that was made elsewhere.
        """
        held = memories.place_of(self.transaction, draft.object)
        stamp, edits = None, 0
        if held is not None:
            stamp = held.stamp if is_again else None
            edits = self._made_from(draft.object) if is_again else held.stamp
        draft = draft._replace(edits=edits)
        return self._show_content(self._log_content(draft, content, stamp=stamp), content)

    def _made_from(self, memory_id: str) -> int:
        return int(self.transaction.value(_register_sql["made_from"], (memory_id,)) or 0)

    def _log_content(
        self, draft: Draft, content: Content, *, stamp: int | None = None, is_new: bool = False
    ) -> Register:
        valued = _valued(draft, content)
        alone, *others = [{scope: add} for scope, add in draft.relies.items()] or [{}]
        first = self._log.place(valued._replace(relies=alone), is_new=is_new, stamp=stamp)
        for relies in others:
            self._log.place(valued._replace(relies=relies), is_new=is_new, stamp=first.stamp)
        return first

    def put_new(
        self, draft: Draft, content: Content, scopes: Iterable[str], same: bytes | None = None
    ) -> None:
        """Log content and grants of a memory of which nothing is here, and show them.

        ``draft`` names the scopes with the adds that the owner relies on. ``same`` is what
        :func:`memories.same_key` gives, where it is known.
        """
        owner = self.owner_row(draft.proof[1])
        register = self._log_content(draft, content, is_new=True)
        same = same or memories.same_key(owner, content)
        row = put.insert(self.transaction, register, content, owner, same, self._log.number)
        seen_by = [self._indexer.owner_scope(owner)]
        for scope in scopes:
            self._log.place(self._first_grant(draft, scope), is_new=True)
            seen_by.append(self._scope_row(scope))
            put.insert_grant(self.transaction, row, seen_by[-1], content, draft.proof[1])
        self._fresh[row] = (text_of(content.content, content.summary, content.tags), seen_by)
        self._flush_batch()

    def erase(self, memory_id: str) -> list[str]:
        """Take a memory's content out of the view, the log and the index; its tombstone stays.

        Returns every text that it held: the file is then swept of them.
        """
        from agent_memory_os.store.upkeep import sweep

        place = memories.place_of(self.transaction, memory_id)
        if place is None:
            return []
        self._flush()
        texts = sweep.told(self.transaction, place.row)
        sweep.mark(self.transaction)
        self._indexer.leave(place.row)
        put.erase(self.transaction, place)
        self._log.drop_content(memory_id)
        return texts

    def close(self) -> None:
        """Bring the index up to date and keep the numbers that were given out."""
        self._flush()
        self._indexer.close()
        self._log.close()

    def _show(self, register: Register) -> None:
        if register.group == group.CONTENT:
            self._show_content(register, from_value(register.value)[0])
            return
        row = show(self.transaction, register)
        if row is not None:
            self._touch(row, is_new=False)

    def _show_content(self, register: Register, content: Content) -> int:
        owner_row = self.owner_row(register.proof[1])
        row, is_new = put.put_content(
            self.transaction, register, content, owner_row, self._log.number
        )
        self._touch(row, is_new=is_new)
        return row

    def owner_row(self, agent: str) -> int:
        """Return the row of an agent that owns memories here."""
        if agent not in self._owner_rows:
            self._owner_rows[agent] = cast("int", organisation.agent_row(self.transaction, agent))
        return self._owner_rows[agent]

    def owner_name(self, agent: str) -> str:
        """Return the name of an agent that owns memories here."""
        if agent not in self._owner_names:
            self._owner_names[agent] = organisation.agent_name(self.transaction, agent)
        return self._owner_names[agent]

    def _scope_row(self, scope: str) -> int:
        if scope not in self._scope_rows:
            self._scope_rows[scope] = memories.scope_row(self.transaction, scope)
        return self._scope_rows[scope]

    def _first_grant(self, draft: Draft, scope: str) -> Draft:
        owner = draft.proof[1]
        if owner not in self._first_grants:
            value: dict[str, object] = {"length": 1, "by": owner}
            self._first_grants[owner] = value, encode(value).decode()
        value, text = self._first_grants[owner]
        add = draft.relies.get(scope)
        relies = {scope: add} if add else {}
        grant = group.GRANT + scope
        return Draft(draft.object, grant, value, draft.proof, relies, text=text)

    def _touch(self, row: int, *, is_new: bool) -> None:
        # What was new, and has changed since, is looked at again.
        is_new = self._fresh.pop(row, None) is not None or is_new
        self._touched[row] = self._touched.get(row, is_new)
        self._flush_batch()

    def _flush_batch(self) -> None:
        # What is still to be entered is held in memory: not without bound.
        if len(self._touched) + len(self._fresh) > _INDEX_BATCH:
            self._flush()

    def _flush(self) -> None:
        if self._fresh:
            self._indexer.enter(self._fresh)
            self._fresh.clear()
        for row, is_new in self._touched.items():
            self._indexer.refresh(row, is_new=is_new)
        self._touched.clear()


def is_of_authority(draft: Draft) -> bool:
    """Say whether a draft decides which registers of others count: more than a row follows."""
    is_device = draft.group.startswith(group.DEVICE)
    return draft.group == group.TEAM_ADMIN or (is_device and draft.value["state"] == "revoked")


def _valued(draft: Draft, content: Content) -> Draft:
    value = to_value(content)
    named = digest(value, is_checked=True)
    return draft._replace(value=value, value_digest=named)


def _show_device(transaction: Transaction, register: Register) -> None:
    device = register.group.removeprefix(group.DEVICE)
    value = register.value
    sign_key, seal_key = str(value["sign"]), str(value["seal"])
    node.put_device(transaction, register.object, device, sign_key, seal_key)


_SHOW = {
    group.LINK: links.put,
    group.AGENT: organisation.put_agent,
    group.TEAM_NAME: organisation.put_team,
    group.PROJECT_NAME: organisation.put_project,
    group.TEAM_LIFE: organisation.put_state,
    group.PROJECT_LIFE: organisation.put_state,
    group.TEAM_MEMBER[:-1]: organisation.put_member,
    group.PROJECT_MEMBER[:-1]: organisation.put_member,
    group.DEVICE[:-1]: _show_device,
}


def show(transaction: Transaction, register: Register) -> int | None:
    """Show a register that is no content in the view; return the row of the memory it is about."""
    value = cast("Mapping[str, int]", register.value)
    if register.group == group.LIFE:
        return put.put_life(transaction, register, value["length"])
    if register.group.startswith(group.GRANT):
        holds = value["length"] % 2 == 1
        return put.put_grant(transaction, register, str(register.value["by"]), holds=holds)
    _SHOW[register.group.partition(":")[0]](transaction, register)
    if register.group in (group.TEAM_NAME, group.TEAM_LIFE):
        organisation.tell_teams_apart(transaction)
    return None


@contextmanager
def writing(database: Database) -> Iterator[Writer]:
    """Open a transaction in which registers are written."""
    with database.write() as transaction:
        writer = Writer(transaction)
        yield writer
        writer.close()
