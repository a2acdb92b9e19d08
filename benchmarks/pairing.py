"""What it costs two nodes to pair by a code: the CPU time of both sides, imports apart.

From the joiner's first question to the inviter as its peer, in one process and without the way
between: the handshake of both, what each signs and verifies, and what each writes. Each joiner is a
new node. Making the home of a joiner is measured apart, and so is the handshake alone.
"""

from __future__ import annotations

import os
import shutil

from agent_memory_os import settings, wiring
from agent_memory_os.federation.pairing.code import Code
from agent_memory_os.federation.pairing.handshake import Half
from agent_memory_os.federation.pairing.message import CLOSE_PATH, OPEN_PATH
from agent_memory_os.service.node import LocalNode
from agent_memory_os.service.peers import Address
from agent_memory_os.service.peers.pairing import Called, Guest, Host
from benchmarks import figure
from benchmarks.clock import cost, spread

AT = Address(url="http://127.0.0.1:8765")
ASKED_MS = 200


def main() -> None:
    """Measure, and print the figures."""
    with figure.options(__doc__) as options:
        figure.title(__doc__)
        folder = os.path.join(options.work, "pairing")
        shutil.rmtree(folder, ignore_errors=True)
        inviter = node(os.path.join(folder, "inviter"), "planner")
        inviter.organisation.add_team("apollo")
        host = Host(inviter.context, Called("sam", "desktop"))
        rounds = 5 if options.quick else 30
        paired, made = [], []
        for number in range(1 + rounds):
            home = os.path.join(folder, f"joiner-{number}")
            made.append(cost(lambda home=home: node(home, "scout").close()))
            joiner = wiring.open_node(settings.Settings(home, None))
            code = inviter.invitations.team("apollo").code
            paired.append(cost(lambda joiner=joiner, code=code: pair(host, joiner, code)))
            joiner.close()
        inviter.close()
        # The first of each pays for imports.
        figure.figure("pairing, CPU ms of both", spread(paired[1:]).text(), f"at most {ASKED_MS}")
        figure.figure("the handshake alone", spread([cost(shake) for _ in range(rounds)]).text())
        figure.figure("a home with its keys and an agent", spread(made[1:]).text())


def node(home: str, agent: str) -> LocalNode:
    """Make a node with an agent."""
    made = wiring.open_node(settings.Settings(home, None))
    made.organisation.add_agent(agent)
    return made


def pair(host: Host, joiner: LocalNode, code: str) -> None:
    """Pair two nodes."""
    acts = {OPEN_PATH: host.open, CLOSE_PATH: host.close}
    guest = Guest(code, AT, lambda path, line: acts[path](line))
    guest.join(joiner.context, ["scout"], "mira")


def shake() -> None:
    """Do the handshake of both sides alone."""
    code = Code(417, ("orbit", "violin", "cable"))
    ours, theirs = (Half(code, AT.url, is_joiner=side) for side in (True, False))
    ours.keys(theirs.message)
    theirs.keys(ours.message)


if __name__ == "__main__":
    main()
