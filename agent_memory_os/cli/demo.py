"""``agent-memory demo``: a fleet of agents, and what each of them recalls.

It runs the real commands, in a home that is made for it and taken away again, on the files of an
invented tea shop that come with the program (``examples/fleet``): what is shown is what a person
would get who typed the same.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from io import StringIO
from typing import Any

import agent_memory_os
from agent_memory_os.cli import card, grid, main, render
from agent_memory_os.cli.command import Shared
from agent_memory_os.cli.desk import Desk
from agent_memory_os.errors import Refused
from agent_memory_os.model.recall import Filter
from agent_memory_os.service.context import FLEET_FILE
from agent_memory_os.settings import AGENT_VARIABLE, HOME_VARIABLE

FLEET = os.path.join(os.path.dirname(agent_memory_os.__file__), "examples", "fleet")
PLAN = "fleet.toml"
_WIDEST = 88
"""Columns of a line that tells what is shown."""

NEXT = (
    ("agent-memory init", "make a home of your own"),
    ("agent-memory import ~/.claude/projects --dry-run", "see what your agents know already"),
    ('agent-memory search "what did we decide"', "recall it"),
)

Plan = Mapping[str, Any]


def demo(desk: Desk) -> None:
    """Show a small invented fleet recall, each agent what it may see.

    Everything happens in a home of its own, which is removed at the end.

    Example: agent-memory demo
    """
    desk.home  # noqa: B018 - it is shown on a home of this machine, or not at all
    with open(os.path.join(FLEET, PLAN), "rb") as file:
        plan = tomllib.load(file)
    stage = _Stage(desk)
    with _scene():
        _meet(stage)
        _fill(stage, plan)
        _recall(stage, plan["recall"], plan["recall_zh"])
        _revoke(stage, plan["revoke"])
        _pack(stage, plan["pack"])
    _go_on(stage)
    desk.give({"steps": stage.steps})


class _Stage:
    """Where commands are shown and run."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.steps: list[dict[str, str]] = []

    def tell(self, title: str, *lines: str) -> None:
        """Begin a scene."""
        words = card.wrapped(" ".join(lines), min(render.width(), _WIDEST))
        self.desk.say("", render.paint(title, render.BOLD), *words)

    def run(self, *words: str) -> None:
        """Show a command, and run it."""
        command = shlex.join(("agent-memory", *words))
        self.desk.say("", render.paint(f"$ {command}", render.CYAN))
        sys.stdout.flush()
        if self.desk.as_json:
            self._capture(*words)
            return
        with redirect_stderr(sys.stdout):
            status = main.run(list(words))
        if status:
            raise Refused(f"The demo stopped: `{command}` ended with {status}.")

    def run_aside(self, *words: str) -> Plan:
        """Run a command that is not shown, and return its object."""
        found: Plan = json.loads(self._capture(*words, "--json"))
        return found

    def _capture(self, *words: str) -> str:
        command, printed = shlex.join(("agent-memory", *words)), StringIO()
        with redirect_stdout(printed), redirect_stderr(printed):
            status = main.run(list(words))
        if status:
            raise Refused(f"The demo stopped: `{command}` ended with {status}.")
        self.steps.append({"command": command, "output": printed.getvalue()})
        return printed.getvalue()


@contextmanager
def _scene() -> Iterator[None]:
    """Make a home for the demo, stand in the fleet's folder, and put everything back."""
    held, folder = dict(os.environ), os.getcwd()
    with tempfile.TemporaryDirectory(prefix="agent-memory-demo-") as home:
        os.chmod(home, 0o700)
        shutil.copy(os.path.join(FLEET, FLEET_FILE), home)
        os.environ[HOME_VARIABLE] = home
        os.environ.pop(AGENT_VARIABLE, None)
        os.chdir(FLEET)
        try:
            yield
        finally:
            os.chdir(folder)
            os.environ.clear()
            os.environ.update(held)


