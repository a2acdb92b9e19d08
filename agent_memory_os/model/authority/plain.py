"""Memories of which no more is held than their first content and the grant that it came with.

Most memories are so, all their lives. What the rules say of one follows from what is the same for
all that its owner writes into a scope from one device by one add: whether the device is certified
and was never revoked, whether the agent is the author's, and whether no removal or narrowing is
held there that the add does not name. That is worked out once, and not for each memory. A memory
of which anything else is held, or whose grant does not hold, is no plain one: the rules themselves
judge it. A law holds that they say the same of a plain one.
"""

from __future__ import annotations

from collections.abc import Mapping

from agent_memory_os.model.authority.held import Held
from agent_memory_os.model.authority.member import Members
from agent_memory_os.model.authority.memory import Memories, is_shared
from agent_memory_os.model.register import CONTENT, DEVICE, GRANT, Register
from agent_memory_os.value import NamedTuple

_BOTH = 2


class Plain(NamedTuple):
    """The content of a plain memory with its digest, its grant, and the scope (empty: private)."""

    name: str
    content: Register
    grant: Register | None
    scope: str


class Plains:
    """Tells which memories are plain, by the organisation that they are judged on."""

    def __init__(self, held: Held, members: Members, memories: Memories) -> None:
        self._held = held
        self._members = members
        self._memories = memories
        self._standing: dict[tuple[str, ...], bool] = {}
        self._reached: dict[tuple[str, str], bool] = {}

    def of(self, registers: Mapping[str, Register]) -> Plain | None:
        """Return a memory of which these registers are held, where it is plain.

        All of them have their form, and are of this memory.
        """
        if not 0 < len(registers) <= _BOTH:
            return None
        (name, content), *others = registers.items()
        grant = None
        if others:
            [(other, grant)] = others
            if grant.group == CONTENT:
                name, content, grant = other, grant, content
        found = self._opened(name, content, grant)
        return found if found is not None and self._stands(found) else None

    def reaches(self, account: str, scope: str, *, trusts: bool = False) -> bool:
        """Say whether a node of an account shows what is open to a scope, of other accounts.

        ``trusts``: what the owner shares with everybody is shown to this account too.
        """
        if not is_shared(scope):
            own = self._held.account_of.get(scope.removeprefix("agent:"))
            return trusts if scope == "global" else own == account
        key = (account, scope)
        if key not in self._reached:
            owners = self._held.account_of.items()
            self._reached[key] = any(
                owner == account and self._members.adds(scope, agent) for agent, owner in owners
            )
        return self._reached[key]

    def _opened(self, name: str, content: Register, grant: Register | None) -> Plain | None:
        """Return a first content with the first grant of the scope that it is for, if any."""
        if content.group != CONTENT or content.value.get("life", 1) != 1:
            return None
        scope = next(iter(content.relies), "")
        if grant is None:
            return None if scope else Plain(name, content, None, "")
        is_first = bool(scope) and grant.group == GRANT + scope and grant.value["length"] == 1
        return Plain(name, content, grant, scope) if is_first else None

    def _stands(self, plain: Plain) -> bool:
        is_granted = plain.grant is None or self._counts(plain.grant, plain.scope)
        return is_granted and self._counts(plain.content, plain.scope)

    def _counts(self, register: Register, scope: str) -> bool:
        add = register.relies.get(scope, "")
        key = (register.author, register.device, register.proof[1], scope, add)
        if key not in self._standing:
            self._standing[key] = self._is_standing(*key)
        return self._standing[key]

    def _is_standing(self, account: str, device: str, agent: str, scope: str, add: str) -> bool:
        devices = self._members.teams.devices
        if not self._held.of(account, DEVICE + device) or devices.revocations(account, device):
            return False
        if self._held.account_of.get(agent) != account:
            return False
        if not is_shared(scope):
            return True
        is_narrowed = bool(self._memories.narrowings(scope))
        return not is_narrowed and self._members.unnamed(scope, agent, add) == []
