"""What a command costs that starts cold: whole processes against ``python -c pass``, in turns.

The interpreter is the same, and so is the environment; bytecode is cached, as it is after an
installation. The store has a thousand memories.
"""

from __future__ import annotations

import os
import sys

from benchmarks import figure, fleet
from benchmarks.clock import PYTHON, in_turns, spread
from benchmarks.corpus import Corpus

COMMAND = os.path.join(os.path.dirname(sys.executable), "agent-memory")
ASKED = {"search": 4.0, "add": 4.0, "--help": 8.0}


def main() -> None:
    """Measure, and print the figures."""
    with figure.options(__doc__) as options:
        figure.title(__doc__)
        home = fleet.build(options.work, 1000)
        environment = {
            **{name: value for name, value in os.environ.items() if name[:6] != "PYTHON"},
            "AGENT_MEMORY_HOME": home,
            "AGENT_MEMORY_AGENT_ID": fleet.READER,
        }
        corpus = Corpus()
        note = next(corpus.notes(1))
        commands = {
            "python -c pass": PYTHON,
            "search": (COMMAND, "search", corpus.question(note.text)),
            "add": (COMMAND, "add", "The gateway listens on 8443 since the last release."),
            "pack": (COMMAND, "pack", corpus.question(note.text)),
            "get": (COMMAND, "get", a_memory(home)),
            "list": (COMMAND, "list"),
            "--help": (COMMAND, "--help"),
        }
        taken = in_turns(commands, 7 if options.quick else 25, environment)
        base = taken.pop("python -c pass")
        figure.figure("python -c pass, CPU ms", spread(base).text())
        for name, costs in taken.items():
            ratios = spread([cost / empty for cost, empty in zip(costs, base, strict=True)])
            asked = f"at most {ASKED[name]:.0f}" if name in ASKED else ""
            text = (
                f"{ratios.text(2)} times python -c pass, {spread(costs).median:.1f} ms; "
                f"the least of each {min(costs) / min(base):.2f} times"
            )
            figure.figure(f"agent-memory {name}, CPU", text, asked)


def a_memory(home: str) -> str:
    """Return the id of a memory that the reader may see."""
    with fleet.MemoryClient(home, agent=fleet.READER) as client:
        return client.list(limit=1).memories[0].id


if __name__ == "__main__":
    main()
