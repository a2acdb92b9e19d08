"""What one command works with: the node, who acts, and how it speaks to the person.

The node is opened when it is first asked for, once. With ``--json`` a command prints one object on
the standard output; notes and warnings stand in it under ``notes``. Else results go to the standard
output, and notes and warnings, a line each, to the standard error.
"""

from __future__ import annotations

import os
import sys
from functools import cached_property

from agent_memory_os import settings, wiring
from agent_memory_os.cli import render, stream
from agent_memory_os.cli.command import Shared
from agent_memory_os.errors import ConfirmationNeeded, NotFound
from agent_memory_os.model.principal import Principal
from agent_memory_os.value import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from agent_memory_os.service.node import LocalNode
    from agent_memory_os.service.upkeep import Upkeep
    from agent_memory_os.settings import Settings


class Desk:
    """One run of one command.

    ``settings`` say where the node lives, and who was named to act.
    """

    def __init__(self, shared: Shared) -> None:
        self.shared = shared
        self.as_json = shared.as_json
        self.settings: Settings = settings.read(shared.home, shared.agent, os.environ)
        self.notes: list[str] = []
        self._node: LocalNode | None = None

    @property
    def node(self) -> LocalNode:
        """The node of the home; its warnings are told when it is opened."""
        if self._node is None:
            self._node = wiring.open_node(self.settings)
            self.tell(*map(self._warning, self._node.warnings), word="warning")
        return self._node

    def _warning(self, warning: str) -> str:
        if warning != wiring.COPIED:
            return warning
        import shlex

        home = shlex.quote(self.settings.home)
        return f"{warning} Run: agent-memory --home {home} init --new-device"

    @property
    def upkeep(self) -> Upkeep:
        """The upkeep of a home that is there, also where its file cannot be opened."""
        opened = wiring.open_upkeep(self.settings)
        if not os.path.exists(self.settings.database):
            raise NotFound(
                f"There is no node at {self.settings.home} yet. Make one: agent-memory init"
            )
        return opened

    @cached_property
    def principal(self) -> Principal:
        """Who acts: the operator where that was said, else an agent."""
        if self.shared.as_operator:
            return Principal.operator()
        return self.agent

    @cached_property
    def agent(self) -> Principal:
        """The agent that acts, whatever was said of the operator."""
        principal, notes = wiring.acting(self.node, self.settings)
        self.tell(*(f"{note} Another one acts with --as AGENT." for note in notes))
        return principal

    @property
    def now(self) -> int:
        """The clock's milliseconds of UTC since 1970."""
        return wiring.clock()

    def tell(self, *notes: str, word: str = "note") -> None:
        """Tell the person something beside the result."""
        self.notes.extend(notes)
        if not self.as_json:
            sys.stdout.flush()
            for note in notes:
                told = render.plain(render.shortened(note))
                stream.tell(f"{render.label(word, sys.stderr)} {told}\n")

    def explain(self, *lines: str) -> None:
        """Print reasons, on the standard error, so that the result stands alone."""
        if not self.as_json:
            sys.stdout.flush()
            told = [render.plain(render.shortened(line)) + "\n" for line in lines]
            stream.tell("".join(told))

    def say(self, *lines: str) -> None:
        """Print lines of the result, for people; nothing with ``--json``."""
        if not self.as_json:
            sys.stdout.write("".join([line + "\n" for line in lines]))

    def give(self, shape: Mapping[str, object]) -> None:
        """Print the result's one object, with ``--json`` alone."""
        if self.as_json:
            from agent_memory_os.cli.shape import to_json

            sys.stdout.write(to_json({**shape, "notes": self.notes}) + "\n")

    def confirm(self, question: str, *, yes: bool) -> None:
        """Ask the person before what cannot be undone; raise where there is nobody to ask."""
        if yes:
            return
        if self.as_json or not (sys.stdin and sys.stdin.isatty()):
            raise ConfirmationNeeded(f"{question} Nothing was done; to go ahead, say --yes.")
        sys.stdout.flush()
        stream.tell(f"{question} [y/N] ")
        if sys.stdin.readline().strip().casefold() not in ("y", "yes"):
            raise ConfirmationNeeded("Nothing was done.")

    def close(self) -> None:
        """Let go of the node."""
        if self._node is not None:
            self._node.close()
