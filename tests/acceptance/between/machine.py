"""A machine with a node that is served: what a person does there, in one word each.

There are two kinds. One is a home in this process, served by a thread: it is quick, and its clock
can be set. The other is the program in processes of its own, through the command line alone.
"""

from __future__ import annotations

import json
import os
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple, Protocol

from agent_memory_os import settings, wiring
from agent_memory_os.model.principal import Principal
from agent_memory_os.model.recall import Filter
from agent_memory_os.server.serve import Serving, door_for
from agent_memory_os.service.context import Context
from agent_memory_os.service.memory.add import NewMemory
from agent_memory_os.service.node import LocalNode
from agent_memory_os.service.peers import Address
from agent_memory_os.service.peers.answer import peering_of
from agent_memory_os.service.peers.pairing import Guest, asker
from agent_memory_os.service.peers.peers import PeerChange
from agent_memory_os.store.database import Database
from tests.api.served import Clock, listening
from tests.cli.program import Program
from tests.server.process import Server, serving


class Synced(NamedTuple):
    """What came of syncing with one peer, as its machine told."""

    state: str
    moved: int


class Machine(Protocol):
    """A machine, its agent, and the other machines that it knows, by their names."""

    name: str
    agent: str
    home: Path
    url: str

    def begin(self) -> None:
        """Make the node, with its agent, and serve it."""

    def join(self, code: str, url: str) -> None:
        """Come by a code, on a machine where nothing is yet or is served; be served afterwards."""

    def invite(self, team: str) -> str:
        """Return a code for a team; for a further device where it is none."""

    def found(self, team: str, project: str = "") -> None:
        """Make a team, or a project of one, and be in it."""

    def member(self, scope: str, agent: str, *, is_in: bool) -> None:
        """Let an agent into a team or project, or take it out."""

    def card(self) -> str:
        """Return the card of this device."""

    def device(self) -> str:
        """Return the fingerprint of this device."""

    def agent_id(self) -> str:
        """Return the id of the machine's agent."""

    def known(self) -> dict[str, str]:
        """Return the machines that are known: what each is called, by its fingerprint."""

    def meet(self, name: str, card: str, url: str) -> None:
        """Know another machine by its card."""

    def lead(self, name: str, url: str) -> None:
        """Reach a machine that is known by another URL."""

    def call(self, name: str, device: str) -> None:
        """Call a machine that is known otherwise."""

    def add(self, text: str, audience: str, tag: str) -> str:
        """Remember something; return its id."""

    def edit(self, memory: str, text: str) -> None:
        """Edit a memory of one's own."""

    def share(self, memory: str, scope: str) -> None:
        """Share a memory of one's own."""

    def revoke(self, memory: str) -> None:
        """Take a memory of one's own back from everybody."""

    def forget(self, memory: str) -> None:
        """Forget a memory of one's own."""

    def reads(self) -> dict[str, str]:
        """Return what the machine's agent reads, by id."""

    def sync(self, *names: str) -> dict[str, Synced]:
        """Sync with machines, or with all; return what came of each, by name."""

    def is_sound(self) -> bool:
        """Say whether the node finds nothing wrong with itself."""

    def end(self) -> None:
        """Serve no more, and move what was logged into the file."""


