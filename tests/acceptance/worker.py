"""A process that does everything to its own memories, and says what it begins and what is done.

Each line is JSON: ``begin`` an act, then ``done`` with what became of it, written at once. Run as
``python -m tests.acceptance.worker HOME AGENT SEED``; it goes on until it is killed.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable

from agent_memory_os import settings, wiring
from agent_memory_os.errors import AgentMemoryError
from agent_memory_os.model.principal import Principal
from agent_memory_os.service.memories import Memories
from agent_memory_os.service.memory.add import NewMemory

ACTS = ("add", "add", "add", "edit", "edit", "share", "revoke", "forget", "bring_back", "link")


class Worker:
    """One agent at its work. What it knows of its memories: their ids, live and forgotten ones."""

    def __init__(self, memories: Memories, principal: Principal, seed: str) -> None:
        self.memories = memories
        self.principal = principal
        self.chance = random.Random(seed)
        self.seed = seed
        self.count = 0
        self.live: list[str] = []
        self.forgotten: list[str] = []

    def step(self) -> None:
        """Do one thing, and say so before and after."""
        name = "erase" if self.chance.random() < 0.02 else self.chance.choice(ACTS)
        pool = self.forgotten if name == "bring_back" else self.live
        if name == "add":
            self.act(name, "", self.text(), self.add)
        elif pool:
            memory_id = self.chance.choice(pool)
            act: Callable[[str], object] = getattr(self, name)
            self.act(name, memory_id, self.text(), lambda text: act(memory_id, text))  # type: ignore[call-arg]

    def act(self, name: str, memory_id: str, text: str, do: Callable[[str], object]) -> None:
        """Say what begins, do it, and say what is done."""
        say({"begin": name, "id": memory_id, "text": text})
        try:
            found = do(text)
        except AgentMemoryError as error:
            say({"failed": error.code, "message": str(error)})
        else:
            say({"done": name, "id": found or memory_id, "text": text})

    def text(self) -> str:
        """Return a text that no other act has."""
        self.count += 1
        return f"canary{self.seed}n{self.count:05}" + " word" * self.chance.choice([1, 5, 40])

    def add(self, text: str) -> str:
        """Remember something; return its id."""
        memory = self.memories.add(self.principal, NewMemory(content=text)).memory
        self.live.append(memory.id)
        return memory.id

    def edit(self, memory_id: str, text: str) -> None:
        """Write another text."""
        self.memories.edit(self.principal, memory_id, {"content": text})

    def share(self, memory_id: str, _text: str) -> None:
        """Share with everyone."""
        self.memories.share(self.principal, memory_id, "global")

    def revoke(self, memory_id: str, _text: str) -> None:
        """Share with nobody."""
        self.memories.revoke(self.principal, memory_id)

    def forget(self, memory_id: str, _text: str) -> None:
        """Forget."""
        self.memories.forget(self.principal, memory_id)
        self.live.remove(memory_id)
        self.forgotten.append(memory_id)

    def bring_back(self, memory_id: str, _text: str) -> None:
        """Undo a forgetting."""
        self.memories.bring_back(self.principal, memory_id)
        self.forgotten.remove(memory_id)
        self.live.append(memory_id)

    def link(self, memory_id: str, _text: str) -> None:
        """Link with another memory."""
        other = self.chance.choice(self.live)
        if other != memory_id:
            self.memories.link(self.principal, memory_id, other)

    def erase(self, memory_id: str, _text: str) -> None:
        """Erase for good."""
        self.live.remove(memory_id)
        self.memories.erase(self.principal, [memory_id])


def say(line: dict[str, object]) -> None:
    """Write one line at once."""
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


def main() -> None:
    """Work until the end."""
    home, agent, seed = sys.argv[1:]
    node = wiring.open_node(settings.read(home, None, {}))
    worker = Worker(node.memories, Principal.of_agent(agent), seed)
    say({"ready": seed})
    while True:
        worker.step()


if __name__ == "__main__":
    main()
