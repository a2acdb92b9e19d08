"""Each rule, and what takes its place where it is switched off.

The product has no switch: a rule that is off is a variant of one judge, or of one decision of
routing, and stands here.
"""

from __future__ import annotations

from agent_memory_os.model import view as membership
from agent_memory_os.model.authority.device import Devices
from agent_memory_os.model.authority.held import Named
from agent_memory_os.model.authority.judged import View
from agent_memory_os.model.authority.kept import place_of
from agent_memory_os.model.authority.member import NO_ADD, Members
from agent_memory_os.model.authority.memory import NOT_ITS_OWN, OTHER_SCOPE, Memories
from agent_memory_os.model.authority.team import HANDED_OVER, UNLISTED, Teams
from agent_memory_os.model.register import CONTENT, LIFE, Register

RULES = {
    "ever audience": "a revocation goes to whoever was granted now or ever",
    "asks": "who is not served a scope asks about what it holds of it",
    "asks who may know": "only who is inside, or owns the record, is asked about it",
    "told": "who was removed is sent its removal",
    "names an add": "a write into a team or project names an add of its author",
    "whole record": "a record goes whole whenever anything of it changes",
    "cursor with chunk": "a cursor moves in the transaction that applies the chunk",
    "parked": "what lies ahead of the clock is parked, and not dropped",
    "awaited": "a revocation purges nothing that a grant which waits opens again",
    "new index": "a restored file numbers its changes under a new index",
    "new number": "what comes to stand otherwise in a scope gets a new number",
    "asked anew": "who may have dropped what counts again asks for the scope from its beginning",
    "unknown hides": "what is not known hides, and only what is explicit purges",
    "freeze lists": "a removal leaves only what its list has",
    "add names removals": "an add holds only beside the removals that it names",
    "lowest of highest": "several removals admit up to the lowest of their highest stamps",
    "pinned versions": "what a list names is kept beside newer versions",
    "version for each add": "a store keeps the newest for each set of adds",
    "device list": "a device's revocation leaves only what its list has",
    "log by digest": "a restored device's numbers overwrite no entry of a log",
    "hand-over list": "a hand-over leaves only what its lists have of the earlier admin's",
    "names its scopes": "a content names the scopes that it was written for",
    "agent of account": "an agent speaks only through its own account",
    "causal length": "a tombstone beats its life, whatever the clocks say",
    "stamp after seen": "a write's stamp lies above all that its device has seen",
    "share keeps stamp": "sharing signs the content again under its own stamp",
    "signed again": "the owner signs its content again where an edit and a share crossed",
    "unlisted takes away": "a removal counts where the list of a later hand-over is not here",
    "charge": "the founder and the admin are served the whole organisation of their team",
    "under the team": "an add to a project ends with the team's",
    "recovery": "the founder's recovery key takes a team back",
}
"""Every rule that can be switched off, by its name, with what it says."""


class _Members(Members):
    off: str

    def admits(self, scope: str, removals: list[Register], name: str, register: Register) -> bool:
        """Admit all, or what any list has, where that rule is off."""
        if self.off == "freeze lists":
            return True
        if self.off == "lowest of highest":
            place = place_of(register.object, register.group)
            listed = [self.held.listed(one, scope) for one in removals]
            entries = [entry for found in listed if found for entry in found.entries]
            return not removals or any((one.digest, one.place) == (name, place) for one in entries)
        return super().admits(scope, removals, name, register)

    def reason(self, scope: str, agent: str, name: str, register: Register) -> str:
        """Take a write that names no add, where that rule is off."""
        reason = super().reason(scope, agent, name, register)
        return "" if self.off == "names an add" and reason == NO_ADD else reason

    def adds(self, scope: str, agent: str) -> frozenset[str]:
        """Take the newest entry for the roster, or forget the team, where those rules are off."""
        if self.off == "add names removals":
            found = self.entries(scope, agent)
            last = max(found, key=lambda one: (one[1].stamp, one[0]), default=None)
            return frozenset({last[0]} if last and last[1].value["act"] == "add" else ())
        if self.off == "under the team":
            found = self.entries(scope, agent)
            return membership.standing_adds(
                membership.Entry(name, str(one.value["act"]), frozenset(one.value.get("sees", ())))
                for name, one in found
            )
        return super().adds(scope, agent)


class _Devices(Devices):
    off: str

    def keeps(self, revocations: list[Register], name: str) -> bool:
        """Keep everything of a revoked device, where that rule is off."""
        return self.off == "device list" or super().keeps(revocations, name)


class _Teams(Teams):
    off: str

    def judge_by_line(self, team: str, name: str, register: Register, by: str) -> str:
        """Take what an earlier admin wrote at any time, where that rule is off."""
        reason = super().judge_by_line(team, name, register, by)
        if self.off == "unlisted takes away" and reason == UNLISTED:
            return HANDED_OVER
        return "" if self.off == "hand-over list" and reason == HANDED_OVER else reason

    def _recoveries(self, team: str) -> list[Named]:
        return [] if self.off == "recovery" else super()._recoveries(team)


class _Memories(Memories):
    off: str

    def reason_in(self, scope: str, name: str, register: Register) -> str:
        """Show a content in any scope of its grants, or by any account, where those are off."""
        reason = super().reason_in(scope, name, register)
        if self.off == "names its scopes" and reason == OTHER_SCOPE:
            return "" if register.group == CONTENT else reason
        if self.off == "agent of account" and reason == NOT_ITS_OWN:
            agent = register.proof[1]
            shared = scope.startswith(("team:", "project:")) and register.group != LIFE
            if not shared or int(register.value.get("length", 1)) % 2 == 0:
                return ""
            return self.members.reason(scope, agent, name, register)
        return reason

    def life(self, memory: str) -> int:
        """Take the latest life register by its stamp, where that rule is off."""
        if self.off != "causal length":
            return super().life(memory)
        found = [one for _, one in self._signed(memory, LIFE)]
        last = max(found, key=lambda one: one.stamp, default=None)
        contents = [one for _, one in self._signed(memory, CONTENT)]
        edit = max(contents, key=lambda one: one.stamp, default=None)
        if last is None or (edit and edit.stamp > last.stamp):
            return 0
        return int(last.value["length"])


def view_without(off: str) -> type[View]:
    """Return the view with one rule switched off; of none, or of a routing rule, the product's."""
    if off not in JUDGED:
        return View
    bases = {"devices": _Devices, "teams": _Teams, "members": _Members, "memories": _Memories}
    judges = {f"judge_{name}": type(name, (base,), {"off": off}) for name, base in bases.items()}
    return type("ViewWithout", (View,), judges)


JUDGED = {
    "names an add",
    "freeze lists",
    "add names removals",
    "lowest of highest",
    "device list",
    "hand-over list",
    "names its scopes",
    "agent of account",
    "causal length",
    "unlisted takes away",
    "under the team",
    "recovery",
}
