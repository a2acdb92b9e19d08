"""What is shown of each memory, and to whom: grants, content and life, scope by scope.

A content names under ``relies`` the scope that it was signed for: a team or project with the add
that admits its owner, an agent and ``global`` with nothing; none where it is private. It may be
shown there and nowhere else, so that an edit which was made after a revocation stays private though
it overtakes it. A content in several scopes is signed once for each, under one stamp, so that
nobody learns from it of the others. Sharing signs the content again for the new scope, under the
stamp that it had, so that it takes the place of no edit that the one who shares had not seen.

A grant has a causal length. One to a team or project counts while the add that it names admits it.
Revocations count always, and so does a narrowing by the team's admin; all of them are kept, so that
a grant which does not count brings no earlier one back. In each scope the newest content that
counts there is shown, while the grant holds and the content's life is the present one. The owner is
shown its newest content.
"""

from __future__ import annotations

from agent_memory_os.model import view
from agent_memory_os.model.authority import kept
from agent_memory_os.model.authority.held import Held, Named
from agent_memory_os.model.authority.member import Members
from agent_memory_os.model.merge import newest
from agent_memory_os.model.register import (
    CONTENT,
    GRANT,
    LIFE,
    LINK,
    PROJECT_NARROW,
    TEAM_NARROW,
    Register,
)

OTHER_SCOPE = "it was not written for this scope"
NOT_ITS_OWN = "its author is not the account of the agent that it speaks for"


def is_shared(scope: str) -> bool:
    """Say whether a scope is a team or project: it has members, adds and removals."""
    return scope.startswith(("team:", "project:"))


