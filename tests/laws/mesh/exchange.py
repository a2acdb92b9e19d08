"""Two nodes sync: chunks that are cut short, come twice or in another order, and questions."""

from __future__ import annotations

from agent_memory_os.model.authority.judged import View
from agent_memory_os.model.register import CONTENT, GRANT, LIFE, LINK
from agent_memory_os.model.routing import ask, serve
from agent_memory_os.model.routing.cursor import (
    Cursor,
    chunk,
    has_frame,
    is_known,
    order,
    start,
)
from agent_memory_os.value import NamedTuple
from tests.laws.mesh.node import Node, Places
from tests.laws.mesh.truth import Truth

ROOM = 3
"""How many records are in a chunk."""


Frame = tuple[list[str], list[str], str]
"""The registers and lists of a scope's frame, and its token."""


class Worked:
    """What was worked out of a view: by scope, and by account."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.frames: dict[str, Frame] = {}
        self.records: dict[str, Places] = {}
        self.offered: dict[str, list[str]] = {}
        self.told: dict[str, tuple[list[str], list[str]]] = {}


class Faults(NamedTuple):
    """How likely a chunk is cut short, comes twice, or is overtaken by the next one, in percent."""

    cut: int = 0
    twice: int = 0
    overtaken: int = 0


class Wire:
    """Carries what one node serves to another, and notes what nobody should have been sent."""

    def __init__(self, truth: Truth) -> None:
        self.truth = truth
        self.leaks: list[str] = []
        self._worked: dict[str, Worked] = {}

    def pull(self, receiver: Node, sender: Node, faults: Faults) -> None:
        """Bring the receiver what the sender serves it, as far as the wire holds."""
        view = sender.view()
        account, device = receiver.account.id, receiver.device.id
        certified = view.held.of(account, f"account.device:{device}")
        if not certified:
            return
        if any(one.value["state"] == "revoked" for _, one in certified):
            self._give(receiver, sender, [name for name, _ in certified])
            return
        is_own = account == sender.account.id
        scopes = [
            scope
            for scope in self._offered(account, sender, is_own=is_own)
            if is_own or (account, scope) not in self.truth.withheld
        ]
        if sender.off != "told":
            self._give(receiver, sender, *self._told(sender, account))
        for scope in scopes:
            if not self._scope(receiver, sender, scope, faults):
                return
        if receiver.off != "asks":
            asked = self._asked(receiver, sender, scopes)
            found = ask.answers(view, asked)
            self._give(receiver, sender, found, serve.lists(view, "", found))

    def _asked(self, receiver: Node, sender: Node, scopes: list[str]) -> list[str]:
        """Return what a receiver asks about; note what it gives away by that."""
        account, peer = receiver.account.id, sender.account.id
        believed = account if receiver.off == "asks who may know" else peer
        asked = ask.asks(receiver.view(), account, believed, scopes)
        if not receiver.is_hostile and peer != account:
            self.leaks += [
                f"a question about what was never let out: {name[:8]}"
                for name in asked
                if self.truth.signed[name].proof[0] != peer and not self._may_get(peer, name)
            ]
        return asked

    def _offered(self, account: str, sender: Node, *, is_own: bool) -> list[str]:
        work = self._work(sender)
        if account not in work.offered:
            work.offered[account] = serve.offered(work.view, account, is_own=is_own)
        found = work.offered[account]
        if sender.off == "charge":
            return [scope for scope in found if not scope.startswith(serve.CHARGE)]
        return found

    def _told(self, sender: Node, account: str) -> tuple[list[str], list[str]]:
        work = self._work(sender)
        if account not in work.told:
            names = serve.told(work.view, account)
            work.told[account] = (names, serve.lists(work.view, "", names))
        return work.told[account]

    def _scope(self, receiver: Node, sender: Node, scope: str, faults: Faults) -> bool:
        chance = self.truth.chance
        names, lists, token = self._frame(sender, scope)
        key = (sender.device.id, scope)
        if not has_frame(receiver.cursors.get(key), sender.index, token):
            at = start(receiver.cursors.get(key), sender.index)
            self._give(receiver, sender, names, lists, (key, Cursor(sender.index, token, at)))
        if chance.randrange(300) < faults.cut:
            return False
        records = self._records(sender, scope)
        numbered = [(number, name) for name, (number, _) in records.items()]
        while True:
            after = start(receiver.cursors.get(key), sender.index)
            found = chunk(numbered, after, ROOM)
            if not found:
                return True
            cursor = Cursor(sender.index, token, found[-1][0])
            lines = self._lines(receiver, sender, records, found)
            if chance.randrange(100) < faults.overtaken:
                later = chunk(numbered, found[-1][0], ROOM)
                self._give(receiver, sender, self._lines(receiver, sender, records, later))
            if chance.randrange(100) < faults.cut:
                part = lines[: chance.randrange(len(lines) + 1)]
                moved = (key, cursor) if sender.off == "cursor with chunk" else None
                self._give(receiver, sender, part, cursor=moved)
                return False
            for _ in range(2 if chance.randrange(100) < faults.twice else 1):
                self._give(receiver, sender, lines, cursor=(key, cursor))
            if receiver.cursors.get(key) != cursor:
                return True  # what came made the scope start anew: at the next sync

    def _lines(
        self,
        receiver: Node,
        sender: Node,
        records: Places,
        found: list[tuple[int, str]],
    ) -> list[str]:
        """Return the registers of some records in the order in which they go."""
        peer, signed = receiver.source(), self.truth.signed
        lines: list[str] = []
        for _, record in found:
            names = records[record][1]
            brought = [(sender.sources.get(name), signed[name]) for name in names]
            if not is_known(brought, peer):
                lines += names
        return lines

    def _frame(self, sender: Node, scope: str) -> Frame:
        work = self._work(sender)
        if scope not in work.frames:
            names = serve.frame(work.view, scope)
            lists = serve.lists(work.view, scope, names)
            work.frames[scope] = (names, lists, serve.token([*names, *lists]))
        return work.frames[scope]

    def _records(self, sender: Node, scope: str) -> Places:
        work = self._work(sender)
        if scope not in work.records:
            work.records[scope] = self._find_records(work.view, scope, sender)
        return work.records[scope]

    def _work(self, sender: Node) -> Worked:
        """Return what was worked out of a node's view, for as long as it is the same."""
        view, held = sender.view(), self._worked.get(sender.device.id)
        if held is None or held.view is not view:
            held = self._worked[sender.device.id] = Worked(view)
        return held

    def _find_records(self, view: View, scope: str, sender: Node) -> Places:
        found: dict[str, list[str]] = {}
        for name in self._served(view, scope, sender):
            whole = name if sender.off == "whole record" else view.held.registers[name].object
            found.setdefault(whole, []).append(name)
        numbers, held = sender.numbers, view.held.registers
        for names in found.values():
            names.sort(key=lambda name: (order(held[name]), numbers[name]))
        return sender.place(scope, found)

    def _served(self, view: View, scope: str, sender: Node) -> list[str]:
        found = serve.records(view, scope)
        if sender.off != "ever audience" or scope.startswith(serve.OWN):
            return found
        held = view.held.registers
        return [
            name
            for name in found
            if held[name].group == LINK or view.memories.holds(held[name].object, scope)
        ]

    def _give(
        self,
        receiver: Node,
        sender: Node,
        names: list[str],
        lists: list[str] | None = None,
        cursor: tuple[tuple[str, str], Cursor] | None = None,
    ) -> None:
        if not sender.is_hostile and receiver.account.id != sender.account.id:
            account = receiver.account.id
            self.leaks += [
                f"{self.truth.signed[name].group} to one who was never let in: {name[:8]}"
                for name in names
                if name not in receiver.registers and not self._may_get(account, name)
            ]
            self.leaks += [
                f"a list of {self.truth.lists[name].scope} to one who was never let in"
                for name in lists or []
                if not self._may_get_list(account, name)
            ]
        receiver.take(names, lists or [], cursor, sender.source())

    def _may_get(self, account: str, name: str) -> bool:
        register, truth = self.truth.signed[name], self.truth
        if register.author == account or register.object.startswith(("acc_", "agt_")):
            return True
        group = register.group
        if group == CONTENT:
            return any(truth.was_in(account, scope) for scope in register.relies)
        if group.startswith(GRANT):
            scope = group.removeprefix(GRANT)
            return truth.was_in(account, scope) or register.proof[0] == account
        if group == LIFE:
            shared = truth.shared.get(register.object, set())
            return any(truth.was_in(account, scope) for scope in shared)
        if group == LINK:
            shared = truth.shared.get(register.proof[0], set())
            both = shared & truth.shared.get(register.proof[1], set())
            return any(truth.was_in(account, scope) for scope in both)
        return self._may_get_chart(account, register.object, register.proof)

    def _may_get_chart(self, account: str, object_id: str, proof: tuple[str, ...]) -> bool:
        team = object_id if object_id.startswith("team_") else proof[0]
        kind = "team" if object_id == team else "project"
        if account in self.truth.ever_admins(team):
            return True
        if kind == "team" and any(
            above == team and self.truth.was_in(account, f"project:{project}")
            for project, above in self.truth.team_of.items()
        ):
            return True
        return self.truth.was_in(account, f"{kind}:{object_id}")

    def _may_get_list(self, account: str, name: str) -> bool:
        scope = self.truth.lists[name].scope
        if scope.startswith("acc_"):
            return True
        if self.truth.was_in(account, scope):
            return True
        object_id = scope.partition(":")[2]
        proof = next(
            (one.proof for one in self.truth.signed.values() if one.object == object_id), ("", "")
        )
        return self._may_get_chart(account, object_id, proof)
