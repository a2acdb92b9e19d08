"""What a node is to whoever speaks to it: its nouns, and what each can do.

A :class:`~agent_memory_os.service.node.LocalNode` has the file on this machine; the node of
``remote`` asks one that is served elsewhere. The command line and the SDK speak to a :class:`Node`
and cannot tell which it is: the same values come back, and the same errors with the same words.

A checker reads this module, and no command loads it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Protocol

from agent_memory_os.importers.base import Finding as Imported
from agent_memory_os.model.key import Key, Limits
from agent_memory_os.model.link import DEFAULT_WEIGHT, Link
from agent_memory_os.model.memory import Memory
from agent_memory_os.model.organisation import Agent, Project, Team
from agent_memory_os.model.principal import Principal
from agent_memory_os.model.recall import ContextPack, Filter, RecallRequest
from agent_memory_os.service.events import Following
from agent_memory_os.service.keys import MadeKey
from agent_memory_os.service.memories import Outcome, Owner
from agent_memory_os.service.memory.add import NewMemory
from agent_memory_os.service.memory.find import Moment, Page
from agent_memory_os.service.memory.graph import Graph
from agent_memory_os.service.memory.history import Version
from agent_memory_os.service.organisation import AgentView, TeamView
from agent_memory_os.service.recall import Counter, Found
from agent_memory_os.service.rename import Renamed
from agent_memory_os.service.transfer import ImportReport
from agent_memory_os.service.upkeep import (
    AuditFilter,
    AuditPage,
    BackupReport,
    CheckReport,
    Finding,
    LastBackup,
    Sizes,
    Stats,
)
from agent_memory_os.store.keys import Usage
from agent_memory_os.store.upkeep.progress import Progress, unwatched


class Memories(Protocol):
    """Every act on memories: see :class:`service.memories.Memories`."""

    def add(
        self,
        principal: Principal,
        new: NewMemory,
        audience: str = "private",
        *,
        owner: str | None = None,
    ) -> Outcome:
        """Remember something."""

    def add_many(
        self,
        principal: Principal,
        batch: Iterable[tuple[NewMemory, str]],
        *,
        owner: str | None = None,
    ) -> Iterator[Outcome]:
        """Remember many things; yields each outcome in order."""

    def get(self, principal: Principal, memory_id: str) -> Memory:
        """Return one memory."""

    def list(self, principal: Principal, wanted: Filter, limit: int = 50, cursor: str = "") -> Page:
        """Return a page of memories."""

    def session(
        self,
        principal: Principal,
        session: str,
        owner: str | None = None,
        limit: int = 50,
        cursor: str = "",
    ) -> Page:
        """Return a page of an agent's session in its order."""

    def timeline(
        self,
        principal: Principal,
        around: str | int,
        wanted: Filter,
        limit: int = 20,
        window: int | None = None,
    ) -> tuple[Moment, ...]:
        """Return the memories around a memory or an instant."""

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
        """Write a new version of a memory."""

    def share(self, principal: Principal, memory_id: str, audience: str) -> Outcome:
        """Add grants to a memory."""

    def revoke(self, principal: Principal, memory_id: str, audience: str | None = None) -> Outcome:
        """End grants of a memory."""

    def forget(self, principal: Principal, memory_id: str) -> Memory:
        """Forget a memory."""

    def bring_back(self, principal: Principal, memory_id: str) -> Memory:
        """Undo a forgetting."""

    def erase(
        self, principal: Principal, memory_ids: Iterable[str], backups: Iterable[str] = ()
    ) -> tuple[str, ...]:
        """Forget memories for good."""

    def owners(self, principal: Principal) -> tuple[Owner, ...]:
        """Return whose memories are here."""

    def forget_owner(self, principal: Principal, owner: str) -> int:
        """Forget every memory of one owner."""

    def link(
        self,
        principal: Principal,
        src: str,
        dst: str,
        relation: str = "related_to",
        weight: int = DEFAULT_WEIGHT,
    ) -> Link:
        """Assert a link."""

    def unlink(
        self, principal: Principal, src: str, dst: str, relation: str = "related_to"
    ) -> Link:
        """Take back a link."""

    def links(self, principal: Principal, memory_id: str) -> tuple[Link, ...]:
        """Return the links of a memory."""

    def graph(self, principal: Principal, memory_id: str, hops: int = 1) -> Graph:
        """Return what a memory is linked to, some hops far."""

    def supersede(self, principal: Principal, older: str, newer: str) -> Outcome:
        """Say that one memory replaces another."""

    def history(self, principal: Principal, memory_id: str) -> tuple[Version, ...]:
        """Return the versions of a memory."""

    def as_of(self, principal: Principal, memory_id: str, at: int) -> Version:
        """Return the version that was true at an instant."""


class Recall(Protocol):
    """Finding memories by a query: see :class:`service.recall.Recall`."""

    def search(
        self,
        principal: Principal,
        request: RecallRequest,
        *,
        explain: bool = False,
        superseded: bool = True,
    ) -> Found:
        """Return the memories that answer a query."""

    def pack(
        self,
        principal: Principal,
        request: RecallRequest,
        budget: int,
        *,
        counter: Counter | None = None,
        superseded: bool = False,
    ) -> ContextPack:
        """Return a prompt-ready text within a token budget."""

    def now(self) -> int:
        """Return the clock by which a request is asked."""


