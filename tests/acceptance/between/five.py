"""Five machines of four people, a way between each two, and all that happens to both.

desk and lap are sam's; mira, bob and zoe are one each. All come to sam's team by a code; mira is in
its project, and has a team of her own with bob. Then, by a seed: they write, edit, share, take back
and forget; ways lose, delay and break off what goes over them, and the machines fall apart into two
groups that do not reach each other; zoe is taken out of the team. At last everything is healed.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations
from pathlib import Path
from random import Random
from typing import NamedTuple

from tests.acceptance.between.machine import Machine
from tests.acceptance.between.way import FAULTS, LOST, OPEN, Way, Ways

Make = Callable[[Path, str, str, str], Machine]
"""Makes a machine in a folder, by its name, its agent's, and what its person is called."""

TEAM, PROJECT, OTHER = "zqapollo", "zqsitemap", "zqhermes"
PEOPLE = {"desk": "zqsamuel", "mira": "zqmiranda", "bob": "zqroberto", "zoe": "zqzoltana"}
AGENTS = {"desk": "zqplanner", "mira": "zqscouting", "bob": "zqcodewright", "zoe": "zqghostly"}
NAMES = ("desk", "lap", "mira", "bob", "zoe")
WHOSE = {"lap": "desk"}
"""Whose machine it is, where that is not told by its name."""

APART = {("mira", "bob"), ("bob", "mira")}
"""Who came together by a code of another team, and so tell each other nothing of this one."""

ROUNDS = 10


class Memory(NamedTuple):
    """A memory: who wrote it, what it says, and the audience that it has; none where it is gone."""

    owner: str
    text: str
    audience: str
    is_forgotten: bool = False


class Written(NamedTuple):
    """A word that was written, of which memory, and the people who may ever have it."""

    word: str
    people: frozenset[str]
    memory: str


