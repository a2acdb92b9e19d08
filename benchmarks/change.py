"""What a change costs in a large store against a small one: edit, share, revoke and forget."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from functools import partial

from agent_memory_os.client import MemoryClient
from benchmarks import figure, fleet
from benchmarks.clock import cost, spread

SMALL, LARGE = 1_000, 100_000
ACTS = ("edit", "share", "revoke", "forget", "bring back", "get")


def main() -> None:
    """Measure, and print the figures."""
    with figure.options(__doc__) as options:
        figure.title(__doc__)
        large, runs = (3_000, 10) if options.quick else (LARGE, 60)
        homes = [copy(fleet.build(options.work, size)) for size in (SMALL, large)]
        clients = [MemoryClient(home, agent=fleet.READER) for home in homes]
        taken: dict[tuple[str, int], list[float]] = {}
        rounds = zip(*(acts(client, runs) for client in clients), strict=True)
        for pair in rounds:
            for size, (name, act) in zip((SMALL, large), pair, strict=True):
                taken.setdefault((name, size), []).append(cost(act))
        for client, home in zip(clients, homes, strict=True):
            client.close()
            shutil.rmtree(home)
        for name in ACTS:
            small, big = spread(taken[name, SMALL]), spread(taken[name, large])
            figure.figure(
                f"{name}, {large:,} against {SMALL:,} memories, CPU",
                f"{big.median / small.median:.2f} times, {small.text(2)} and {big.text(2)} ms",
                "at most 2" if name in ("edit", "revoke", "forget") else "",
            )


def copy(home: str) -> str:
    """Return a copy of a store, so that others find it as it was."""
    target = f"{home}-changed"
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(home, target)
    return target


def acts(client: MemoryClient, runs: int) -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield changes of the agent's own memories, the same for every store."""
    own = client.list(limit=runs + 5, owner=fleet.READER).memories[5:]
    for number, memory in enumerate(own):
        changed = f"{memory.text} Changed in round {number}."
        yield "edit", partial(client.update, memory.id, content=changed)
        yield "share", partial(client.share, memory.id, "agent:agent05")
        yield "revoke", partial(client.revoke, memory.id, "agent:agent05")
        yield "forget", partial(client.forget, memory.id)
        yield "bring back", partial(client.bring_back, memory.id)
        yield "get", partial(client.get, memory.id)


if __name__ == "__main__":
    main()
