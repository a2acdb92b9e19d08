"""From a code to the first shared recall, through the command line and real servers alone."""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.acceptance.nodes import NOBODY, device, node, settled, sync, texts
from tests.cli.program import AGENT_MEMORY, Program
from tests.server.process import PATIENCE, Server, key_of, serving

YES = ("--yes",)


class Hub(NamedTuple):
    """A node with a team that is served."""

    program: Program
    server: Server

    def invite(self, *words: str) -> str:
        """Give out a code."""
        made = self.program.json(*(words or ("team", "invite", "apollo")))
        assert made["url"] == self.server.url
        return str(made["invitation"]["code"])

    def state(self, code: str) -> str:
        """Return what became of a code."""
        found = self.program.json("invitation", "list")["invitations"]
        return next(str(one["state"]) for one in found if str(one["number"]) == code[:3])


def fresh(folder: Path, name: str) -> Program:
    """Return the program on a machine where nothing was made yet."""
    found = Program(folder / name)
    found.folder.mkdir()
    return found


def join(program: Program, hub: Hub, code: str, *words: str) -> dict[str, object]:
    """Join by a code, and return what the command printed."""
    found = program.json("join", code, "--url", hub.server.url, *YES, *words)
    return dict(found)


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[Hub]:
    """Give a node with a team and a memory, which is served."""
    program = node(tmp_path, "hub", "planner")
    program.do("team", "create", "apollo")
    program.do("team", "add-member", "apollo", "planner")
    program.add("releases go out on Tuesdays", "--share", "team:apollo")
    program.add("private to planner")
    with serving(program) as server:
        yield Hub(program, server)


@pytest.mark.measured
def test_two_commands_to_the_first_shared_recall(tmp_path: Path, hub: Hub) -> None:
    """On a fresh machine one command makes the node, joins and fetches; both ways it goes on."""
    mira = fresh(tmp_path, "mira")
    joined = join(mira, hub, hub.invite(), "--agent", "scout", "--called", "mira")
    assert (joined["made"], joined["team"], joined["agent"]) == (True, "apollo", "scout")
    assert (joined["memories"], joined["fault"]) == (1, "")
    assert joined["own_device"] == device(mira)
    assert mira.found("when do releases go out") == ["releases go out on Tuesdays"]
    mira.add("and on Fridays", "--share", "team:apollo")
    mira.add("private to scout")
    assert sync(mira)["sam"]["state"] == "done"
    assert "and on Fridays" in texts(hub.program)
    assert "private to scout" not in texts(hub.program)
    [peer] = hub.program.json("peers", "list")["peers"]
    assert (peer["name"], peer["device"], peer["ceiling"]) == ("mira", device(mira), "team:apollo")
    [invited] = hub.program.json("invitation", "list")["invitations"]
    assert (invited["state"], invited["peer"], invited["code"]) == ("joined", "mira", None)


@pytest.mark.measured
def test_nobody_is_an_impostor_afterwards(tmp_path: Path, hub: Hub) -> None:
    """What the joiner's agent writes and edits is taken by the inviter, and the other way."""
    mira = fresh(tmp_path, "mira")
    join(mira, hub, hub.invite(), "--agent", "scout", "--called", "mira")
    with serving(mira) as server:
        hub.program.do("peers", "change", "mira", "--url", server.url)
        theirs = mira.add("written by scout", "--share", "team:apollo")
        settled(mira)
        mira.do("edit", theirs, "edited by scout")
        mine = hub.program.add("written by planner", "--share", "team:apollo")
        settled(hub.program)
        hub.program.do("edit", mine, "edited by planner")
        settled(hub.program, mira)
        for one in (mira, hub.program):
            assert {"edited by scout", "edited by planner"} <= {*texts(one)}
            assert one.json("quarantine", "list")["lines"] == []
        mira.do("forget", theirs)
        settled(hub.program)
        assert "edited by scout" not in texts(hub.program)


