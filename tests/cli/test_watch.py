"""What comes in is shown as it comes in, to whoever may read it."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

from tests.cli.program import AGENT_MEMORY, Program
from tools.cli_shapes import COMMANDS


@contextmanager
def watching(program: Program, *words: str) -> Iterator[Iterator[str]]:
    """Watch in a process of its own, and give the lines that it prints; at the end it is told."""
    process = subprocess.Popen(
        [AGENT_MEMORY, "watch", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=program.environment(),
        text=True,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    try:
        lines = iter(process.stdout)
        assert "atching" in next(lines)
        yield lines
    finally:
        process.send_signal(signal.SIGINT)
        process.stdout.close()
        said = process.stderr.read()
        process.stderr.close()
        assert process.wait(60) in (130, 141)
    assert "Traceback" not in said


def test_what_an_agent_may_read_is_shown_once(fleet: Program) -> None:
    """An addition and a change are shown, each once, and nothing of what others keep private."""
    fleet.add("an old one", "--share", "team:apollo")
    with watching(fleet, "--json", "--as", "bob") as lines:
        fleet.add("hidden", "--as", "ann")
        first = fleet.add("figs", "--as", "ann", "--share", "team:apollo")
        added = json.loads(next(lines))
        assert set(added) == set(COMMANDS["watch"])
        assert (added["event"], added["memory"]["id"]) == ("added", first)
        fleet.do("edit", first, "figs and plums", "--as", "ann")
        changed = json.loads(next(lines))
        assert (changed["event"], changed["memory"]["content"]) == ("changed", "figs and plums")
        last = fleet.add("pears", "--as", "bob")
        assert json.loads(next(lines))["memory"]["id"] == last


def test_people_get_a_line(fleet: Program) -> None:
    """For people a line has the time, what happened, whose it is, and the words."""
    fleet.do("init", "--agent", "ann")
    with watching(fleet) as lines:
        fleet.add("figs", "--type", "fact", "--share", "team:apollo")
        clock, act, _, *rest = next(lines).split()
        assert (clock.count(":"), act) == (2, "added")
        assert " ".join(rest) == "(fact, ann, team:apollo): figs"


def test_the_operator_does_not_watch(fleet: Program) -> None:
    """The operator's view is audited at each look, so it is not for watching."""
    assert "Only an agent can watch" in fleet.fails(1, "watch", "--as-operator")