class Here:
    """A machine in this process."""

    def __init__(self, folder: Path, name: str, agent: str, called: str) -> None:
        self.name, self.agent, self.called = name, agent, called
        self.home = folder / name
        self.url = ""
        self.clock = Clock()
        self._held = ExitStack()

    def begin(self) -> None:
        """Make the node."""
        made = wiring.open_node(settings.Settings(str(self.home), None))
        made.organisation.ensure_agent(self.agent)
        made.close()
        self._serve()

    def _open(self) -> None:
        database = Database(str(self.home / settings.DATABASE), self.clock, lambda: 0.5)
        self.node = LocalNode(Context(database, os.urandom, str(self.home)), "", ())
        self._held.callback(self.node.close)

    def _serve(self) -> None:
        self._open()
        door = door_for(self.node, str(self.home), Serving("127.0.0.1", 0))
        door = door._replace(peering=peering_of(self.node.context))
        self.url = self._held.enter_context(listening(door))

    @property
    def _who(self) -> Principal:
        return Principal.of_agent(self.node.organisation.agent(self.agent).id)

    def join(self, code: str, url: str) -> None:
        """Do what ``agent-memory join`` does."""
        address = Address(url=url)
        guest = Guest(code, address, asker(address))
        if not self.home.exists():
            made = settings.Settings(str(self.home), None)
            wiring.join_account(made, guest.offer.card).close()
            self._serve()
        self.node.organisation.ensure_agent(self.agent)
        guest.join(self.node.context, [self.agent], self.called)
        self.sync()

    def invite(self, team: str) -> str:
        """Return a code."""
        made = self.node.invitations
        return made.team(team).code if team else made.device().code

    def found(self, team: str, project: str = "") -> None:
        """Make a team or a project."""
        organisation = self.node.organisation
        if project:
            organisation.add_project(team, project)
        else:
            organisation.add_team(team)
        organisation.join(self.agent, f"project:{team}/{project}" if project else f"team:{team}")

    def member(self, scope: str, agent: str, *, is_in: bool) -> None:
        """Let somebody in, or take it out."""
        organisation = self.node.organisation
        (organisation.join if is_in else organisation.leave)(agent, scope)

    def card(self) -> str:
        """Return the card."""
        return self.node.peers.card().card

    def device(self) -> str:
        """Return the fingerprint."""
        return self.node.peers.card().device

    def agent_id(self) -> str:
        """Return the id."""
        return self.node.organisation.agent(self.agent).id

    def known(self) -> dict[str, str]:
        """List the peers."""
        return {one.device: one.name for one in self.node.peers.list()}

    def meet(self, name: str, card: str, url: str) -> None:
        """Add a peer."""
        self.node.peers.add(card, name, Address(url=url))

    def lead(self, name: str, url: str) -> None:
        """Change a peer's URL."""
        self.node.peers.change(name, PeerChange(address=Address(url=url)))

    def call(self, name: str, device: str) -> None:
        """Change a peer's name."""
        self.node.peers.change(device, PeerChange(name=name))

    def add(self, text: str, audience: str, tag: str) -> str:
        """Add a memory."""
        new = NewMemory(text, tags=(tag,))
        return self.node.memories.add(self._who, new, audience).memory.id

    def edit(self, memory: str, text: str) -> None:
        """Edit one."""
        self.node.memories.edit(self._who, memory, {"content": text})

    def share(self, memory: str, scope: str) -> None:
        """Share one."""
        self.node.memories.share(self._who, memory, scope)

    def revoke(self, memory: str) -> None:
        """Revoke all grants of one."""
        self.node.memories.revoke(self._who, memory, None)

    def forget(self, memory: str) -> None:
        """Forget one."""
        self.node.memories.forget(self._who, memory)

    def reads(self) -> dict[str, str]:
        """List what is read."""
        found = self.node.memories.list(self._who, Filter(), 500).memories
        return {one.id: one.content.content for one in found}

    def sync(self, *names: str) -> dict[str, Synced]:
        """Sync as ``agent-memory sync auto`` does."""
        done = self.node.sync.run(names)
        return {one.peer: Synced(one.state, one.taken + one.sent) for one in done}

    def is_sound(self) -> bool:
        """Examine the node."""
        return self.node.upkeep.check().ok

    def end(self) -> None:
        """Close it."""
        self.node.context.database.empty_log()
        self._held.close()


