"""One run: a member is taken out at a drawn moment, amid writes and exchanges, and stays out.

The nodes have real stores and exchange as the product does; only time, the wire and chance are not
what they are for a person. What must hold, besides what :mod:`tests.laws.nodes` looks at:

- *new*: nothing that was written by who knew of the removal reaches a node of the member, whatever
  way it took, nor stands in a byte of its files;
- *kept*: after its next whole contact with who knows, a node of the member holds no content that it
  had only by what it was taken out of; nor one that its owner took back, after a contact that the
  member's node began.

In some runs the others' operators send the member less from then on (a ceiling), so that it has to
ask how what it holds has ended.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest

from agent_memory_os.errors import AgentMemoryError, Damaged
from agent_memory_os.model.memory import Memory
from agent_memory_os.model.principal import Principal
from agent_memory_os.model.register import CONTENT
from agent_memory_os.store import organisation
from tests.laws.nodes.drill.stage import SOUND, Stage
from tests.laws.nodes.node import Node
from tests.laws.nodes.oracle import listed
from tests.laws.nodes.run import SKEW_MS, Nodes, Result, opened
from tests.laws.nodes.truth import CANARY
from tests.laws.nodes.wire import FAULTY, Wire
from tests.laws.removed.parts import switch_off

SIZES = (
    {"ann": 1, "bea": 1},
    {"ann": 1, "bea": 1, "cleo": 1},
    {"ann": 1, "bea": 1, "cleo": 1},
    {"ann": 2, "bea": 1, "cleo": 1},
    {"ann": 1, "bea": 2, "cleo": 1},
)
"""How many devices each account has in a run; bea is taken out by ann."""

BEFORE, AFTER = (2, 10), (4, 11)
"""Between how many acts there are before the removal, and after it."""

OUT = "bea"
MINUTE_MS = 60_000


class Watched(Wire):
    """A wire that notes which words came to the nodes of which account."""

    came: dict[str, set[str]]

    def _look_at(self, sender: Node, receiver: Node, line: bytes) -> None:
        super()._look_at(sender, receiver, line)
        found = {one.decode() for one in CANARY.findall(line)}
        self.came.setdefault(receiver.place.account, set()).update(found)


class Removal:
    """A member that is taken out, and what everybody does before and after."""

    def __init__(self, nodes: Nodes, chance: Random) -> None:
        self.nodes = nodes
        self.chance = chance
        self.wire = Watched(nodes.truth, nodes.chance)
        self.wire.came = {}
        nodes.wire = self.wire
        self.stage = Stage(nodes)
        self.truth = nodes.truth
        self.ann, self.bea = self.stage.node("ann1"), self.stage.node(f"{OUT}1")
        self.scopes = [self.stage.team, self.stage.project]
        self.shut: frozenset[str] = frozenset()
        """The scopes that the member is out of, once it is."""
        self.barred: set[str] = set()
        """The words of who knew of the removal, for others than the member."""
        self.reaching: set[str] = set()
        """The memories that were ever shared with the member by what it is not taken out of."""
        self.contacts = 0
        self.kept: list[str] = []
        self.left: set[str] = set()
        """The words of what was dropped that can still be read in the bytes of a file."""

    @property
    def members(self) -> list[Node]:
        """The nodes of the member."""
        return [node for node in self.nodes.nodes if node.place.account == OUT]

    def run(self) -> Iterator[str]:
        """Let it happen; give what does not hold."""
        if self.chance.random() < 0.3:
            self.stage.let_in(self.bea.agents()[1], self.stage.team)
        for node in self.nodes.nodes:
            self.remember(node)
        for node in self.nodes.nodes:
            if node.place.account != OUT:
                self.contact(node, self.chance.choice(self.members))
        is_limited = self.chance.random() < 0.4
        if is_limited:
            self.limit(self.stage.project)
        for _ in range(self.chance.randrange(*BEFORE)):
            self.step()
        if is_limited:
            self.take_all_back()
        self.remove()
        for _ in range(self.chance.randrange(*AFTER)):
            self.step()
        for node in self.members:
            self.contact(self.ann, node)
        self.limit("granted")
        self.nodes.heal()
        self.nodes.judge()
        yield from self.nodes.problems
        yield from self.kept
        yield from self.came()

    def step(self) -> None:
        """Let somebody do something, or two sync; time passes."""
        drawn = self.chance.randrange(100)
        node = self.chance.choice(self.nodes.nodes)
        self.nodes.time.now += self.chance.randrange(2 * MINUTE_MS)
        if drawn < 35:
            self.sync(*self.chance.sample(self.nodes.nodes, 2))
        elif drawn < 65:
            self.remember(node)
        elif drawn < 95:
            self.change(node)
        else:
            node.skew = self.chance.randrange(-SKEW_MS, SKEW_MS)

    def remember(self, node: Node) -> None:
        """Write a memory for some of those who are there."""
        audience = {self.chance.choice(self.audiences(node)) for _ in range(2)}
        with suppress(AgentMemoryError):
            memory = self.stage.write(node, *sorted(audience))
            self.note(node, memory, audience)

    def audiences(self, node: Node) -> list[str]:
        """Return whom a node's agent may share with: mostly the team and its project."""
        people = [one for one in self.nodes.nodes if one.account != node.account]
        agents = [f"agent:{self.stage.agent(one)}" for one in people]
        return [*self.scopes * 3, self.chance.choice(agents)]

    def note(self, node: Node, memory: str, audience: set[str]) -> None:
        """Note who may be shown what a memory says now on a node."""
        theirs = {f"agent:{agent}" for agent in self.bea.agents()}
        open_to_it = {*theirs, *(set(self.scopes) - self.shut)} if self.shut else theirs
        if node.place.account == OUT or audience & open_to_it:
            self.reaching.add(memory)
        elif self.shut and self.knows(node):
            said = {word for word, text in self.truth.texts.items() if text.memory == memory}
            self.barred.add(max(said, key=lambda word: int(word[2:-1])))

    def change(self, node: Node) -> None:
        """Edit, share, take back or forget a memory of a node's agent, or link it to another."""
        principal = Principal.of_agent(self.stage.agent(node))
        own = [
            one
            for one in listed(node, principal)
            if one.owner == principal.agent and one.state == "active"
        ]
        if own:
            acts = [self._edit, self._edit, self._share, self._revoke, self._revoke, self._forget]
            act = self.chance.choice(acts)
            self.act(act, node, self.chance.choice(sorted(own, key=lambda one: one.id)))

    def act(self, act: Callable[[Node, Memory], None], node: Node, memory: Memory) -> None:
        """Do something with a memory, if it may be done."""
        try:
            act(node, memory)
        except Damaged:
            raise
        except AgentMemoryError:
            pass
        self.nodes.acts.note(node)

    def _edit(self, node: Node, memory: Memory) -> None:
        self.stage.edit(node, memory.id)
        self.note(node, memory.id, set(memory.grants))

    def _share(self, node: Node, memory: Memory) -> None:
        scope = self.chance.choice(self.audiences(node))
        self.stage.share(node, memory.id, scope)
        self.note_shared(node, memory.id, scope)

    def note_shared(self, node: Node, memory: str, scope: str) -> None:
        """Note that a memory got one more audience, with the words that it had."""
        theirs = {f"agent:{agent}" for agent in self.bea.agents()}
        is_open = self.shut and scope in set(self.scopes) - self.shut
        if node.place.account == OUT or scope in theirs or is_open:
            self.reaching.add(memory)
            mine = {word for word, text in self.truth.texts.items() if text.memory == memory}
            self.barred -= mine

    def _revoke(self, node: Node, memory: Memory) -> None:
        for scope in memory.grants if self.chance.random() < 0.5 else memory.grants[:1]:
            self.stage.revoke(node, memory.id, scope)

    def _forget(self, node: Node, memory: Memory) -> None:
        self.stage.forget(node, memory.id)

    def remove(self) -> None:
        """Take the member out: all of its agents, of the team or of the project alone."""
        scope = self.chance.choice([self.stage.team, self.stage.team, self.stage.project])
        with self.ann.database.read() as snapshot:
            inside = {one.id for one in organisation.members(snapshot, scope)}
        for agent in sorted(inside & {*self.bea.agents()}):
            self.stage.remove(self.ann, agent, scope)
        self.shut = frozenset(self.scopes if scope == self.stage.team else [scope])
        # What it had by what it is still in, it keeps.
        for node in self.nodes.nodes:
            for memory in listed(node, Principal.of_agent(self.stage.agent(node))):
                if {*memory.grants} & (set(self.scopes) - self.shut):
                    self.reaching.add(memory.id)

    def take_all_back(self) -> None:
        """Have the first node take back whatever its agent shared, and meet the member."""
        principal = Principal.of_agent(self.stage.agent(self.ann))
        for memory in listed(self.ann, principal):
            if memory.owner == principal.agent:
                for scope in memory.grants:
                    self.stage.revoke(self.ann, memory.id, scope)
        self.contact(self.chance.choice(self.members), self.ann)

    def limit(self, ceiling: str) -> None:
        """Have the operators of all others send the member no more than a ceiling allows."""
        for node in self.nodes.nodes:
            if node.place.account != OUT:
                for member in self.members:
                    self.stage.limit(node, member, ceiling)

    def knows(self, node: Node) -> bool:
        """Say whether a node knows that the member is out."""
        with node.database.read() as snapshot:
            inside = {
                one.id for scope in self.shut for one in organisation.members(snapshot, scope)
            }
        return not inside & {*self.bea.agents()}

    def sync(self, one: Node, other: Node) -> None:
        """Have two nodes sync, as often over a bad wire or by a post as over a sound one."""
        if self.chance.random() < 0.5:
            self.stage.sync(one, other, FAULTY, by_post=self.chance.random() < 0.4)
        else:
            self.contact(one, other)

    def contact(self, one: Node, other: Node) -> None:
        """Have two nodes sync over a sound wire; look at the member's."""
        knew = [node for node in (one, other) if self.shut and self.knows(node)]
        self.stage.sync(one, other, SOUND)
        inside, outside = sorted((one, other), key=lambda node: node.place.account != OUT)
        if inside.place.account == OUT != outside.place.account:
            # Who only answers learns at the next contact what it may ask about.
            back = self.taken_back(outside) if inside is one else set()
            self.kept += self.still(inside, back, is_told=outside in knew)

    def still(self, node: Node, back: set[str], *, is_told: bool) -> Iterator[str]:
        """Give what a node of the member holds, and should have dropped by a contact."""
        held = {one.register.object for one in node.held() if one.register.group == CONTENT}
        if is_told:
            self.contacts += 1
            back |= held - self.reaching
        for memory in sorted(held & back):
            yield f"kept: {memory[:10]} is still on {node.name} after its contact"

    def taken_back(self, node: Node) -> set[str]:
        """Return the memories that a node's agent took back from everybody, or forgot."""
        principal = Principal.of_agent(self.stage.agent(node))
        return {
            one.id
            for one in listed(node, principal)
            if one.owner == principal.agent and (one.state == "forgotten" or not one.grants)
        }

    def came(self) -> Iterator[str]:
        """Give the words that came to the member's nodes, and must not have."""
        new = self.barred & self.wire.came.get(OUT, set())
        yield from (f"new: {word} was sent to {OUT}" for word in sorted(new))
        old = {word for word, text in self.truth.texts.items() if text.memory not in self.reaching}
        for node in self.members:
            node.database.close()
            found = words_in(Path(node.home))
            yield from (f"new: {one} lies on {node.name}" for one in sorted(found & self.barred))
            self.left |= found & old - self.barred


def words_in(folder: Path) -> set[str]:
    """Return the words that stand anywhere in the files of a folder."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {one.decode() for path in files for one in CANARY.findall(path.read_bytes())}


def run(seed: int, off: str = "") -> Result:
    """Run a seed, with everything on or with one part off."""
    chance = Random(f"removed {seed}")
    sizes = chance.choice(SIZES)
    is_small, mends = chance.random() < 0.5, chance.random() < 0.5
    with (
        opened(seed, sizes, "", is_small=is_small, mends=mends) as nodes,
        pytest.MonkeyPatch.context() as patch,
    ):
        switch_off(off, patch)
        nodes.pair()
        removal = Removal(nodes, chance)
        problems = list(removal.run())
        figures = {
            "contacts of the member": removal.contacts,
            "texts": len(nodes.truth.texts),
            "texts written by who knew": len(removal.barred),
            "bundles": removal.wire.bundles,
            "words of what was dropped in the bytes of a file": len(removal.left),
        }
        return Result(problems, figures)
