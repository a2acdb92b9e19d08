"""The wire between nodes: it loses, cuts, repeats and reorders, and looks at all that goes over it.

Every bundle is opened as the one that it is for would open it, and whatever stands in it that its
account was never let into is noted. Two ways are there: a peer that answers at once, and a post
that keeps what was sent until somebody comes by.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from random import Random

from agent_memory_os.errors import AgentMemoryError, Damaged, InvalidInput
from agent_memory_os.federation import signing
from agent_memory_os.federation.bundle import read
from agent_memory_os.federation.exchange import session
from agent_memory_os.federation.transport.base import Delivery, Transport
from agent_memory_os.federation.transport.memory import MemoryTransport, Post
from agent_memory_os.model.register import CONTENT
from agent_memory_os.value import NamedTuple
from tests.laws.nodes.node import Node
from tests.laws.nodes.truth import CANARY, ID, Truth


class Faults(NamedTuple):
    """How many in a hundred bundles are lost, cut, repeated, or followed by an older one."""

    lost: int = 0
    cut: int = 0
    twice: int = 0
    older: int = 0


FAULTY = Faults(lost=8, cut=20, twice=12, older=12)


class Wire:
    """What goes between nodes. ``leaks`` is what went where it must not, ``taken`` what came."""

    def __init__(self, truth: Truth, chance: Random) -> None:
        self.truth = truth
        self.chance = chance
        self.post = Post()
        self.sent: dict[tuple[str, str], list[bytes]] = {}
        self.leaks: list[str] = []
        self.named: set[tuple[str, str, str]] = set()
        """The ids that an account has named to another: those may come back."""
        self.faults = Faults()
        self.bundles = 0
        self.bytes = 0

    def sync(self, one: Node, other: Node, faults: Faults, *, by_post: bool = False) -> int:
        """Have a node sync with another; return how many registers went either way."""
        self.faults = faults
        way: Transport = Mailed(self, one, other) if by_post else Direct(self, one, other)
        try:
            report = session.sync(one.local, one.peer(other), way)
        except Damaged:
            raise
        except AgentMemoryError:
            if faults == Faults():
                raise
            return 0
        if not by_post:
            one.is_behind = other.is_behind = False
        return report.taken + report.sent

    def happens(self, percent: int) -> bool:
        """Say whether something happens that does so often."""
        return self.chance.randrange(100) < percent

    def look(self, sender: Node, receiver: Node, bundle: bytes) -> bytes:
        """Look at what a node sends; return it."""
        self.bundles += 1
        self.bytes += len(bundle)
        self.sent.setdefault((sender.name, receiver.name), []).append(bundle)
        if not sender.is_hostile and sender.account != receiver.account:
            opened = read.opened(
                io.BytesIO(bundle), receiver.device, lambda _: sender.device.public
            )
            for batch in opened.batches:
                for line in batch.lines:
                    self._look_at(sender, receiver, line)
        return bundle

    def _look_at(self, sender: Node, receiver: Node, line: bytes) -> None:
        account, way = receiver.account, f"{sender.name} to {receiver.name}"
        found: set[str] = set()
        kind = line[:20].decode()
        if line.startswith(b"["):
            if line.startswith(b'["list"'):
                name = line.partition(b'"list":"')[2][:64].decode()
                found |= set() if self.truth.may_have_list(account, name) else {f"list {name[:8]}"}
        else:
            try:
                register = signing.from_wire(line).register
            except InvalidInput as error:
                self.leaks.append(f"{error}, in {line!r} from {way}")
                return
            kind = register.group
            # Who holds what a hostile node sent it asks about that, and is answered how it ended.
            is_answer = kind != CONTENT and self._is_echo(sender, account, register.object)
            if not is_answer and not self.truth.may_have(account, register):
                found.add(register.group)
        for name in {one.decode() for one in ID.findall(line)}:
            self.named.add((sender.account, account, name))
            if not self._is_echo(sender, account, name) and not self.truth.may_know(account, name):
                found.add(f"id {name}")
        for canary in {one.decode() for one in CANARY.findall(line)}:
            if not self.truth.may_say(account, canary):
                found.add(f"text {canary}")
        self.leaks += [f"{one} in {kind} from {way}" for one in sorted(found)]

    def _is_echo(self, sender: Node, account: str, name: str) -> bool:
        return (account, sender.account, name) in self.named

    def older(self, sender: Node, receiver: Node) -> bytes | None:
        """Return a bundle that a node sent before, where an older one overtakes now."""
        held = self.sent.get((sender.name, receiver.name), [])
        return self.chance.choice(held) if held and self.happens(self.faults.older) else None

    def fates(self, sender: Node, receiver: Node, bundle: bytes) -> Iterator[bytes]:
        """Yield what comes of a bundle at the other end."""
        if self.happens(self.faults.lost):
            return
        if self.happens(self.faults.cut):
            yield self._cut(bundle)
            return
        yield bundle
        if self.happens(self.faults.twice):
            yield bundle
        older = self.older(sender, receiver)
        if older is not None:
            yield older

    def _cut(self, bundle: bytes) -> bytes:
        # By lines: how many bytes each has depends on keys that are truly random.
        lines = bundle.splitlines(keepends=True)
        whole = self.chance.randrange(len(lines))
        return b"".join(lines[:whole]) + lines[whole][: len(lines[whole]) // 2]


class Direct:
    """A way to a peer that answers at once."""

    is_live = True

    def __init__(self, wire: Wire, one: Node, other: Node) -> None:
        self.wire = wire
        self.one = one
        self.other = other

    def waits(self) -> bool:
        """Say that nothing does."""
        return False

    def hello(self, ours: bytes) -> bytes:
        """Show the peer our hello; return its own."""
        return self.other.answering.hello(self.one.device.id, ours)

    def push(self, bundle: Iterable[bytes]) -> None:
        """Send a bundle."""
        whole = self.wire.look(self.one, self.other, b"".join(bundle))
        for came in self.wire.fates(self.one, self.other, whole):
            self.other.answering.push(self.one.device.id, io.BytesIO(came))

    def pull(self, ask: Iterable[bytes] = ()) -> Iterator[Delivery]:
        """Send a bundle that asks; yield the answer, as it comes."""
        asked = self.wire.look(self.one, self.other, b"".join(ask))
        for came in self.wire.fates(self.one, self.other, asked):
            answer = self.other.answering.pull(self.one.device.id, io.BytesIO(came))
            whole = self.wire.look(self.other, self.one, b"".join(answer))
            for reply in self.wire.fates(self.other, self.one, whole):
                yield Delivery("answer", io.BytesIO(reply), lambda: None)


class Mailed(MemoryTransport):
    """A way to a peer through a post, where bundles wait."""

    def __init__(self, wire: Wire, one: Node, other: Node) -> None:
        super().__init__(wire.post, one.device.id, other.device.id)
        self.wire = wire
        self.one = one
        self.other = other

    def push(self, bundle: Iterable[bytes]) -> None:
        """Send a bundle, or what comes of it."""
        whole = self.wire.look(self.one, self.other, b"".join(bundle))
        for came in self.wire.fates(self.one, self.other, whole):
            super().push([came])
        inbox = self._post.bundles.get(self._out, {})
        names = sorted(inbox)
        if len(names) > 1 and self.wire.happens(self.wire.faults.older):
            inbox[names[-1]], inbox[names[-2]] = inbox[names[-2]], inbox[names[-1]]
