"""Memories: add, get, list, edit, share, revoke, forget, link, and their history.

What only some acts need is imported by them, so that an add that starts cold pays for an add.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from agent_memory_os.errors import InvalidInput, NotAllowed, NotFound, Stale, UnknownName
from agent_memory_os.model import link as link_model
from agent_memory_os.model.link import DEFAULT_WEIGHT, SUPERSEDES, Link
from agent_memory_os.model.memory import Memory
from agent_memory_os.model.principal import Principal
from agent_memory_os.model.recall import Filter
from agent_memory_os.service.audience import resolve
from agent_memory_os.service.context import OPERATOR, Context, actor_of
from agent_memory_os.service.memory import add as adding
from agent_memory_os.service.memory import change, find
from agent_memory_os.service.memory.add import NewMemory
from agent_memory_os.service.memory.find import Moment, Page
from agent_memory_os.service.memory.link import put_link, put_supersession, retractable
from agent_memory_os.service.memory.right import check_reach, check_supersession, left, own
from agent_memory_os.service.memory.right import find as find_one
from agent_memory_os.store import audit, links, memories
from agent_memory_os.store.gate import open_gate
from agent_memory_os.store.write import Writer, writing
from agent_memory_os.value import TYPE_CHECKING, NamedTuple, cast

if TYPE_CHECKING:
    from agent_memory_os.service.memory.graph import Graph
    from agent_memory_os.service.memory.history import Version

_BATCH = 50


class Outcome(NamedTuple):
    """What became of a request: the memory as it is now, whether anything changed, and notes."""

    memory: Memory
    is_changed: bool
    notes: tuple[str, ...] = ()


class Owner(NamedTuple):
    """An owner as a principal sees it: ``shown`` counts the memories that are shown to it.

    ``forgotten`` counts its own forgotten ones; ``changed_at`` is the last change of those shown.
    """

    id: str
    name: str
    shown: int
    forgotten: int
    changed_at: int | None


class Memories:
    """Every act on memories, each in one transaction."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._database = context.database

    def add(
        self,
        principal: Principal,
        new: NewMemory,
        audience: str = "private",
        *,
        owner: str | None = None,
    ) -> Outcome:
        """Remember something for the acting agent; the same again comes back as it is there.

        The operator says for which agent (``owner``).
        """
        return next(iter(self.add_many(principal, [(new, audience)], owner=owner)))

    def add_many(
        self,
        principal: Principal,
        batch: Iterable[tuple[NewMemory, str]],
        *,
        owner: str | None = None,
    ) -> Iterator[Outcome]:
        """Remember many things, some hundred in a transaction; yields each outcome in order.

        Nothing is written but what is iterated over.
        """
        agent = self._acting_agent(principal, owner)
        for part in adding.batches(batch, adding.characters):
            yield from self._add_batch(principal, agent, part)

    def _add_batch(
        self,
        principal: Principal,
        agent: str,
        batch: list[tuple[NewMemory, str]],
        place: Callable[..., adding.Placed] = adding.place,
    ) -> list[Outcome]:
        with self._context.widening() as writer:
            gate = open_gate(writer.transaction, principal)
            if not (principal.is_operator or gate.agent_row is not None):
                raise UnknownName(
                    "The acting agent is not in the fleet any more; nothing was added."
                )
            scopes = {
                audience: resolve(writer.transaction, agent, audience)
                for audience in dict.fromkeys(audience for _, audience in batch)
            }
            placed = [
                place(writer, agent, new, scopes[audience], self._context.nonce())
                for new, audience in batch
            ]
            if principal.is_operator:
                for memory in (item.new for item in placed if item.new is not None):
                    audit.add(writer.transaction, OPERATOR, "add", memory.id)
            known = [item.held for item in placed if item.held is not None]
            held = memories.rows_of(writer.transaction, gate, known) if known else {}
        return [
            Outcome(item.new or held[cast("int", item.held)], item.new is not None, item.notes)
            for item in placed
        ]

    def append(self, principal: Principal, new: NewMemory) -> Outcome:
        """Remember something at the end of its session: no two ever get the same position.

        The same again is another one, unless it has the same key.
        """
        from agent_memory_os.service.memory import session

        agent = self._acting_agent(principal, None)
        return self._add_batch(principal, agent, [(new, "private")], session.place)[0]

    def session(
        self,
        principal: Principal,
        session: str,
        owner: str | None = None,
        limit: int = 50,
        cursor: str = "",
    ) -> Page:
        """Return a page of an agent's session in its order; one's own where nobody is named."""
        from agent_memory_os.service.memory import session as sessions

        find.check_limit(limit)
        with self._context.seeing(principal, "session") as (snapshot, gate):
            return sessions.page(snapshot, gate, session, owner, limit, cursor)

    def get(self, principal: Principal, memory_id: str) -> Memory:
        """Return one memory by its id, or by the first characters of it where they are enough."""
        with self._context.seeing(principal, "get") as (snapshot, gate):
            return find_one(snapshot, gate, find.full_id(snapshot, gate, memory_id))

    def list(self, principal: Principal, wanted: Filter, limit: int = 50, cursor: str = "") -> Page:
        """Return a page of memories, newest first; ``cursor`` is the last page's ``following``."""
        find.check(wanted, limit)
        with self._context.seeing(principal, "list") as (snapshot, gate):
            return find.page(snapshot, gate, wanted, limit, cursor)

    def timeline(
        self,
        principal: Principal,
        around: str | int,
        wanted: Filter,
        limit: int = 20,
        window: int | None = None,
    ) -> tuple[Moment, ...]:
        """Return the memories before and after a memory (its id) or an instant, in order.

        ``window`` is how far before and after at most, in milliseconds.
        """
        find.check(wanted, limit, window)
        with self._context.seeing(principal, "timeline") as (snapshot, gate):
            return find.timeline(snapshot, gate, around, wanted, limit, window)

    def edit(
        self,
        principal: Principal,
        memory_id: str,
        changes: Mapping[str, object],
        reason: str = "",
        *,
        allow_secrets: bool = False,
        version: int | None = None,
    ) -> Outcome:
        """Write a new version of one's own memory; the earlier one stays in its history.

        Raises :class:`Stale` where ``version`` is named and is not the present one.
        """
        with self._context.widening() as writer:
            memory = own(writer, principal, self._full(writer, principal, memory_id), "edit")
            if version not in (None, memory.version):
                raise Stale(
                    f"{memory.id} is at version {memory.version} and not at {version} any more."
                )
            check_reach(writer, principal, memory)
            new_version = change.Edit(changes, reason, actor_of(principal))
            kinds = change.edit(writer, memory, new_version, allow_secrets=allow_secrets)
            now = self._again(writer, principal, memory)
            return Outcome(now, now.version != memory.version, adding.notes_on(kinds))

    def share(self, principal: Principal, memory_id: str, audience: str) -> Outcome:
        """Add grants to one's own memory."""
        with self._context.widening() as writer:
            memory = own(writer, principal, self._full(writer, principal, memory_id), "share")
            scopes = resolve(writer.transaction, memory.owner, audience)
            if not scopes:
                raise InvalidInput("To make a memory private again, revoke its audience.")
            fresh = change.share(writer, memory, scopes, actor_of(principal))
            return Outcome(self._again(writer, principal, memory), bool(fresh))

    def revoke(self, principal: Principal, memory_id: str, audience: str | None = None) -> Outcome:
        """End grants of one's own memory at once: those named, or all of them."""
        with writing(self._database) as writer:
            memory = own(writer, principal, self._full(writer, principal, memory_id), "revoke")
            scopes = memory.grants if audience is None else change.held(memory, audience)
            ended = change.revoke(writer, memory, scopes, actor_of(principal))
            return Outcome(self._again(writer, principal, memory), bool(ended))

    def forget(self, principal: Principal, memory_id: str) -> Memory:
        """Forget one's own memory: no read finds it; it can be brought back for 30 days."""
        with writing(self._database) as writer:
            memory = own(writer, principal, self._full(writer, principal, memory_id), "forget")
            change.forget(writer, memory, actor_of(principal))
            change.drop_overdue(writer)
            return memory._replace(state="forgotten")

    def bring_back(self, principal: Principal, memory_id: str) -> Memory:
        """Undo a forgetting, with the same content, and audience but for what its owner left."""
        with self._context.widening() as writer:
            full = self._full(writer, principal, memory_id)
            memory = own(writer, principal, full, "bring back", forgotten=True)
            gone = tuple(left(writer, principal, memory))
            change.revoke(writer, memory, gone, actor_of(principal))
            kept = tuple(scope for scope in memory.grants if scope not in gone)
            change.bring_back(writer, memory._replace(grants=kept), actor_of(principal))
            return self._again(writer, principal, memory)

    def erase(
        self, principal: Principal, memory_ids: Iterable[str], backups: Iterable[str] = ()
    ) -> tuple[str, ...]:
        """Forget one's own memories for good: none of their bytes stays in the file or the backups.

        Returns the whole ids of what was erased. The home's own file is swept before this returns.
        """
        from agent_memory_os.service.memory import erase

        wanted, named, texts = find.check_many(memory_ids), erase.checked(backups), list[str]()
        with writing(self._database) as writer:
            full = [self._full(writer, principal, item) for item in wanted]
            found = [own(writer, principal, item, "erase", forgotten=True) for item in full]
            for memory in found:
                texts += change.erase(writer, memory, actor_of(principal))
                audit.add(writer.transaction, actor_of(principal), "erase", memory.id)
        erased = tuple(memory.id for memory in found)
        erase.finish(self._context, erased, texts, named)
        return erased

    def owners(self, principal: Principal) -> tuple[Owner, ...]:
        """Return whose memories are here, as far as the principal may see them."""
        from agent_memory_os.store.memory import owner

        with self._context.seeing(principal, "owners") as (snapshot, gate):
            return tuple(Owner(*row) for row in owner.owners(snapshot, gate))

    def forget_owner(self, principal: Principal, owner: str) -> int:
        """Forget every memory of one owner: the operator alone; return how many can come back."""
        from agent_memory_os.service.memory.owner import forget_some

        if not principal.is_operator:
            raise NotAllowed("Only the operator may forget all of an owner's memories.")
        count = 0
        while True:
            with writing(self._database) as writer:
                forgotten = forget_some(writer, principal, owner, _BATCH)
            count += forgotten
            if forgotten < _BATCH:
                return count

    def link(
        self,
        principal: Principal,
        src: str,
        dst: str,
        relation: str = "related_to",
        weight: int = DEFAULT_WEIGHT,
    ) -> Link:
        """Assert a link between two memories that the principal may read."""
        with writing(self._database) as writer:
            source, target = self._ends(writer, principal, src, dst)
            link_model.check(source.id, target.id, relation, weight)
            if relation == SUPERSEDES and not principal.is_operator:
                check_supersession(principal.agent, source, target)
            by = actor_of(principal)
            if principal.is_operator:
                audit.add(writer.transaction, OPERATOR, "link", source.id)
            if relation == SUPERSEDES:
                put_supersession(writer, source, target, weight, by)
            else:
                put_link(writer, source.id, target.id, relation, weight, by)
            return Link(source.id, target.id, relation, weight, by, writer.transaction.now)

    def unlink(
        self, principal: Principal, src: str, dst: str, relation: str = "related_to"
    ) -> Link:
        """Take back a link that the principal asserts; the operator takes back everyone's.

        Returns it as it is now: of no weight.
        """
        with writing(self._database) as writer:
            source, target = self._ends(writer, principal, src, dst)
            held = links.asserted(writer.transaction, source.id, target.id, relation)
            if not held:
                raise NotFound(f"There is no link {relation} from {source.id} to {target.id}.")
            mine = retractable(writer.transaction, principal, held)
            if not mine:
                raise NotAllowed("Only who asserted a link may take it back.")
            if principal.is_operator:
                audit.add(writer.transaction, OPERATOR, "unlink", source.id)
            for by in mine:
                put_link(writer, source.id, target.id, relation, 0, by)
            by = actor_of(principal)
            return Link(source.id, target.id, relation, 0, by, writer.transaction.now)

    def links(self, principal: Principal, memory_id: str) -> tuple[Link, ...]:
        """Return the links of a memory whose other ends the principal may read."""
        with self._context.seeing(principal, "links") as (snapshot, gate):
            memory = find_one(snapshot, gate, find.full_id(snapshot, gate, memory_id))
            return tuple(links.of_memory(snapshot, gate, memory.id))

    def graph(self, principal: Principal, memory_id: str, hops: int = 1) -> Graph:
        """Return the memories that links lead to from one, so many hops far, and those links."""
        from agent_memory_os.service.memory.graph import around

        with self._context.seeing(principal, "graph") as (snapshot, gate):
            memory = find_one(snapshot, gate, find.full_id(snapshot, gate, memory_id))
            return around(snapshot, gate, memory, hops)

    def supersede(self, principal: Principal, older: str, newer: str) -> Outcome:
        """Say that ``newer`` replaces ``older``; by anyone but its owner it is a proposal.

        The newer one must be the principal's own.
        """
        with self._context.widening() as writer:
            gate = open_gate(writer.transaction, principal)
            old = find_one(writer.transaction, gate, find.full_id(writer.transaction, gate, older))
            full = find.full_id(writer.transaction, gate, newer)
            new = own(writer, principal, full, "supersede with")
            link_model.check(new.id, old.id, SUPERSEDES, DEFAULT_WEIGHT)
            put_supersession(writer, new, old, DEFAULT_WEIGHT, actor_of(principal))
        is_own = old.owner == new.owner
        note = () if is_own else (f"{old.owner_name} owns the older one: this is a proposal.",)
        return Outcome(new, is_changed=True, notes=note)

    def history(self, principal: Principal, memory_id: str) -> tuple[Version, ...]:
        """Return the versions of a memory that the principal may see, oldest first."""
        from agent_memory_os.service.memory import history

        with self._context.seeing(principal, "history") as (snapshot, gate):
            memory = find_one(snapshot, gate, find.full_id(snapshot, gate, memory_id))
            return history.versions(snapshot, gate, memory)

    def as_of(self, principal: Principal, memory_id: str, at: int) -> Version:
        """Return the version that was true at an instant, if the principal could read it then."""
        from agent_memory_os.service.memory import history

        with self._context.seeing(principal, "as of") as (snapshot, gate):
            memory = find_one(snapshot, gate, find.full_id(snapshot, gate, memory_id))
            found = history.version_at(snapshot, gate, memory, at)
        if found is None:
            raise NotFound(f"{memory_id} has no version of that time that you may see.")
        return found

    def _ends(
        self, writer: Writer, principal: Principal, src: str, dst: str
    ) -> tuple[Memory, Memory]:
        gate = open_gate(writer.transaction, principal)
        source, target = (
            find_one(writer.transaction, gate, find.full_id(writer.transaction, gate, item))
            for item in (src, dst)
        )
        return source, target

    def _acting_agent(self, principal: Principal, owner: str | None) -> str:
        from agent_memory_os.service.named import find_agent

        if principal.agent is not None:
            return principal.agent
        if not owner:
            raise InvalidInput("A memory is added for an agent: say for which one.")
        with self._database.read() as snapshot:
            return find_agent(snapshot, owner).id

    def _full(self, writer: Writer, principal: Principal, memory_id: str) -> str:
        return find.full_id(writer.transaction, open_gate(writer.transaction, principal), memory_id)

    @staticmethod
    def _again(writer: Writer, principal: Principal, memory: Memory) -> Memory:
        return find_one(writer.transaction, open_gate(writer.transaction, principal), memory.id)