def _meet(stage: _Stage) -> None:
    stage.tell(
        "A fleet",
        "A tea shop runs four agents, each of another kind. Its agents.toml says who is in which",
        "team, and the node has taken it up:",
    )
    stage.run("team", "list")


def _fill(stage: _Stage, plan: Plan) -> None:
    first, *others = plan["imports"]
    stage.tell(
        "What they know",
        "Each agent has kept files in its own format. They are imported for that agent, and shared",
        "with a team, a project, everyone or nobody:",
    )
    stage.run(*_import(first))
    brought = [(one, stage.run_aside(*_import(one))["imports"][0]) for one in others]
    stage.desk.say(
        "", f"So are {len(brought)} more files and folders, each by a command like it:", ""
    )
    rows = [_row(agent, brought) for agent in dict.fromkeys(one["agent"] for one in others)]
    stage.desk.say(*grid.table(("AGENT", "FROM", "SHARED WITH", "MEMORIES"), rows))


def _import(one: Plan) -> tuple[str, ...]:
    share = () if one["audience"] == "private" else ("--share", one["audience"])
    return ("import", one["path"], "--as", one["agent"], *share)


def _row(agent: str, brought: list[tuple[Plan, Plan]]) -> tuple[str, ...]:
    """Return what was brought in for one agent: of which formats, for whom, and how much."""
    mine = [(one, report) for one, report in brought if one["agent"] == agent]
    formats = dict.fromkeys(name for _, report in mine for name in report["by_format"])
    audiences = dict.fromkeys(one["audience"].rpartition(":")[2] for one, _ in mine)
    count = sum(report["added"] for _, report in mine)
    return (agent, ", ".join(formats), ", ".join(audiences), f"{count:,}")


def _recall(stage: _Stage, english: Plan, chinese: Plan) -> None:
    stage.tell("Recall", f"{english['agent']} asks, and gets what its team knows:")
    stage.run("search", english["question"], "--as", english["agent"], "--limit", "2")
    stage.tell(
        "The gate",
        f"{english['outsider']} is in another team. The same question, checked before anything is",
        "ranked:",
    )
    stage.run("search", english["question"], "--as", english["outsider"])
    stage.tell("In Chinese", "Any script works, with no language model, and the gate is the same:")
    stage.run("search", chinese["question"], "--as", chinese["agent"], "--limit", "2")
    stage.run("search", chinese["question"], "--as", chinese["outsider"])


def _revoke(stage: _Stage, plan: Plan) -> None:
    question = ("search", plan["question"], "--as", plan["reader"], "--limit", "1")
    stage.tell("Taking back", f"{plan['reader']} finds what {plan['owner']} told their team:")
    stage.run(*question)
    stage.desk.say("", f"{plan['owner']} takes it back, and the same question is asked again:")
    stage.run("revoke", _id_of(plan), plan["audience"], "--as", plan["owner"])
    stage.run(*question)


def _id_of(plan: Plan) -> str:
    """Return the short id of the memory that is taken back."""
    desk = Desk(Shared(agent=plan["owner"]))
    try:
        page = desk.node.memories.list(desk.principal, Filter(owner=plan["owner"]))
    finally:
        desk.close()
    (found,) = (memory.id for memory in page.memories if memory.text == plan["content"])
    return render.short(found)


def _pack(stage: _Stage, plan: Plan) -> None:
    stage.tell(
        "A context pack",
        f"What {plan['agent']} needs for a task, in at most {plan['tokens']} tokens, ready for a",
        "prompt, and why each memory is in or out:",
    )
    budget = ("--max-tokens", str(plan["tokens"]), "--limit", "6", "--explain")
    stage.run("pack", plan["task"], "--as", plan["agent"], *budget)


def _go_on(stage: _Stage) -> None:
    stage.tell("Now with your own", "The demo's home is gone again. To begin:", "")
    widest = max(len(command) for command, _ in NEXT)
    for command, use in NEXT:
        stage.desk.say(f"  {command:<{widest}}  {render.paint(use, render.DIM)}")


COMMANDS = {"demo": demo}
