"""What nobody in a mesh knows: who truly wrote what and when, and who was ever let in where."""

from __future__ import annotations

from random import Random

from agent_memory_os.model.authority.kept import Kept
from agent_memory_os.model.identifier import account_id, agent_id, device_id
from agent_memory_os.model.merge import fault_of
from agent_memory_os.model.register import (
    CONTENT,
    GRANT,
    PROJECT_MEMBER,
    TEAM_ADMIN,
    TEAM_MEMBER,
    Register,
    digest,
)
from agent_memory_os.value import NamedTuple

START_MS = 1_780_000_000_000


class Device(NamedTuple):
    """A device and its keys."""

    id: str
    sign: str
    seal: str


class Account(NamedTuple):
    """An account with its devices and agents."""

    id: str
    keys: tuple[str, str]
    devices: tuple[Device, ...]
    agents: tuple[tuple[str, str], ...]


def make_account(number: int, devices: int) -> Account:
    """Return an account of two agents, with so many devices, at most six."""

    def key(of: int) -> str:
        return f"{number * 16 + of:064x}"

    made = tuple(
        Device(device_id(key(of), key(of + 1)), key(of), key(of + 1))
        for of in range(2, 2 + 2 * devices, 2)
    )
    account = account_id(key(0), key(1))
    agents = tuple((agent_id(account, name), name) for name in ("ann", "bob"))
    return Account(account, (key(0), key(1)), made, agents)


class Truth:
    """Everything that was ever signed, with the step in which it was."""

    def __init__(self, chance: Random) -> None:
        self.chance = chance
        self.step = 0
        self.clock = START_MS
        self.signed: dict[str, Register] = {}
        self.made: dict[str, int] = {}
        self.hostile: set[str] = set()
        self.lists: dict[str, Kept] = {}
        self.displaced_by: dict[str, str] = {}
        self.account_of: dict[str, str] = {}
        self.ever: dict[str, set[str]] = {}
        self.admins: dict[str, set[str]] = {}
        self.shared: dict[str, set[str]] = {}
        self.edits: dict[str, list[Register]] = {}
        self.stolen: dict[str, int] = {}
        self.team_of: dict[str, str] = {}
        self.withheld: set[tuple[str, str]] = set()
        self.faults: dict[str, str | None] = {}

    def sign(self, register: Register, *, hostile: bool = False) -> str:
        """Note a register that the right key signed; return its digest."""
        name = digest(register)
        self.signed[name] = register
        self.made[name] = self.step
        if hostile:
            self.hostile.add(name)
        self._note(register)
        return name

    def fault(self, name: str) -> str | None:
        """Return why a register is refused: the product's own check, asked once for each."""
        if name not in self.faults:
            self.faults[name] = fault_of(self.signed[name])
        return self.faults[name]

    def _note(self, register: Register) -> None:
        team = register.object if register.object.startswith("team_") else register.proof[0]
        if register.object.startswith("prj_"):
            self.team_of[register.object] = team
        if register.group == TEAM_ADMIN and register.author in self.ever_admins(team):
            self.admins.setdefault(team, set()).add(str(register.value["to"]))
        if register.group.startswith((TEAM_MEMBER, PROJECT_MEMBER)):
            kind, _, agent = register.group.partition(":")
            if register.value["act"] == "add" and register.author in self.ever_admins(team):
                scope = f"{kind.partition('.')[0]}:{register.object}"
                self.ever.setdefault(scope, set()).add(self.account_of.get(agent, ""))
        if register.group.startswith(GRANT):
            self.shared.setdefault(register.object, set()).add(register.group.removeprefix(GRANT))
        if register.group == CONTENT:
            self.edits.setdefault(register.object, []).append(register)

    def ever_admins(self, team: str) -> set[str]:
        """Return the accounts that were ever in charge of a team, its founder first of all."""
        return self.admins.setdefault(team, set())

    def was_in(self, account: str, scope: str) -> bool:
        """Say whether an account was ever let into a scope."""
        kind, _, name = scope.partition(":")
        if kind == "agent":
            return self.account_of.get(name) == account
        return account in self.ever.get(scope, ())
