"""Registers of a small world, signed by nobody: what the rules over them are tested on."""

from __future__ import annotations

from typing import Any

from agent_memory_os.model import register as group
from agent_memory_os.model.authority import kept
from agent_memory_os.model.authority.judged import View
from agent_memory_os.model.authority.kept import Kept
from agent_memory_os.model.identifier import (
    account_id,
    agent_id,
    device_id,
    link_id,
    memory_id,
    project_id,
    team_id,
)
from agent_memory_os.model.register import Chain, Register, digest, rule_of

PEOPLE = {"ann": (1, 20), "bob": (5, 30), "eve": (9, 40)}
"""Accounts, with where their keys and those of their devices begin. Eve comes only if asked."""

KEYS = {name: (f"{at:064x}", f"{at + 1:064x}") for name, (at, _) in PEOPLE.items()}
ACCOUNTS = {name: account_id(*keys) for name, keys in KEYS.items()}
DEVICES = {
    name: [(device_id(f"{n:064x}", f"{n:064x}"), f"{n:064x}") for n in (at, at + 1)]
    for name, (_, at) in PEOPLE.items()
}
AGENTS = {name: agent_id(account, name) for name, account in ACCOUNTS.items()}
TEAM = team_id(ACCOUNTS["ann"], "ab" * 16)
PROJECT = project_id(TEAM, "cd" * 16)
TEAM_SCOPE, PROJECT_SCOPE = f"team:{TEAM}", f"project:{PROJECT}"
CONTENT = {"type": "note", "created_at": 1, "updated_at": 1}


class Small:
    """A set of registers that grows; each write returns its digest."""

    def __init__(self, people: tuple[str, ...] = ("ann", "bob")) -> None:
        self.registers: dict[str, Register] = {}
        self.lists: dict[str, Kept] = {}
        self.stamp = 1 << 16
        for name in people:
            for number in (0, 1):
                self.certify(name, number)
            proof = (ACCOUNTS[name], name)
            self.put(name, AGENTS[name], group.AGENT, {"name": name, "kind": "custom"}, proof)

    def view(self) -> View:
        """What it all means."""
        return View(self.registers, self.lists)

    def put(  # noqa: PLR0913 - the fields of a register
        self,
        author: str,
        object_id: str,
        name: str,
        value: dict[str, Any],
        proof: tuple[str, ...],
        relies: dict[str, str] | None = None,
        *,
        device: int = 0,
        stamp: int | None = None,
        lists: tuple[Kept, ...] = (),
    ) -> str:
        """Write a register; return its digest."""
        self.stamp += 1
        found = {kept.digest(one): one for one in lists}
        self.lists.update(found)
        if found:
            value = {**value, "lists": sorted(found)}
        rule = rule_of(name)
        made = Register(
            object_id,
            name,
            ACCOUNTS[author],
            DEVICES[author][device][0],
            self.stamp if stamp is None else stamp,
            self.stamp,
            value,
            proof,
            relies or {},
            Chain("") if rule and rule.is_chained else None,
        )
        self.registers[digest(made)] = made
        return digest(made)

    def certify(self, name: str, number: int, **changes: Any) -> str:  # noqa: ANN401 - any field
        """Certify or revoke a device of an account."""
        lists = changes.pop("lists", ())
        device, key = DEVICES[name][number]
        value = {"state": "certified", "sign": key, "seal": key, **changes}
        where = group.DEVICE + device
        return self.put(name, ACCOUNTS[name], where, value, KEYS[name], lists=lists)

    def team(self) -> str:
        """Make the team, with a name."""
        proof = (ACCOUNTS["ann"], "ab" * 16)
        return self.put("ann", TEAM, group.TEAM_NAME, {"name": "apollo"}, proof)

    def chart(
        self,
        name: str,
        value: dict[str, Any],
        *,
        by: str = "ann",
        step: str = "",
        lists: tuple[Kept, ...] = (),
        device: int = 0,
        stamp: int | None = None,
    ) -> str:
        """Write a register of the team, or of its project where the group is one of those."""
        is_team = name.startswith("team.")
        proof = (ACCOUNTS["ann"], "ab" * 16) if is_team else (TEAM, "cd" * 16)
        object_id = TEAM if is_team else PROJECT
        relies = {TEAM_SCOPE: step} if step else {}
        return self.put(
            by, object_id, name, value, proof, relies, lists=lists, device=device, stamp=stamp
        )

    def member(self, act: str, who: str = "bob", **more: Any) -> str:  # noqa: ANN401 - any field
        """Add or remove an agent of the team."""
        given = {key: more.pop(key) for key in ("by", "step", "lists", "device") if key in more}
        return self.chart(group.TEAM_MEMBER + AGENTS[who], {"act": act, **more}, **given)

    def insider(self, act: str, who: str = "bob", **more: Any) -> str:  # noqa: ANN401 - any field
        """Add or remove an agent of the project."""
        given = {key: more.pop(key) for key in ("by", "step", "lists") if key in more}
        return self.chart(group.PROJECT_MEMBER + AGENTS[who], {"act": act, **more}, **given)

    def memory(self, who: str, number: int = 0) -> tuple[str, tuple[str, ...]]:
        """Return the id of a memory of somebody, and its proof."""
        proof = (ACCOUNTS[who], AGENTS[who], f"{number:032x}")
        return memory_id(*proof), proof

    def say(
        self,
        who: str,
        text: str,
        scope: str = "",
        add: str = "",
        *,
        number: int = 0,
        life: int = 1,
        stamp: int | None = None,
        device: int = 0,
    ) -> str:
        """Write a content, for a scope or privately."""
        memory, proof = self.memory(who, number)
        value = {**CONTENT, "content": text, "life": life}
        relies = {scope: add} if scope else {}
        return self.put(
            who, memory, group.CONTENT, value, proof, relies, stamp=stamp, device=device
        )

    def grant(
        self,
        who: str,
        scope: str,
        add: str = "",
        length: int = 1,
        *,
        number: int = 0,
        device: int = 0,
    ) -> str:
        """Switch a grant."""
        memory, proof = self.memory(who, number)
        relies = {scope: add} if add else {}
        value = {"length": length, "by": AGENTS[who]}
        return self.put(who, memory, group.GRANT + scope, value, proof, relies, device=device)

    def end(self, who: str, length: int = 2, number: int = 0) -> str:
        """Switch the life of a memory."""
        memory, proof = self.memory(who, number)
        return self.put(who, memory, group.LIFE, {"length": length, "by": AGENTS[who]}, proof)

    def link(self, who: str, weight: int, scope: str = "", add: str = "") -> str:
        """Assert a link from the first memory of ann to the first of bob."""
        proof = (self.memory("ann")[0], self.memory("bob")[0], "related_to", AGENTS[who])
        relies = {scope: add} if scope else {}
        return self.put(who, link_id(*proof), group.LINK, {"weight": weight}, proof, relies)

    def keep(self, scope: str, *names: str) -> Kept:
        """Return the list of these registers."""
        return kept.kept(scope, [(name, self.registers[name]) for name in names])
