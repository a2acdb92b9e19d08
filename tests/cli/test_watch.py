"""What comes in is shown as it comes in, to whoever may read it."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from tests.cli.program import AGENT_MEMORY, Program
from tests.server.process import Server, key_of, serving
from tools.cli_shapes import COMMANDS


@contextmanager
def watching(
    program: Program, *words: str, more: Mapping[str, str] | None = None
) -> Iterator[Iterator[str]]:
    """Watch in a process of its own, and give the lines that it prints; at the end it is told."""
    process = subprocess.Popen(
        [AGENT_MEMORY, "watch", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=program.environment(**(more or {})),
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


def test_what_goes_is_shown(fleet: Program) -> None:
    """A memory that can be read no more is gone, and a change of one's own groups is told."""
    kept = fleet.add("figs", "--as", "ann", "--share", "team:apollo")
    with watching(fleet, "--json", "--as", "bob") as lines:
        fleet.do("revoke", kept, "--as", "ann")
        assert json.loads(next(lines)) == {"event": "gone", "id": kept, "memory": None}
        fleet.do("team", "remove-member", "apollo", "bob")
        assert json.loads(next(lines)) == {"event": "audience", "id": None, "memory": None}


def test_sharing_what_is_there_is_a_change(fleet: Program) -> None:
    """To its owner a memory is added once; that it is shared is a change."""
    fleet.do("init", "--agent", "ann")
    with watching(fleet) as lines:
        kept = fleet.add("figs")
        assert " added " in next(lines)
        fleet.do("share", kept, "team:apollo")
        assert " changed " in next(lines)
        fleet.do("forget", kept)
        assert " gone " in next(lines)
        fleet.do("team", "remove-member", "apollo", "ann")
        assert "your teams or projects are others now" in next(lines)


def test_a_served_node_is_watched(fleet: Program) -> None:
    """What happens at a node that is served is shown here, through a new start of the server."""
    key = key_of(fleet, "laptop", "--agent", "bob")
    with serving(fleet) as server:
        fleet_key = {"AGENT_MEMORY_NODE": server.url, "AGENT_MEMORY_KEY": key}
        with watching(fleet, "--json", more=fleet_key) as lines:
            first = fleet.add("figs", "--as", "ann", "--share", "team:apollo")
            assert json.loads(next(lines))["id"] == first
            server.kill()
            second = fleet.add("plums", "--as", "ann", "--share", "team:apollo")
            again = Server(fleet, "--port", server.url.rpartition(":")[2])
            shown = json.loads(next(lines))
            assert (shown["event"], shown["memory"]["id"]) == ("added", second)
            again.kill()


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