class Memories:
    """Judges the registers of memories and links."""

    def __init__(self, members: Members, held: Held | None = None) -> None:
        self.members = members
        self.held = held or members.held
        self.devices = members.teams.devices
        self._narrowed: dict[str, dict[str, int]] = {}
        self._lengths: dict[tuple[str, str], int] = {}
        self._versions: dict[tuple[str, str], list[Named]] = {}

    def scopes(self, memory: str) -> list[str]:
        """Return the scopes that a memory was ever shared with, as far as is known."""
        return [group.removeprefix(GRANT) for group in self.held.groups(memory, GRANT)]

    def audience(self, memory: str) -> list[str]:
        """Return the scopes whose grant holds."""
        return [scope for scope in self.scopes(memory) if self.holds(memory, scope)]

    def holds(self, memory: str, scope: str) -> bool:
        """Say whether a grant holds."""
        return self.length(memory, scope) % 2 == 1

    def length(self, memory: str, scope: str) -> int:
        """Return the causal length of a grant: odd while it holds, 0 if there never was one."""
        key = (memory, scope)
        if key not in self._lengths:
            found = [
                int(one.value["length"])
                for name, one in self.held.of(memory, GRANT + scope)
                if not self.reason_in(scope, name, one)
            ]
            self._lengths[key] = max([*found, self.narrowed(memory, scope)])
        return self._lengths[key]

    def is_revoked(self, memory: str, scope: str) -> bool:
        """Say whether a revocation or narrowing, and not a mere lack of knowledge, ends a grant."""
        length = self.reached(memory, scope)
        return length > 0 and length % 2 == 0

    def reached(self, memory: str, scope: str) -> int:
        """Return the greatest length of a grant that is known, though it may open nothing."""
        found = [int(one.value["length"]) for _, one in self._signed(memory, GRANT + scope)]
        return max([0, *found, self.narrowed(memory, scope)])

    def narrowed(self, memory: str, scope: str) -> int:
        """Return the length up to which the admin of a team narrowed a grant; 0 if it did not."""
        if not is_shared(scope):
            return 0
        if scope not in self._narrowed:
            found: dict[str, int] = {}
            for _, one in self.narrowings(scope):
                record = str(one.value["record"])
                found[record] = max(found.get(record, 0), _ended(one))
            self._narrowed[scope] = found
        narrowed = self._narrowed[scope]
        return narrowed.get(kept.place_of(memory), 0) if narrowed else 0

    def narrowings(self, scope: str) -> list[Named]:
        """Return what a team's admin took out of a scope, as far as it counts."""
        kind, _, object_id = scope.partition(":")
        return self.members.teams.ending(
            object_id, TEAM_NARROW if kind == "team" else PROJECT_NARROW
        )

    def life(self, memory: str) -> int:
        """Return the length of a memory's life register; 0 where there is none."""
        return max([int(one.value["length"]) for _, one in self._signed(memory, LIFE)], default=0)

    def is_dead(self, memory: str) -> bool:
        """Say whether a memory was forgotten, and not brought back as far as is known."""
        lives = [int(one.value.get("life", 1)) for _, one in self._signed(memory, CONTENT)]
        length = self.life(memory)
        return length % 2 == 0 and length > max(lives, default=0)

    def versions(self, memory: str, scope: str) -> list[Named]:
        """Return the contents of a memory that count in a scope, whether its grant holds or not."""
        key = (memory, scope)
        if key not in self._versions:
            self._versions[key] = [
                one for one in self._signed(memory, CONTENT) if not self.reason_in(scope, *one)
            ]
        return self._versions[key]

    def living(self, memory: str, scope: str) -> list[Named]:
        """Return the contents that count in a scope and are of the present life."""
        return [one for one in self.versions(memory, scope) if self.lives(memory, one[1])]

    def lives(self, memory: str, content: Register) -> bool:
        """Say whether a content of a memory is of its present life."""
        return view.is_alive(int(content.value.get("life", 1)), self.life(memory))

    def shown(self, memory: str, scopes: list[str]) -> Named | None:
        """Return the content that whoever is in these scopes, and is not the owner, is shown."""
        found = {
            name: one
            for scope in scopes
            if self.holds(memory, scope)
            for name, one in self.versions(memory, scope)
        }
        return self._living(memory, list(found.items()))

    def own(self, memory: str) -> Named | None:
        """Return the content that the owner is shown."""
        return self._living(memory, self._signed(memory, CONTENT))

    def links(self, scope: str) -> list[Named]:
        """Return the links of a scope that are shown there: both ends are, and it has weight."""
        return [
            one
            for link in self.held.objects("lnk_")
            if all(self.shown(end, [scope]) for end in self.held.proof(link)[:2])
            for one in self.asserted(link, scope)
        ]

    def asserted(self, link: str, scope: str) -> list[Named]:
        """Return the newest that its asserter says of a link in a scope, where it has weight.

        To take a link back needs no add: that counts in every scope.
        """
        found = {
            name: one
            for name, one in self._signed(link, LINK)
            if not self.reason_in(scope, name, one)
        }
        last = newest(list(found.values()))
        return [item for item in found.items() if item[1] is last and last.value["weight"]]

    def reason_in(self, scope: str, name: str, register: Register) -> str:
        """Return why a memory's or link's register does not count in a scope."""
        device = self.devices.reason(name, register)
        if device:
            return device
        agent = asserter(register)
        if self.held.account_of.get(agent) != register.author:
            return NOT_ITS_OWN
        if is_ending(register):
            return ""
        if scope not in register.relies and not register.group.startswith(GRANT):
            return OTHER_SCOPE
        return self.members.reason(scope, agent, name, register) if is_shared(scope) else ""

    def _living(self, memory: str, found: list[Named]) -> Named | None:
        last = newest([one for _, one in found])
        if last is None or not self.lives(memory, last):
            return None
        return next(item for item in found if item[1] is last)

    def _signed(self, object_id: str, group: str) -> list[Named]:
        return [one for one in self.held.of(object_id, group) if not self.devices.reason(*one)]


def asserter(register: Register) -> str:
    """Return the agent whose memory a register is about, or who asserts a link."""
    return register.proof[3] if register.group == LINK else register.proof[1]


def is_ending(register: Register) -> bool:
    """Say whether a memory's register takes something back: it needs no add, and never waits."""
    if register.group == LIFE or register.group.startswith(GRANT):
        return int(register.value["length"]) % 2 == 0
    return register.group == LINK and register.value["weight"] == 0


def _ended(narrowing: Register) -> int:
    length = int(narrowing.value["length"])
    return length + length % 2