class Five:
    """The machines, the ways, and what no machine knows: who wrote what for whom."""

    def __init__(self, folder: Path, seed: int, make: Make) -> None:
        self.chance = Random(f"five {seed}")
        self.ways = Ways()
        self.machines = {
            name: make(
                folder,
                name,
                AGENTS[WHOSE.get(name, name)],
                "lap" if name in WHOSE else PEOPLE[name],
            )
            for name in NAMES
        }
        self.between: dict[tuple[str, str], Way] = {}
        self.codes: list[str] = []
        self.memories: dict[str, Memory] = {}
        self.written: list[Written] = []
        self.in_team = {"desk", "mira", "bob", "zoe"}
        self.ids: dict[str, str] = {}
        """The id of each person's agent."""
        self.knows_out: set[str] = set()
        """The machines that have heard that zoe is out."""

    def of(self, name: str) -> str:
        """Return whose machine it is, by that person's first machine."""
        return WHOSE.get(name, name)

    # -- how they come together

    def begin(self) -> None:
        """Let all come by codes, over ways; then each knows each."""
        desk, mira = self.machines["desk"], self.machines["mira"]
        for name in NAMES:
            if name != "lap":
                self.machines[name].begin()
        desk.found(TEAM)
        desk.found(TEAM, PROJECT)
        mira.found(OTHER)
        self.come("lap", desk, "")
        for name in ("mira", "bob", "zoe"):
            self.come(name, desk, TEAM)
        self.come("bob", mira, OTHER)
        self.ids = {name: self.machines[name].agent_id() for name in AGENTS}
        desk.member(f"project:{TEAM}/{PROJECT}", self.ids["mira"], is_in=True)
        for one, other in permutations(NAMES, 2):
            self.meet(self.machines[one], self.machines[other])
        for name in NAMES:
            self.write(name, f"team:{TEAM}")
        self.settle()

    def come(self, name: str, host: Machine, team: str) -> None:
        """Let a machine come by a code of a host's."""
        code = host.invite(team)
        self.codes.append(code)
        machine = self.machines[name]
        machine.join(code, self.way(name, host.name).url)

    def way(self, one: str, other: str) -> Way:
        """Return the way from one machine to another, made if it is not there."""
        if (one, other) not in self.between:
            way = self.ways.to(f"{one} to {other}", self.machines[other].url)
            self.between[one, other] = way
        return self.between[one, other]

    def meet(self, one: Machine, other: Machine) -> None:
        """Let a machine know another one, by a name and a URL of this test's."""
        url = self.way(one.name, other.name).url
        device = one.known().get(other.device())
        if device is None:
            one.meet(other.name, other.card(), url)
        else:
            one.call(other.name, other.device())
            one.lead(other.name, url)

    # -- what happens

    def word(self) -> str:
        """Return a word that stands nowhere else."""
        return f"zq{self.chance.randrange(10**9, 10**10)}qz"

    def audiences(self, owner: str) -> list[str]:
        """Return whom a person shares with."""
        found = ["private", f"agent:{self.ids['mira' if owner == 'desk' else 'desk']}"]
        if owner in self.in_team:
            found += [f"team:{TEAM}"] * 3
        if owner in ("desk", "mira"):
            found += [f"project:{TEAM}/{PROJECT}"]
        if owner in ("mira", "bob"):
            found += [f"team:{OTHER}"]
        return found

    def people(self, machine: str, audience: str) -> frozenset[str]:
        """Return who may ever have what is written on a machine for an audience."""
        owner = self.of(machine)
        if audience == f"team:{TEAM}":
            inside = {"desk", "mira", "bob", owner}
            # Who has not heard of it writes for her, too.
            return frozenset(inside if machine in self.knows_out else {*inside, "zoe"})
        if audience == f"team:{OTHER}":
            return frozenset({"mira", "bob"})
        if audience.startswith("project:"):
            return frozenset({"desk", "mira"})
        if audience.startswith("agent:"):
            return frozenset({owner, "mira" if owner == "desk" else "desk"})
        return frozenset({owner})

    def write(self, name: str, audience: str = "") -> None:
        """Remember something on a machine."""
        audience = audience or self.chance.choice(self.audiences(self.of(name)))
        text, tag = self.word(), self.word()
        people = self.people(name, audience)
        memory = self.machines[name].add(text, audience, tag)
        # An id is known to whoever may know of the memory.
        self.written += [Written(word, people, memory) for word in (text, tag, memory)]
        self.memories[memory] = Memory(self.of(name), text, audience)

    def change(self, name: str) -> None:
        """Edit, take back or forget a memory of the machine's own person, which is there."""
        machine, owner = self.machines[name], self.of(name)
        here = machine.reads()
        own = sorted(
            (memory, one)
            for memory, one in self.memories.items()
            # What only one machine of two changes never crosses with another change.
            if one.owner == owner and here.get(memory) == one.text
        )
        if not own or name in WHOSE:
            return
        memory, held = self.chance.choice(own)
        drawn = self.chance.randrange(4)
        if drawn < 2:
            text = self.word()
            self.written.append(Written(text, self.people(name, held.audience), memory))
            machine.edit(memory, text)
            self.memories[memory] = held._replace(text=text)
        elif drawn == 2:
            machine.revoke(memory)
            self.memories[memory] = held._replace(audience="private")
        else:
            machine.forget(memory)
            self.memories[memory] = held._replace(is_forgotten=True)

    def disturb(self) -> None:
        """Let the ways do what a network does: some are bad, or the machines fall apart."""
        apart = set(self.chance.sample(NAMES, 2)) if self.chance.random() < 0.3 else set()
        for (one, other), way in self.between.items():
            way.fault = self.chance.choice([OPEN, OPEN, *FAULTS])
            way.after = self.chance.randrange(1, 1500)
            if apart and (one in apart) != (other in apart):
                way.fault = LOST

    def sync(self, name: str) -> None:
        """Have a machine sync with all; each way that broke is told, and no other."""
        before = {key: way.breaks for key, way in self.between.items()}
        for other, done in self.machines[name].sync().items():
            key = (name, other)
            is_broken = self.between[key].breaks > before[key]
            assert done.state in ("done", "busy", "failed"), done
            assert (done.state == "failed") == is_broken, (key, self.between[key].fault, done)
            if not is_broken and other in self.knows_out - {"zoe"} and key not in APART:
                self.knows_out.add(name)

    def step(self) -> None:
        """Let something happen."""
        drawn = self.chance.randrange(100)
        name = self.chance.choice(NAMES)
        if drawn < 40:
            self.write(name)
        elif drawn < 60:
            self.change(name)
        elif drawn < 75:
            self.disturb()
        else:
            self.sync(name)

    def take_out(self) -> None:
        """Take zoe out of the team; it is known at once where it was done."""
        self.machines["desk"].member(f"team:{TEAM}", self.ids["zoe"], is_in=False)
        self.knows_out.add("desk")
        self.in_team.discard("zoe")

    def happen(self, steps: int) -> None:
        """Let it happen, then heal it."""
        for turn in range(steps):
            if turn == steps // 2:
                self.take_out()
            self.step()
        for way in self.between.values():
            way.fault = OPEN
        self.settle()

    def settle(self) -> None:
        """Have all sync with all until nobody has anything for anybody."""
        for _ in range(ROUNDS):
            done = [one for machine in self.machines.values() for one in machine.sync().values()]
            assert all(one.state in ("done", "busy") for one in done), done
            if not any(one.moved for one in done):
                return
        raise AssertionError("it goes on and on")

    def close(self) -> None:
        """End the servers and the ways."""
        for machine in self.machines.values():
            machine.end()
        self.ways.close()
