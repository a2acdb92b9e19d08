"""What one command works with: the node, who acts, and how it speaks to the person.

The node is opened when it is first asked for, once: the home's own, or where one was named that is
served elsewhere, that one. With ``--json`` a command prints one object on
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
from agent_memory_os.errors import ConfirmationNeeded, NotFound, Refused
from agent_memory_os.model.principal import Principal
from agent_memory_os.value import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from agent_memory_os.remote.node import RemoteNode
    from agent_memory_os.service.node import LocalNode
    from agent_memory_os.service.nouns import Node, Upkeep
    from agent_memory_os.settings import Reach, Settings


class Desk:
    """One run of one command.

    ``settings`` say where the home is, and who was named to act; ``reach`` where a node is served
    that was named in place of the home's own.
    """

    def __init__(self, shared: Shared) -> None:
        self.shared = shared
        self.as_json = shared.as_json
        self.settings: Settings = settings.read(shared.home, shared.agent, os.environ)
        self.reach: Reach | None = settings.reach(
            self.settings.home, shared.node, None, os.environ, is_home_named=shared.home is not None
        )
        self.notes: list[str] = []
        self._local: LocalNode | None = None
        self._served: RemoteNode | None = None

    @property
    def node(self) -> Node:
        """The node that is meant."""
        return self.served if self.reach is not None else self.local

    @property
    def local(self) -> LocalNode:
        """The node of the home; its warnings are told when it is opened.

        Raises :class:`Refused` where a node was named that is served elsewhere.
        """
        if self._local is None:
            self.home  # noqa: B018 - it raises where another node is meant
            self._local = wiring.open_node(self.settings)
            self.tell(*map(self._warning, self._local.warnings), word="warning")
        return self._local

    @property
    def served(self) -> RemoteNode:
        """The node that is served elsewhere."""
        if self._served is None:
            from agent_memory_os.client.choice import served_at

            assert self.reach is not None  # noqa: S101 - whoever asks has looked
            self._served = served_at(self.reach)
        return self._served

    @property
    def home(self) -> str:
        """The home's folder, for what works on its files.

        Raises :class:`Refused` where a node was named that is served elsewhere.
        """
        if self.reach is not None:
            raise Refused(
                "This works on the files of a home. Run it on the machine of the node, and name no "
                f"node; {self.reach.url} is named, by --node, AGENT_MEMORY_NODE or node.toml."
            )
        return self.settings.home

    def _warning(self, warning: str) -> str:
        if warning != wiring.COPIED:
            return warning
        import shlex

        home = shlex.quote(self.settings.home)
        return f"{warning} Run: agent-memory --home {home} init --new-device"

    @property
    def upkeep(self) -> Upkeep:
        """The upkeep of the node, also where the file of the home cannot be opened."""
        if self.reach is not None:
            return self.served.upkeep
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
        if self.reach is not None:
            return self.served.acting(self.settings.agent)
        principal, notes = wiring.acting(self.local, self.settings)
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
            stream.give("".join([line + "\n" for line in lines]))

    def give(self, shape: Mapping[str, object]) -> None:
        """Print the result's one object, with ``--json`` alone."""
        if self.as_json:
            from agent_memory_os.cli.shape import to_json

            stream.give(to_json({**shape, "notes": self.notes}) + "\n")

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
        for opened in (self._local, self._served):
            if opened is not None:
                opened.close()
