"""What reading without a question costs: list, timeline and get, and what export and import take.

Two agents read: one that sees about a quarter of the store, and a newcomer that sees a seventh,
almost none of it its own.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial

from agent_memory_os.client import MemoryClient
from benchmarks import figure, fleet
from benchmarks.clock import at, cost, least

RUNS = 15


def main() -> None:
    """Measure, and print the figures."""
    with figure.options(__doc__) as options:
        figure.title(__doc__)
        for size in (2_000,) if options.quick else (10_000, 100_000):
            home = fleet.build(options.work, size)
            for agent in (fleet.READER, fleet.NEWCOMER):
                with MemoryClient(home, agent=agent) as client:
                    browse(client, f"{size:,} memories, {agent}")
        size = 2_000 if options.quick else 10_000
        transfer(fleet.build(options.work, size), options.work, size)


def browse(client: MemoryClient, name: str) -> None:
    """Print what pages and timelines cost one agent."""
    page = client.list(limit=50)
    middle = page.memories[len(page.memories) // 2]
    at_noon = middle.content.created_at - 1
    acts: dict[str, Callable[[], object]] = {
        "list": partial(client.list, limit=50),
        "list, next page": partial(client.list, limit=50, cursor=page.following),
        "list of a type that there is not": partial(client.list, limit=50, types=("warning",)),
        "list of an author that there is not": partial(client.list, limit=50, author="nobody"),
        "list of what the newcomer owns": partial(client.list, limit=50, owner=fleet.NEWCOMER),
        "timeline around a memory": partial(client.timeline, middle.id),
        "timeline around an instant": partial(client.timeline, at_noon),
        **{
            f"timeline by {field}": partial(client.timeline, at_noon, time_field=field)
            for field in ("event", "valid", "updated")
        },
        "get": partial(client.get, middle.id),
    }
    for act_name, act in acts.items():
        costs = [least([act], 2)[0] for _ in range(RUNS)]
        figure.figure(f"{name}, {act_name}", f"{at(costs, 0.5):.2f} ms")


def transfer(home: str, work: str, size: int) -> None:
    """Print what exporting a store and importing it into a new one cost, CPU a memory."""
    path = os.path.join(work, f"export-{os.getpid()}.jsonl")
    with MemoryClient(home, agent=fleet.READER) as client:
        count = 0

        def export() -> None:
            nonlocal count
            with open(path, "w", encoding="utf-8") as file:
                for line in client.node.transfer.export(client.principal):
                    file.write(line)
                    count += 1

        taken = cost(export)
        figure.figure(f"export by an agent of {size:,}", f"{1000 * taken / count:.0f} µs a record")
    target = os.path.join(work, f"imported-{os.getpid()}")
    with MemoryClient(target, agent="reader") as client:
        taken = cost(partial(client.node.transfer.import_path, client.principal, path))
        figure.figure("import of it elsewhere", f"{1000 * taken / count:.0f} µs a record")
        again = cost(partial(client.node.transfer.import_path, client.principal, path))
        figure.figure("the same again, all known", f"{1000 * again / count:.0f} µs a record")


if __name__ == "__main__":
    main()