class Organisation(Protocol):
    """Agents, teams and projects: see :class:`service.organisation.Organisation`."""

    def agents(self, *, removed: bool = False) -> tuple[AgentView, ...]:
        """Return the agents with their memberships."""

    def agent(self, name: str) -> Agent:
        """Return the active agent of a name or id."""

    def whoami(self, principal: Principal) -> AgentView:
        """Return the acting agent with its memberships."""

    def scopes(self, principal: Principal) -> tuple[str, ...]:
        """Return the scopes whose memories reach a principal."""

    def add_agent(
        self, name: str, kind: str = "custom", display_name: str = "", notes: str = ""
    ) -> Agent:
        """Make an agent."""

    def ensure_agent(self, name: str, kind: str = "custom") -> tuple[Agent, bool]:
        """Return the agent of a name, made if it is not there."""

    def ensure_agent_or_id(self, name: str) -> None:
        """Make an agent unless one of this name or id is there."""

    def rename_agent(self, name: str, new_name: str) -> Renamed:
        """Give an agent another name."""

    def remove_agent(self, name: str) -> Agent:
        """Take an agent out of the fleet."""

    def teams(self) -> tuple[TeamView, ...]:
        """Return the teams with members and projects."""

    def add_team(self, name: str, notes: str = "") -> Team:
        """Make a team."""

    def rename_team(self, name: str, new_name: str) -> Renamed:
        """Give a team another name."""

    def remove_team(self, name: str) -> Team:
        """End a team."""

    def add_project(self, team_name: str, name: str, notes: str = "") -> Project:
        """Make a project of a team."""

    def rename_project(self, name: str, new_name: str) -> Renamed:
        """Give a project another name."""

    def remove_project(self, name: str) -> Project:
        """End a project."""

    def join(self, agent_name: str, scope_name: str) -> bool:
        """Add an agent to a team or project."""

    def leave(self, agent_name: str, scope_name: str) -> bool:
        """Take an agent out of a team or project."""


class Transfer(Protocol):
    """Import and export: see :class:`service.transfer.Transfer`."""

    def size_of(self, path: str, format_name: str | None = None) -> int:
        """Return how many bytes an import will read."""

    def import_path(
        self,
        principal: Principal,
        path: str,
        format_name: str | None = None,
        audience: str = "private",
        *,
        owner: str | None = None,
        dry_run: bool = False,
        allow_secrets: bool = False,
        progress: Callable[[int], None] = lambda _: None,
    ) -> ImportReport:
        """Read a file or folder, and put what is new of it into the store."""

    def take(
        self,
        principal: Principal,
        findings: Iterable[Imported],
        folder: str,
        audience: str = "private",
        *,
        owner: str | None = None,
        dry_run: bool = False,
        allow_secrets: bool = False,
    ) -> ImportReport:
        """Put into the store what is new of what an importer found."""

    def export(self, principal: Principal) -> Iterator[str]:
        """Yield an export, line by line."""


class Upkeep(Protocol):
    """Care for the file: see :class:`service.upkeep.Upkeep`."""

    def doctor(self, principal: Principal, progress: Progress = unwatched) -> tuple[Finding, ...]:
        """Examine the node; ``progress`` is told of shares that make one."""

    def check(self) -> CheckReport:
        """Say quickly whether the file is sound."""

    def mend(self, progress: Progress = unwatched) -> tuple[str, ...]:
        """Mend what can be mended without loss."""

    def reindex(self, progress: Progress = unwatched) -> int:
        """Make the index anew."""

    def purge(self) -> int:
        """Erase what was forgotten long ago."""

    def backup(
        self, destination: str, keep: int | None = None, *, with_keys: bool = False
    ) -> BackupReport:
        """Copy the node to a file of this machine."""

    def last_backup(self) -> LastBackup | None:
        """Tell when the last backup was made, as far as the home knows."""

    def sizes(self, principal: Principal) -> Sizes:
        """Tell how much the whole node holds."""

    def stats(self, principal: Principal) -> Stats:
        """Count what a principal may read."""

    def audit(
        self,
        principal: Principal,
        wanted: AuditFilter = AuditFilter(),  # noqa: B008 - a value that nobody changes
        limit: int = 50,
        cursor: str = "",
    ) -> AuditPage:
        """Return a page of the audit."""


class Events(Protocol):
    """What changes, as it happens: see :class:`service.events.Events`."""

    def follow(self, principal: Principal, after: str = "", *, wait: bool = True) -> Following:
        """Return what happens, event by event."""


class Keys(Protocol):
    """The keys of the API, for those who manage them: see :class:`service.keys.Keys`."""

    def create(
        self,
        name: str,
        kind: str,
        agent: str | None = None,
        *,
        expires_at: int | None = None,
        limits: Limits | None = None,
    ) -> MadeKey:
        """Make a key."""

    def list(self) -> tuple[Key, ...]:
        """Return all keys."""

    def rotate(self, name: str, *, expires_at: int | None = None) -> MadeKey:
        """Give a key another secret."""

    def revoke(self, name: str) -> Key:
        """Let a key open nothing any more."""

    def usage(self, principal: Principal, since: int) -> tuple[Usage, ...]:
        """Return what was used."""


class Node(Protocol):
    """A node, one noun a property; ``warnings`` are for the person, once a process."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the person should know of the node."""

    @property
    def memories(self) -> Memories:
        """Add, get, list, edit, share, revoke, forget, link, history."""

    @property
    def recall(self) -> Recall:
        """Search and pack."""

    @property
    def organisation(self) -> Organisation:
        """Agents, teams, projects."""

    @property
    def transfer(self) -> Transfer:
        """Import and export."""

    @property
    def upkeep(self) -> Upkeep:
        """Doctor, check, reindex, backup, stats, audit."""

    @property
    def events(self) -> Events:
        """What changes, as it happens."""

    @property
    def keys(self) -> Keys:
        """The keys of the API."""

    def close(self) -> None:
        """Let go of what the node is reached by."""