@pytest.mark.measured
def test_the_running_servers_know_each_other_at_once(tmp_path: Path, hub: Hub) -> None:
    """A joiner that is served already is asked by the inviter's key, and is answered by its own."""
    mira = node(tmp_path, "mira", "scout")
    with serving(mira) as server:
        joined = join(mira, hub, hub.invite(), "--called", "mira")
        assert joined["made"] is False
        hub.program.do("peers", "change", "mira", "--url", server.url)
        assert sync(hub.program, act="pull")["mira"]["state"] == "done"
        assert sync(mira, act="pull")["sam"]["state"] == "done"
        assert server.is_on
        assert hub.server.is_on


@pytest.mark.measured
def test_a_second_machine_is_the_same_fleet(tmp_path: Path, hub: Hub) -> None:
    """The same agent acts on two of one's machines, and what either writes reaches the other."""
    lap = fresh(tmp_path, "lap")
    code = hub.invite("device", "invite")
    joined = join(lap, hub, code, "--called", "lap", "--name", "desk")
    assert (joined["kind"], joined["team"], joined["memories"]) == ("device", None, 2)
    assert joined["agent"] == "planner"
    assert texts(lap) == texts(hub.program)
    for name, program in (("desk", hub.program), ("lap", lap)):
        program.add(f"by planner on {name}", "--share", "team:apollo")
        program.add(f"private, on {name}")
    settled(lap)
    assert texts(lap) == texts(hub.program)
    assert len(texts(lap)) == 6
    for program, peer in ((hub.program, "lap"), (lap, "desk")):
        first, second = program.json("device", "list")["devices"]
        assert (first["device"], first["this"], first["peer"]) == (device(program), True, None)
        assert (second["state"], second["peer"]) == ("certified", peer)
        assert program.json("quarantine", "list")["lines"] == []
        assert "ok" in program.do("doctor")
    mira = fresh(tmp_path, "mira")
    assert "root key of this account is not in" in lap.fails(1, "device", "invite")
    join(mira, hub, hub.invite(), "--agent", "scout", "--called", "mira")
    settled(mira, lap)
    assert "by planner on lap" in texts(mira)


@pytest.mark.measured
def test_a_wrong_code_leaves_a_fresh_machine_as_it_was(tmp_path: Path, hub: Hub) -> None:
    """No home is made where the words are others, nobody answers, or nobody says yes."""
    mira, code = fresh(tmp_path, "mira"), hub.invite()
    other = code.rpartition("-")[0] + ("-zoo" if not code.endswith("zoo") else "-able")
    at = ("--url", hub.server.url)
    assert "not the one of this invitation" in mira.fails(1, "join", other, *at, *YES)
    told = mira.fails(1, "join", code, *at)
    assert "Nothing was done; to go ahead, say --yes. To look has used one of the code's" in told
    assert "No code has the word 'figs'" in mira.fails(2, "join", "417-figs-zoo-zoo", *at, *YES)
    gone = mira.fails(1, "join", code, "--url", NOBODY, *YES)
    assert f"The node at {NOBODY} does not answer" in gone
    assert "is no URL of a node" in mira.fails(2, "join", code, "--url", "hub", *YES)
    assert "begins with https" in mira.fails(2, "join", code, *at, *YES, "--pin", "0" * 64)
    assert "cannot be the name of" in mira.fails(2, "join", code, *at, *YES, "--agent", "a b")
    assert not mira.home.exists()
    assert hub.state(code) == "open"
    join(mira, hub, code)
    assert hub.state(code) == "joined"
    again = fresh(tmp_path, "again")
    assert "No invitation with this code is open" in again.fails(1, "join", code, *at, *YES)
    assert not again.home.exists()


@pytest.mark.measured
def test_a_code_for_another_is_refused(tmp_path: Path, hub: Hub) -> None:
    """A device's code is of no use to a home that is there, and a team's none to one's own."""
    mira = node(tmp_path, "mira", "scout")
    at = ("--url", hub.server.url, *YES)
    code = hub.invite("device", "invite")
    assert "is of another one" in mira.fails(1, "join", code, *at)
    lap = fresh(tmp_path, "lap")
    join(lap, hub, code)
    assert "of the same account" in lap.fails(1, "join", hub.invite(), *at)
    assert "no team called 'hermes'" in hub.program.fails(2, "team", "invite", "hermes")
    assert "1 to 60 minutes" in hub.program.fails(2, "team", "invite", "apollo", "--minutes", "61")
    number = hub.invite()[:3]
    assert "Nobody can join" in hub.program.do("invitation", "withdraw", number)
    code = hub.invite()
    assert "Nobody can join" in hub.program.do("invitation", "withdraw", code)
    assert hub.state(code) == "ended"
    assert "such as 417" in hub.program.fails(2, "invitation", "withdraw", "apollo")
    assert "There is no invitation 7." in hub.program.fails(1, "invitation", "withdraw", "7")


