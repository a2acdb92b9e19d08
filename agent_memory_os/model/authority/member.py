"""Who is a member of what, and which of a member's writes stay after it was removed.

An add names the removals of that member which its writer had seen, and holds while there is no
other that counts; a project's add names the team's too and ends with it (``model.view``). What a
member writes into a team or project names the add that admits it there. It counts while that add
does: its author was in charge, and every removal that the add does not name admits the write by
its list for the scope. Being added again lifts no list: what was frozen stays frozen, and what
does not count does not, until it is written again under the new add.
"""

from __future__ import annotations

from agent_memory_os.model import view
from agent_memory_os.model.authority import kept
from agent_memory_os.model.authority.held import Named
from agent_memory_os.model.authority.team import Teams
from agent_memory_os.model.register import PROJECT_MEMBER, TEAM_MEMBER, Register

NO_ADD = "it names no add of its author here"
REMOVED = "its author was removed, and this was not among what remained"


class Members:
    """Judges memberships, and writes by the adds that they name."""

    def __init__(self, teams: Teams) -> None:
        self.teams = teams
        self.held = teams.held
        self._standing: dict[tuple[str, str], frozenset[str]] = {}
        self._entries: dict[tuple[str, str], list[Named]] = {}
        self._unnamed: dict[tuple[str, str, str], list[Register] | None] = {}

    def known(self, scope: str) -> list[str]:
        """Return the agents of which an add or removal is held in a scope, standing or not."""
        prefix = _prefix(scope)
        object_id = scope.partition(":")[2]
        return [group.removeprefix(prefix) for group in self.held.groups(object_id, prefix)]

    def ever(self, scope: str) -> list[str]:
        """Return the agents that somebody who may have been in charge added to a scope."""
        object_id, prefix = scope.partition(":")[2], _prefix(scope)
        return [
            agent
            for agent in self.known(scope)
            if any(
                one.value["act"] == view.ADD and self.teams.may_have_been(one)
                for _, one in self.held.of(object_id, prefix + agent)
            )
        ]

    def entries(self, scope: str, agent: str, act: str = "") -> list[Named]:
        """Return the adds and removals of an agent in a scope that count, or those of one act."""
        key = (scope, agent)
        if key not in self._entries:
            object_id, group = scope.partition(":")[2], _prefix(scope) + agent
            self._entries[key] = [
                one
                for one in self.teams.ending(object_id, group)
                if one[1].value["act"] == view.REMOVE or not self.teams.reason(*one)
            ]
        return [one for one in self._entries[key] if act in ("", one[1].value["act"])]

    def adds(self, scope: str, agent: str) -> frozenset[str]:
        """Return the adds of an agent that hold."""
        key = (scope, agent)
        if key not in self._standing:
            entries = [_entry(name, one) for name, one in self.entries(scope, agent)]
            team = self._above(scope)
            self._standing[key] = (
                view.standing_project_adds(entries, self.adds(team, agent))
                if team
                else view.standing_adds(entries)
            )
        return self._standing[key]

    def is_member(self, scope: str, agent: str) -> bool:
        """Say whether an agent is in a scope now, and the scope is not removed."""
        return bool(self.adds(scope, agent)) and self.teams.is_alive(scope.partition(":")[2])

    def members(self, scope: str) -> list[str]:
        """Return the agents that are in a scope now."""
        return [agent for agent in self.known(scope) if self.is_member(scope, agent)]

    def was_removed(self, scope: str, agent: str) -> bool:
        """Say whether an agent is in a scope no more because somebody in charge removed it.

        Not so where an add is merely not known: that hides, and drops nothing.
        """
        if self.adds(scope, agent):
            return False
        if self.entries(scope, agent, view.REMOVE):
            return True
        team = self._above(scope)
        return bool(team) and self.was_removed(team, agent)

    def reason(self, scope: str, agent: str, name: str, register: Register) -> str:
        """Return why an agent's write does not count in a team or project; nothing if it does."""
        removals = self.unnamed(scope, agent, register.relies.get(scope, ""))
        if removals is None:
            return NO_ADD
        return "" if self.admits(scope, removals, name, register) else REMOVED

    def admits(self, scope: str, removals: list[Register], name: str, register: Register) -> bool:
        """Say whether these removals admit a write into a scope."""
        lists = [self.held.remains(one, scope) for one in removals]
        return not removals or kept.admits(lists, name, register)

    def unnamed(self, scope: str, agent: str, add: str) -> list[Register] | None:
        """Return the removals that an add does not name, those of the team under it included.

        ``None`` where it is no add of the agent to the scope that counts.
        """
        key = (scope, agent, add)
        if key not in self._unnamed:
            self._unnamed[key] = self._find_unnamed(scope, agent, add)
        return self._unnamed[key]

    def _find_unnamed(self, scope: str, agent: str, add: str) -> list[Register] | None:
        found = dict(self.entries(scope, agent, view.ADD)).get(add)
        if found is None:
            return None
        removals = [
            one
            for name, one in self.entries(scope, agent, view.REMOVE)
            if name not in found.value.get("sees", ())
        ]
        team = self._above(scope)
        if not team:
            return removals
        below = self.unnamed(team, agent, str(found.value.get("under", "")))
        return None if below is None else removals + below

    def _above(self, scope: str) -> str:
        kind, _, object_id = scope.partition(":")
        return "" if kind == "team" else f"team:{self.teams.team_of(object_id)}"


def _entry(name: str, register: Register) -> view.Entry:
    value = register.value
    sees = frozenset(value.get("sees", ()))
    return view.Entry(name, str(value["act"]), sees, str(value.get("under", "")))


def _prefix(scope: str) -> str:
    return TEAM_MEMBER if scope.startswith("team:") else PROJECT_MEMBER
