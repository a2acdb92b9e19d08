"""The view of a set of registers: the one entry point to what it means.

:class:`View` answers who is in charge of a team, who is in a scope, what each agent reads, and of
every register whether it counts, with a word for people where it does not. It is a pure function of
the set: the order in which the registers came changes nothing. What lies ahead of the clock is left
out by whoever makes the set (:mod:`park`).
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy

from agent_memory_os.model.authority.device import Devices
from agent_memory_os.model.authority.held import Held
from agent_memory_os.model.authority.kept import Kept
from agent_memory_os.model.authority.member import Members
from agent_memory_os.model.authority.memory import Memories
from agent_memory_os.model.authority.plain import Plains
from agent_memory_os.model.authority.team import Teams, scope_of
from agent_memory_os.model.register import GRANT, Register


class View:
    """What a set of registers and lists means."""

    def __init__(
        self, registers: Mapping[str, Register], lists: Mapping[str, Kept] | None = None
    ) -> None:
        self.held = Held(registers, lists)
        self.devices = self.judge_devices(self.held)
        self.teams = self.judge_teams(self.held, self.devices)
        self.members = self.judge_members(self.teams)
        self.memories = self.judge_memories(self.members)
        self.plains = Plains(self.held, self.members, self.memories)

    # A variant of a rule takes its judge's place in a subclass: so tests show what each is for.
    judge_devices: type[Devices] = Devices
    judge_teams: type[Teams] = Teams
    judge_members: type[Members] = Members
    judge_memories: type[Memories] = Memories

    def about(self, registers: Mapping[str, Register]) -> View:
        """Return the view of some memories and links, by the organisation of this one.

        So a node need not hold all that it has in memory to judge one record; what is the same for
        all records is worked out once.
        """
        found = copy(self)
        found.held = Held(registers, ground=self.held)
        found.memories = self.judge_memories(self.members, found.held)
        return found

    def agents(self, account: str) -> list[str]:
        """Return the agents of an account that are known."""
        return sorted(name for name, owner in self.held.account_of.items() if owner == account)

    def scopes(self) -> list[str]:
        """Return the teams and projects of which something is held."""
        found = [*self.held.objects("team_"), *self.held.objects("prj_")]
        return [scope_of(name) for name in found]

    def scopes_of(self, agent: str) -> list[str]:
        """Return the scopes that an agent is in now: teams, projects and its own."""
        joined = [scope for scope in self.scopes() if self.members.is_member(scope, agent)]
        return [*joined, f"agent:{agent}"]

    def reads(self, agent: str) -> dict[str, str]:
        """Return what an agent may read: for each memory, the digest of the content it is shown."""
        account, scopes = self.held.account_of.get(agent), self.scopes_of(agent)
        found: dict[str, str] = {}
        for memory in self.held.objects("mem_"):
            owner = self.held.proof(memory)
            known = [*scopes, "global"] if owner[0] == account else scopes
            mine = owner[:2] == (account, agent)
            shown = self.memories.own(memory) if mine else self.memories.shown(memory, known)
            if shown is not None:
                found[memory] = shown[0]
        return found

    def links(self, agent: str) -> dict[str, str]:
        """Return the links that an agent is shown, each with the digest of what is asserted."""
        found = {
            one.object: name
            for scope in self.scopes_of(agent)
            for name, one in self.memories.links(scope)
        }
        return dict(sorted(found.items()))

    def reason(self, name: str, scope: str = "") -> str:
        """Return why a register does not count, in words for people; nothing where it does.

        A content or a link counts scope by scope; without a scope, it counts for its owner.
        """
        register = self.held.registers[name]
        kind = register.object.partition("_")[0]
        if kind in ("team", "prj"):
            return self.teams.reason(name, register)
        if register.group.startswith(GRANT):
            scope = register.group.removeprefix(GRANT)
        if kind in ("mem", "lnk") and scope:
            return self.memories.reason_in(scope, name, register)
        return self.devices.reason(name, register)

    def void(self) -> dict[str, str]:
        """Return every register that does not count, with the reason."""
        reasons = {name: self.reason(name) for name in self.held.registers}
        return {name: reason for name, reason in reasons.items() if reason}