@contextmanager
def on_a_terminal(program: Program, *words: str) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """Run a command whose input and output are a terminal, at whose other end the test is."""
    ours, theirs = pty.openpty()
    more = {"TERM": "dumb", "COLUMNS": "200"}
    command = [str(AGENT_MEMORY), *words]
    environment = program.environment(**more)
    process = subprocess.Popen(
        command,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=environment,
        cwd=program.folder,
    )
    os.close(theirs)
    try:
        yield process, ours
    finally:
        process.kill()
        process.wait(PATIENCE)
        os.close(ours)


def read_until(descriptor: int, words: str) -> str:
    """Return what comes on a terminal until some words have come, or it is closed."""
    shown = ""
    while words not in shown:
        try:
            shown += os.read(descriptor, 65_536).decode()
        except OSError:  # so Linux says that the other end is closed
            break
    return shown


@pytest.mark.measured
def test_both_sides_see_who_the_other_is(tmp_path: Path, hub: Hub) -> None:
    """On a terminal the inviter waits and is shown who came, the joiner is asked and shown whom."""
    mira = fresh(tmp_path, "mira")
    with on_a_terminal(hub.program, "team", "invite", "apollo") as (inviting, screen):
        shown = read_until(screen, "Ctrl-C")
        code = re.search(r"join (\S+) --url", shown)
        assert code, shown
        assert "reads what is shared with team apollo" in shown
        assert "listens to this machine alone" in shown
        words = ("join", code[1], "--url", hub.server.url)
        with on_a_terminal(mira, *words) as (joining, other):
            asked = read_until(other, "[y/N]")
            assert f"its fingerprint    {device(hub.program)}" in asked
            assert "Nothing else of this node is sent." in asked
            assert not mira.home.exists()
            os.write(other, b"y\n")
            assert "brought 1 memory" in read_until(other, "timer install sync")
            assert joining.wait(PATIENCE) == 0
        told = read_until(screen, "To take them out again")
        assert f"its fingerprint    {device(mira)}" in told
        assert "it is sent         team:apollo" in told
        assert "sam@sam" in told
        assert inviting.wait(PATIENCE) == 0


@pytest.mark.measured
def test_waiting_ends_with_the_code(tmp_path: Path, hub: Hub) -> None:
    """Who waits is told of three tries and of the end; Ctrl-C ends the waiting and not the code."""
    mira = fresh(tmp_path, "mira")
    with on_a_terminal(hub.program, "team", "invite", "apollo") as (inviting, screen):
        found = re.search(r"join ((\d+)-\S+) --url", read_until(screen, "Ctrl-C"))
        assert found
        other = found[1].rpartition("-")[0] + ("-zoo" if found[1][-3:] != "zoo" else "-able")
        for _ in range(3):
            mira.fails(1, "join", other, "--url", hub.server.url, *YES)
        assert "was tried three times" in read_until(screen, "make another invitation")
        hub.program.do("invitation", "withdraw", found[2])
        assert "Nobody has joined" in read_until(screen, "make another one")
        assert inviting.wait(PATIENCE) == 1
    with on_a_terminal(hub.program, "device", "invite") as (inviting, screen):
        found = re.search(r"join (\S+) --url", read_until(screen, "Ctrl-C"))
        assert found
        inviting.send_signal(signal.SIGINT)
        assert inviting.wait(PATIENCE) == 130
    join(fresh(tmp_path, "lap"), hub, found[1])


