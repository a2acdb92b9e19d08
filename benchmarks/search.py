"""What a warm search costs inside the process, by the size of the store and the kind of question.

The agent sees about a quarter of the memories: the gate is at work. Each question is asked three
times, in passes over all of them, and its least cost counts, for what is above it is other programs
at work on the same machine. Next to it: what a newcomer pays, who sees a seventh.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from agent_memory_os.client import MemoryClient
from benchmarks import figure, fleet
from benchmarks.clock import at, least
from benchmarks.corpus import Corpus

KINDS = ("mixed", "middling", "common")
ASKED = {10_000: 5, 100_000: 10}
QUESTIONS = 150


def main() -> None:
    """Measure, and print the figures."""
    with figure.options(__doc__) as options:
        figure.title(__doc__)
        sizes = (2_000,) if options.quick else tuple(ASKED)
        count = 40 if options.quick else QUESTIONS
        for size in sizes:
            home = fleet.build(options.work, size)
            for agent in (fleet.READER, fleet.NEWCOMER):
                with MemoryClient(home, agent=agent) as client:
                    measure(client, size, agent, count)


def measure(client: MemoryClient, size: int, agent: str, count: int) -> None:
    """Print what each kind of question costs one agent."""
    asked_for = questions(size, count)
    for question in asked_for["mixed"][:10]:
        client.search(question)
    for kind in KINDS:
        found = sum(len(client.search(question)) for question in asked_for[kind]) / count
        costs = least([_asking(client, question) for question in asked_for[kind]])
        is_asked = kind == "mixed" and agent == fleet.READER and size in ASKED
        figure.figure(
            f"{size:,} memories, {agent}, {kind}",
            f"p50 {at(costs, 0.5):.2f} ms, p95 {at(costs, 0.95):.2f} ms ({found:.1f} hits)",
            f"p50 at most {ASKED[size]} ms" if is_asked else "",
        )


def questions(size: int, count: int) -> dict[str, list[str]]:
    """Return questions of each kind about memories that are spread over a store."""
    corpus = Corpus()
    texts = [note.text for note in corpus.notes(min(size, 10_000))]
    step = len(texts) // count
    return {
        kind: [corpus.question(texts[number * step], kind) for number in range(count)]
        for kind in KINDS
    }


def _asking(client: MemoryClient, question: str) -> Callable[[], object]:
    return partial(client.search, question)


if __name__ == "__main__":
    main()
