"""What no node of a run knows: who wrote what and when, and who was ever let in where."""

from __future__ import annotations

import re
from collections.abc import Iterable

from agent_memory_os.model.audience import GLOBAL
from agent_memory_os.model.authority.kept import Kept
from agent_memory_os.model.register import (
    CONTENT,
    DEVICE,
    GRANT,
    PROJECT_MEMBER,
    TEAM_ADMIN,
    TEAM_MEMBER,
    Register,
)
from agent_memory_os.value import NamedTuple

CANARY = re.compile(rb"zq[0-9]+z")
"""What every text has in it: a word that stands nowhere else."""

ID = re.compile(rb"(?:mem|lnk|team|prj|agt|acc)_[a-z2-7]{32}")


class Text(NamedTuple):
    """A text that was written: of which memory, and the scopes that it was kept from then."""

    memory: str
    barred: frozenset[str]


class Truth:
    """Everything that was written, as it was written."""

    def __init__(self) -> None:
        self.step = 0
        self.signed: dict[str, Register] = {}
        self.made: dict[str, int] = {}
        self.hostile: set[str] = set()
        self.lists: dict[str, Kept] = {}
        self.device_of: dict[str, str] = {}
        self.account_of: dict[str, str] = {}
        self.owner_of: dict[str, str] = {}
        self.ends_of: dict[str, tuple[str, str]] = {}
        self.team_of: dict[str, str] = {}
        self.founder_of: dict[str, str] = {}
        self.ever: dict[str, set[str]] = {}
        self.admins: dict[str, set[str]] = {}
        self.shared: dict[str, set[str]] = {}
        self.introduced: set[tuple[str, str]] = set()
        self.trusted: set[tuple[str, str]] = set()
        self.texts: dict[str, Text] = {}
        self.taken_back: dict[tuple[str, str], int] = {}
        self.numbers = 0

    def canary(self) -> str:
        """Return a word that stands nowhere else."""
        self.numbers += 1
        return f"zq{self.numbers}z"

    def note(self, name: str, register: Register, *, hostile: bool = False) -> None:
        """Note a register when it is written."""
        if name in self.signed:
            return
        self.signed[name] = register
        self.made[name] = self.step
        if hostile:
            self.hostile.add(name)
        self._note_object(register)
        self._note_meaning(register)

    def _note_object(self, register: Register) -> None:
        kind = register.object.partition("_")[0]
        if kind == "team":
            self.founder_of[register.object] = register.proof[0]
            self.admins.setdefault(register.object, {register.proof[0]})
        elif kind == "prj":
            self.team_of[register.object] = register.proof[0]
        elif kind == "agt":
            self.account_of[register.object] = register.proof[0]
        elif kind == "mem":
            self.owner_of.setdefault(register.object, register.proof[0])
        elif kind == "lnk":
            self.ends_of[register.object] = (register.proof[0], register.proof[1])

    def _note_meaning(self, register: Register) -> None:
        # Whatever is signed in another account's name lets nobody in.
        if self.device_of.get(register.device) != register.author:
            return
        group, _, subject = register.group.partition(":")
        team = self.team_of.get(register.object, register.object)
        is_admin = register.author in self.admins.get(team, ())
        if group == TEAM_ADMIN and is_admin:
            self.admins[team].add(str(register.value["to"]))
        is_member = f"{group}:" in (TEAM_MEMBER, PROJECT_MEMBER)
        if is_member and is_admin and register.value["act"] == "add":
            scope = f"{group.partition('.')[0]}:{register.object}"
            self.ever.setdefault(scope, set()).add(self.account_of.get(subject, ""))
        if register.group.startswith(GRANT) and register.author == register.proof[0]:
            self._note_grant(register, register.group.removeprefix(GRANT))

    def _note_grant(self, register: Register, scope: str) -> None:
        memory, length = register.object, int(register.value["length"])
        if length % 2 == 0:
            key = (memory, scope)
            self.taken_back[key] = max(length, self.taken_back.get(key, 0))
            return
        self.shared.setdefault(memory, set()).add(scope)
        for canary, text in self.texts.items():
            if text.memory == memory and scope in text.barred:
                self.texts[canary] = text._replace(barred=text.barred - {scope})

    def note_text(self, canary: str, memory: str, barred: Iterable[str] = ()) -> None:
        """Note that a memory says something new, in no scope of those that it was kept from."""
        self.texts[canary] = Text(memory, frozenset(barred))

    def was_in(self, account: str, scope: str, owner: str = "") -> bool:
        """Say whether an account was ever let into a scope, in which an account's memory is."""
        kind, _, name = scope.partition(":")
        if scope == GLOBAL:
            return (owner, account) in self.trusted
        if kind == "agent":
            return self.account_of.get(name) == account
        return account in self.ever.get(scope, ())

    def may_have(self, account: str, register: Register) -> bool:
        """Say whether a register may be sent to an account."""
        if register.author == account or register.group.startswith(DEVICE):
            return True
        memory = register.object
        if register.group == CONTENT:
            return any(self.was_in(account, scope, register.author) for scope in register.relies)
        if register.group.startswith(GRANT):
            scope = register.group.removeprefix(GRANT)
            owner = self.owner_of.get(memory, "")
            return owner == account or self.was_in(account, scope, owner)
        return self.may_know(account, register.object)

    def may_know(self, account: str, name: str) -> bool:
        """Say whether an account may be told that something of an id is there."""
        kind = name.partition("_")[0]
        if kind == "mem":
            owner = self.owner_of.get(name, "")
            scopes = self.shared.get(name, ())
            return owner == account or any(self.was_in(account, one, owner) for one in scopes)
        if kind == "lnk":
            ends = self.ends_of.get(name, ())
            return bool(ends) and all(self.may_know(account, end) for end in ends)
        if kind == "agt":
            return self._may_know_agent(account, name)
        return kind == "acc" or self._may_know_group(account, name)

    def may_say(self, account: str, canary: str) -> bool:
        """Say whether a text may be sent to an account."""
        text = self.texts.get(canary)
        if text is None:
            return False
        owner = self.owner_of.get(text.memory, "")
        scopes = self.shared.get(text.memory, set()) - text.barred
        return owner == account or any(self.was_in(account, one, owner) for one in scopes)

    def may_have_list(self, account: str, name: str) -> bool:
        """Say whether a list of what remains may be sent to an account."""
        scope = self.lists[name].scope if name in self.lists else "acc_"
        return scope.startswith("acc_") or self._may_know_inside(account, scope)

    def _may_know_agent(self, account: str, agent: str) -> bool:
        owner = self.account_of.get(agent, "")
        if owner == account or (agent, account) in self.introduced:
            return True
        scopes = [scope for scope, accounts in self.ever.items() if owner in accounts]
        return any(self._may_know_inside(account, scope) for scope in scopes) or any(
            self.was_in(account, scope)
            for memory, found in self.shared.items()
            if self.owner_of.get(memory) == owner
            for scope in found
        )

    def _may_know_inside(self, account: str, scope: str) -> bool:
        object_id = scope.partition(":")[2]
        team = self.team_of.get(object_id, object_id)
        return account in self.admins.get(team, ()) or self.was_in(account, scope)

    def _may_know_group(self, account: str, object_id: str) -> bool:
        kind = "team" if object_id.startswith("team_") else "project"
        if self._may_know_inside(account, f"{kind}:{object_id}"):
            return True
        below = [one for one, team in self.team_of.items() if team == object_id]
        return any(self.was_in(account, f"project:{one}") for one in below)