class Apart:
    """A machine whose node is met through the command line and served by a process of its own."""

    def __init__(self, folder: Path, name: str, agent: str, called: str) -> None:
        self.name, self.agent, self.called = name, agent, called
        self.program = Program(folder / name)
        self.program.folder.mkdir()
        self.home = self.program.home
        self.url = ""
        self._held = ExitStack()
        self._server: Server | None = None

    def begin(self) -> None:
        """Make the node."""
        self.program.do("init", "--agent", self.agent)
        self._serve()

    def _serve(self) -> None:
        self._server = self._held.enter_context(serving(self.program))
        self.url = self._server.url

    def join(self, code: str, url: str) -> None:
        """Join by the command; a node that is served is served on."""
        more = () if self._server is None else ("--agent", self.agent)
        self.program.do("join", code, "--url", url, "--yes", "--called", self.called, *more)
        if self._server is None:
            self._serve()

    def invite(self, team: str) -> str:
        """Return a code."""
        words = ("team", "invite", team) if team else ("device", "invite")
        done = self.program.run(*words, "--json")
        return str(json.loads(done.out)["invitation"]["code"])

    def found(self, team: str, project: str = "") -> None:
        """Make a team or a project."""
        if project:
            self.program.do("project", "create", f"{team}/{project}")
        else:
            self.program.do("team", "create", team)
        self.member(
            f"project:{team}/{project}" if project else f"team:{team}", self.agent, is_in=True
        )

    def member(self, scope: str, agent: str, *, is_in: bool) -> None:
        """Let somebody in, or take it out."""
        kind, _, name = scope.partition(":")
        self.program.do(kind, "add-member" if is_in else "remove-member", name, agent)

    def card(self) -> str:
        """Return the card."""
        return str(self.program.json("peers", "card")["card"])

    def device(self) -> str:
        """Return the fingerprint."""
        return str(self.program.json("peers", "card")["device"])

    def agent_id(self) -> str:
        """Return the id."""
        found = self.program.json("agent", "list")["agents"]
        return next(str(one["id"]) for one in found if one["name"] == self.agent)

    def known(self) -> dict[str, str]:
        """List the peers."""
        return {one["device"]: one["name"] for one in self.program.json("peers", "list")["peers"]}

    def meet(self, name: str, card: str, url: str) -> None:
        """Add a peer."""
        self.program.do("peers", "add", card, "--name", name, "--url", url)

    def lead(self, name: str, url: str) -> None:
        """Change a peer's URL."""
        self.program.do("peers", "change", name, "--url", url)

    def call(self, name: str, device: str) -> None:
        """Change a peer's name."""
        self.program.do("peers", "change", device, "--name", name)

    def add(self, text: str, audience: str, tag: str) -> str:
        """Add a memory."""
        return self.program.add(text, "--share", audience, "--tag", tag)

    def edit(self, memory: str, text: str) -> None:
        """Edit one."""
        self.program.do("edit", memory, text)

    def share(self, memory: str, scope: str) -> None:
        """Share one."""
        self.program.do("share", memory, scope)

    def revoke(self, memory: str) -> None:
        """Revoke all grants of one."""
        self.program.do("revoke", memory)

    def forget(self, memory: str) -> None:
        """Forget one."""
        self.program.do("forget", memory)

    def reads(self) -> dict[str, str]:
        """List what is read."""
        found = self.program.json("list", "--limit", "500")["memories"]
        return {one["id"]: one["content"] for one in found}

    def sync(self, *names: str) -> dict[str, Synced]:
        """Sync, and check that the exit status tells whether any failed."""
        done = self.program.run("sync", "auto", *names, "--jitter", "0", "--json")
        found = {
            one["peer"]: Synced(one["state"], one["taken"] + one["sent"])
            for one in json.loads(done.out)["peers"]
        }
        is_failed = any(one.state == "failed" for one in found.values())
        assert done.status == int(is_failed), done
        return found

    def is_sound(self) -> bool:
        """Examine the node."""
        return self.program.run("check").status == 0

    def end(self) -> None:
        """Stop the server, which moves what was logged into the file."""
        if self._server is not None and self._server.is_on:
            assert self._server.stop() == 0, self._server.errors
        self._held.close()
