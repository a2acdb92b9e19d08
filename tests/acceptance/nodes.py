"""Nodes of real processes that exchange: homes of their own, met through the command line alone."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.cli.program import Program

NOBODY = "http://127.0.0.1:9"
"""Where nobody listens."""


def node(folder: Path, name: str, agent: str) -> Program:
    """Make a node in a folder of its own, with an agent that acts by default."""
    found = Program(folder / name)
    found.folder.mkdir()
    found.do("init", "--agent", agent)
    return found


def card(program: Program) -> str:
    """Return the card of a node's device."""
    return str(program.json("peers", "card")["card"])


def device(program: Program) -> str:
    """Return the fingerprint of a node's device."""
    return str(program.json("peers", "card")["device"])


def further(folder: Path, name: str, first: Program, agent: str) -> Program:
    """Make a further device of a node's account, which is not certified yet."""
    found = Program(folder / name)
    found.folder.mkdir()
    found.do("init", "--device-of", card(first), "--agent", agent)
    return found


def meet(one: Program, name: str, other: Program, *words: str) -> Any:  # noqa: ANN401 - JSON
    """Add another node as a peer, by its card and under a name."""
    return added(one, name, card(other), *words)


def added(one: Program, name: str, shown: str, *words: str) -> Any:  # noqa: ANN401 - JSON
    """Add a peer by a card; return what the command printed."""
    return one.json("peers", "add", shown, "--name", name, *words)


def sync(program: Program, *peers: str, act: str = "auto") -> dict[str, dict[str, Any]]:
    """Exchange with peers; return what came of each, by name."""
    found = program.json("sync", act, *peers, *(("--jitter", "0") if act == "auto" else ()))
    return {one["peer"]: one for one in found["peers"]}


def settled(*programs: Program, rounds: int = 8) -> None:
    """Exchange until nobody has anything for anybody; so many rounds are more than enough."""
    for _ in range(rounds):
        moved = [one for program in programs for one in sync(program).values()]
        if not any(one["taken"] or one["sent"] for one in moved):
            return
    raise AssertionError("it goes on and on")


def texts(program: Program, *words: str) -> list[str]:
    """Return what an agent of a node may read, sorted."""
    found = program.json("list", "--limit", "500", *words)["memories"]
    return sorted(memory["content"] for memory in found)


KILLED = """
import os, signal, sys
from contextlib import contextmanager
from agent_memory_os.cli.main import main
from agent_memory_os.store.database import Database

whole, left = Database.write, int(os.environ["KILL_AFTER"])

@contextmanager
def counted(self, **given):
    global left
    with whole(self, **given) as transaction:
        yield transaction
        left -= 1
        if left == 0 and os.environ["KILL_IN"]:
            os.kill(os.getpid(), signal.SIGKILL)
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)

Database.write = counted
sys.exit(main())
"""


def killed(program: Program, writes: int, *words: str, within: bool) -> bool:
    """Run a command and kill it by -9 in or after its so manyth transaction; say if that came."""
    more = {"KILL_AFTER": str(writes), "KILL_IN": "yes" if within else ""}
    done = subprocess.run(
        [sys.executable, "-c", KILLED, *words],
        check=False,
        capture_output=True,
        env=program.environment(**more) | {"PYTHONPATH": os.getcwd()},
        cwd=program.folder,
        timeout=120,
    )
    assert done.returncode in (0, -signal.SIGKILL), done
    return done.returncode != 0