@pytest.mark.measured
def test_who_is_too_late_joins_by_another_code(tmp_path: Path, hub: Hub) -> None:
    """Where the code ends while somebody looks at the offer, the home that was made is of use."""
    lap, code = fresh(tmp_path, "lap"), hub.invite("device", "invite")
    with on_a_terminal(lap, "join", code, "--url", hub.server.url) as (joining, screen):
        read_until(screen, "[y/N]")
        hub.program.do("invitation", "withdraw", code)
        os.write(screen, b"y\n")
        assert "No invitation with this code is open" in read_until(screen, "ask for a new one.")
        assert joining.wait(PATIENCE) == 1
    assert hub.program.json("peers", "list")["peers"] == []
    joined = join(lap, hub, hub.invite("device", "invite"), "--called", "lap")
    assert (joined["made"], joined["memories"]) == (False, 2)
    with on_a_terminal(lap, "join", hub.invite(), "--url", hub.server.url) as (joining, screen):
        assert "of the same account" in read_until(screen, "already.")
        assert joining.wait(PATIENCE) == 1


@pytest.mark.measured
def test_a_node_elsewhere_invites(tmp_path: Path, hub: Hub) -> None:
    """With the operator's key a code is had from anywhere, and joined by where that node is."""
    away, mira = fresh(tmp_path, "away"), fresh(tmp_path, "mira")
    key = key_of(hub.program, "op", "--kind", "operator")
    at = ("--node", hub.server.url)
    made = away.json(*at, "team", "invite", "apollo", AGENT_MEMORY_KEY=key)
    assert (made["url"], made["notes"]) == (hub.server.url, [])
    join(mira, hub, made["invitation"]["code"])
    listed = away.json(*at, "invitation", "list", AGENT_MEMORY_KEY=key)["invitations"]
    assert [one["state"] for one in listed] == ["joined"]
    by_socket = ("--node", f"unix:{hub.program.home / 'node.sock'}")
    made = away.json(*by_socket, "device", "invite")
    assert made["command"].endswith("--url URL")
    told = away.fails(1, *at, "join", made["invitation"]["code"], "--url", hub.server.url, *YES)
    assert "works on the files of a home" in told


@pytest.mark.measured
def test_where_nothing_is_served_that_is_told(tmp_path: Path) -> None:
    """A code is given out all the same, and counts once a server answers."""
    program = node(tmp_path, "hub", "planner")
    program.do("team", "create", "apollo")
    done = program.run("team", "invite", "apollo")
    assert "agent-memory serve --host 0.0.0.0" in done.err
    code = re.search(r"join (\S+) --url (\S+)", done.out)
    assert code
    assert code[2].endswith(":8765")
    with serving(program, "--host", "0.0.0.0") as server:
        made = program.json("device", "invite")
        assert made["url"].endswith(server.url.rpartition(":")[2])
        assert "127.0.0.1" not in made["url"]
        assert made["notes"] == []
        mira = fresh(tmp_path, "mira")
        mira.do("join", code[1], "--url", server.url, *YES)


@pytest.mark.measured
def test_a_team_of_the_same_name_stays_another(tmp_path: Path, hub: Hub) -> None:
    """A joiner that has a team of that name has two, called apart, and is told how to go on."""
    mira = node(tmp_path, "mira", "scout")
    mira.do("team", "create", "apollo")
    mira.do("team", "add-member", "apollo", "scout")
    mira.do("add", "mine", "--share", "team:apollo")
    done = mira.run("join", hub.invite(), "--url", hub.server.url, *YES)
    assert done.status == 0, done
    assert "the one that you joined is called apollo@sam, and the other apollo." in done.err
    own, theirs = mira.json("team", "list")["teams"]
    assert [own["name"], theirs["name"]] == ["apollo", "apollo@sam"]
    assert (own["members"], set(theirs["members"])) == (["scout"], {"scout", "planner@sam"})
    [line] = re.findall(r"1 memory of yours shared with apollo: .* agent-memory (.*);", done.err)
    assert line == "team move-memories apollo apollo@sam --as-operator"
    mira.do(*line.split(), "--yes")
    audiences = {one["content"]: one["audience"] for one in mira.json("list")["memories"]}
    assert audiences["mine"] == ["team:apollo@sam"]
    mira.do("add", "theirs, too", "--share", "team:apollo@sam")
    mira.do("sync", "auto", "--jitter", "0")
    found = hub.program.json("list", "--as", "planner")["memories"]
    assert {"mine", "theirs, too"} <= {one["content"] for one in found}
