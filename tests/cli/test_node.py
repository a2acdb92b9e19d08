"""Every command speaks to a node that is served elsewhere as to the home's own."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import agent_memory_os
from tests.api.served import Served, serving
from tests.cli.program import Done, Program
from tests.remote.other import HTML, answering, closed_port, says

EXAMPLES = Path(agent_memory_os.__file__).parent / "examples" / "fleet"


@pytest.fixture
def served() -> Iterator[Served]:
    """Give a node that is served."""
    with serving() as found:
        yield found


class Far:
    """The program, with a key to a served node in its environment."""

    def __init__(self, program: Program, served: Served, who: str) -> None:
        self.program = program
        self.url, self.key = served.url, served.keys[who]

    def do(self, *words: str) -> str:
        """Run what must succeed."""
        return self.program.do(*words, AGENT_MEMORY_NODE=self.url, AGENT_MEMORY_KEY=self.key)

    def fails(self, status: int, *words: str) -> str:
        """Run what must fail, and return its sentence."""
        return self.program.fails(
            status, *words, AGENT_MEMORY_NODE=self.url, AGENT_MEMORY_KEY=self.key
        )

    def run(self, *words: str) -> Done:
        """Run what may fail."""
        return self.program.run(*words, AGENT_MEMORY_NODE=self.url, AGENT_MEMORY_KEY=self.key)

    def json(self, *words: str) -> Any:  # noqa: ANN401 - JSON is of any kind
        """Run a command with --json, and return its object."""
        return self.program.json(*words, AGENT_MEMORY_NODE=self.url, AGENT_MEMORY_KEY=self.key)


@pytest.fixture
def ann(program: Program, served: Served) -> Far:
    """Give the program with ann's key."""
    return Far(program, served, "ann")


@pytest.fixture
def operator(program: Program, served: Served) -> Far:
    """Give the program with the operator's key."""
    return Far(program, served, "operator")


def test_what_an_agent_does(ann: Far, program: Program, served: Served) -> None:
    """An agent remembers, finds, shares, connects and forgets over there, and nothing here."""
    shown = ann.do("whoami")
    assert "named by  its key\n" in shown
    assert f"node      {served.url}\n" in shown
    memory = ann.json("add", "Deploys go out on Tuesdays.", "--type", "fact")["memory"]["id"]
    other = ann.json("add", "The gateway listens on 8000.")["memory"]["id"]
    assert "Tuesdays" in ann.do("search", "deploys", "--explain")
    assert "Tuesdays" in ann.do("pack", "deploys", "--explain")
    assert "Tuesdays" in ann.do("get", memory[:16])
    assert "8000" in ann.do("list", "--type", "note")
    assert "version 2" in ann.do("edit", memory, "Deploys: Mondays.", "--reason", "moved")
    assert "Mondays" in ann.do("history", memory)
    assert "Mondays" in ann.do("timeline", memory, "--window", "1h")
    ann.do("pin", memory)
    assert "team:apollo" in ann.do("share", memory, "team:apollo")
    ann.do("revoke", memory)
    ann.do("link", memory, other, "--relation", "caused_by")
    ann.do("unlink", memory, other, "--relation", "caused_by")
    ann.do("supersede", other, memory)
    ann.do("forget", other)
    ann.do("forget", "--undo", other)
    ann.do("forget", "--erase", "--yes", other)
    assert "memories   1" in ann.do("stats")
    assert "erase" in ann.do("audit")
    assert ann.do("owner", "list")
    assert not program.home.exists()


def test_what_moves(ann: Far, program: Program) -> None:
    """Files of this machine are imported over there, and an export comes here whole."""
    took = ann.do("import", str(EXAMPLES / "tester"))
    assert "new" in took
    assert ann.json("import", str(EXAMPLES / "tester"))["imports"][0]["added"] == 0
    file = program.folder / "out.jsonl"
    assert str(file) in ann.do("export", str(file))
    assert ann.do("export").split("\n")[1:] == file.read_text(encoding="utf-8").split("\n")[1:]
    assert "known already" in ann.do("import", str(file))


def test_what_the_operator_does(operator: Far, program: Program, served: Served) -> None:
    """The operator manages fleet, keys and upkeep over there, as itself or as an agent."""
    assert "Added agent zoe" in operator.do("agent", "add", "zoe")
    assert "zoe" in operator.do("agent", "list")
    operator.do("agent", "rename", "zoe", "zoey")
    operator.do("team", "create", "gemini")
    operator.do("team", "add-member", "gemini", "zoey")
    operator.do("project", "create", "gemini/site")
    operator.do("project", "add-member", "gemini/site", "zoey")
    assert "zoey" in operator.do("team", "list")
    assert "zoey" in operator.do("project", "list")
    operator.do("project", "delete", "gemini/site", "--yes")
    operator.do("team", "delete", "gemini", "--yes")
    operator.do("add", "As Zoey.", "--as", "zoey")
    operator.do("add", "For Zoey.", "--as", "zoey", "--as-operator")
    assert "memories   2" in operator.do("stats", "--as-operator")
    assert operator.do("owner", "delete", "zoey", "--as-operator", "--yes")
    operator.do("agent", "remove", "zoey")
    token = operator.do("key", "create", "laptop", "--agent", "bob").strip()
    assert operator.do("whoami", "--as", "bob")
    assert "bob" in program.do("whoami", AGENT_MEMORY_NODE=served.url, AGENT_MEMORY_KEY=token)
    operator.do("key", "rotate", "laptop")
    assert "not valid here" in program.fails(
        1, "whoami", AGENT_MEMORY_NODE=served.url, AGENT_MEMORY_KEY=token
    )
    assert "laptop" in operator.do("key", "list")
    operator.do("key", "revoke", "laptop")
    assert "ok" in operator.do("doctor")
    operator.do("doctor", "--mend")
    operator.do("check")
    operator.do("reindex")
    report = operator.json("backup", str(program.folder / "backups"), "--keep", "2")
    assert os.path.isfile(report["path"])
    assert "audit" in operator.do("audit", "--as-operator")
    assert not program.home.exists()


def test_what_the_operator_does_with_peers(operator: Far, ann: Far, program: Program) -> None:
    """The operator sees what a peer would be sent, exchanges and carries bundles, from here."""
    other = program.folder / "other"
    other.mkdir()
    lap = Program(other)
    card = lap.json("peers", "card")["card"]
    ann.do("add", "for everybody", "--share", "global")
    operator.do("peers", "add", card, "--name", "lap", "--ceiling", "shared")
    assert "for everybody" in operator.do("peers", "preview", "lap")
    assert "for everybody" in operator.do("view-as", "bob")
    assert operator.json("view-as", "bob")["rows"][0]["rule"] == "shared with global"
    assert "lap: failed: lap has no address here" in operator.run("sync", "pull", "lap").out
    assert operator.do("sync", "push") == "There is no peer with an address.\n"
    assert "no peer called 'lab'; did you mean lap?" in operator.fails(1, "sync", "auto", "lab")
    file = str(program.folder / "lap.bundle")
    assert f"for lap to {file}" in operator.do("sync", "export", "lap", "--out", file)
    assert "is there already" in operator.fails(1, "sync", "export", "lap", "--out", file)
    lap.do("peers", "add", operator.json("peers", "card")["card"], "--name", "hub")
    assert f"of hub from {file}" in lap.do("sync", "import", file)
    back = str(program.folder / "hub.bundle")
    lap.do("sync", "export", "hub", "--out", back)
    assert operator.json("sync", "import", back)["bundles"][0]["path"] == back
    assert "is a folder" in operator.fails(1, "sync", "import", str(other))
    for words in (
        ("peers", "preview", "lap"),
        ("view-as", "bob"),
        ("sync", "pull"),
        ("sync", "export", "lap", "--out", "x"),
        ("sync", "import", back),
    ):
        assert "may not do what the operator does" in ann.fails(1, *words)
    assert not program.home.exists()


def test_who_acts_is_who_the_key_says(ann: Far, operator: Far) -> None:
    """An agent's key acts for nobody else, and the operator's says for whom."""
    assert "stands for agent ann, and not for bob" in ann.fails(1, "list", "--as", "bob")
    assert ann.do("list", "--as", "ann")
    assert "may not do what the operator does" in ann.fails(1, "list", "--as-operator")
    assert "may not do what the operator does" in ann.fails(1, "team", "list")
    told = operator.fails(2, "list")
    assert told.endswith(
        "say which agent acts. Name it: --as AGENT, or act as the operator: --as-operator"
    )
    assert "no agent called 'ghost'" in operator.fails(2, "list", "--as", "ghost")


@pytest.mark.parametrize(
    "words",
    [
        ("init",),
        ("demo",),
        ("restore", "x.db"),
        ("serve",),
        ("status",),
        ("logs",),
        ("service", "status"),
        ("timer", "list"),
    ],
    ids=" ".join,
)
def test_what_works_on_a_home_says_so(ann: Far, program: Program, words: tuple[str, ...]) -> None:
    """A command that needs the files of a home says so in a sentence, and does nothing."""
    assert ann.fails(1, *words).startswith("This works on the files of a home.")
    assert not program.home.exists()


def test_what_stays_on_the_machine(ann: Far, operator: Far) -> None:
    """Private keys and other backups are asked for where they are."""
    told = operator.fails(1, "backup", "x.db", "--with-keys")
    assert told == (
        "The private keys are not sent anywhere: back them up on the machine of the node."
    )
    memory = ann.json("add", "to be gone")["memory"]["id"]
    told = ann.fails(2, "forget", "--erase", "--yes", memory, "--backup", "x.db")
    assert "on the machine of the node" in told
    assert ann.do("get", memory)


def test_where_the_node_may_be_named(program: Program, served: Served) -> None:
    """An option, the environment and node.toml name a node; a home that is named is that home."""
    key = served.keys["ann"]
    for words in (("--node", served.url, "whoami"), ("whoami", f"--node={served.url}")):
        assert served.url in program.do(*words, AGENT_MEMORY_KEY=key)
    told = program.fails(1, "list", "--node", served.url)
    assert told.startswith(f"The node at {served.url} asks for a key, and none was given. Put it")
    assert "before /v1" in program.fails(2, "list", "--node", f"{served.url}/v1")
    assert "empty" in program.fails(2, "list", "--node", "")
    assert "no URL of a node" in program.fails(2, "list", "--node", "localhost")
    program.home.mkdir(mode=0o700)
    held = program.home / "laptop.key"
    held.write_text(f"{key}\n")
    held.chmod(0o600)
    (program.home / "node.toml").write_text(f'node = "{served.url}"\nkey_file = "laptop.key"\n')
    assert f"node      {served.url}\n" in program.do("whoami")
    assert program.found("anything") == []
    assert program.run("--home", str(program.folder / "here"), "list").status == 0
    held.chmod(0o644)
    assert "other users may read it" in program.fails(2, "list")
    assert sorted(os.listdir(program.home)) == ["laptop.key", "node.toml"]


def test_the_socket_of_a_home(program: Program, served: Served) -> None:
    """The home's owner needs no key at its socket, and acts as whom it names."""
    place = f"unix:{served.home}"
    program.do("add", "through the socket", "--node", place, "--as", "eve")
    assert program.found("socket", "--node", place, "--as", "eve") == ["through the socket"]
    assert "through" in program.do("list", "--node", place, "--as-operator")
    assert not program.home.exists()


@pytest.mark.parametrize(
    "words", [("list",), ("export", "out.jsonl"), ("doctor",), ("key", "list")]
)
def test_whatever_else_answers_is_told(program: Program, words: tuple[str, ...]) -> None:
    """No node there, or something else in its place, is one sentence, and leaves nothing half."""
    url = f"http://127.0.0.1:{closed_port()}"
    told = program.fails(1, *words, AGENT_MEMORY_NODE=url, AGENT_MEMORY_KEY="amk_1_secret")
    assert told == f"The node at {url} does not answer: connection refused."
    with answering(says("200 OK", HTML, b"<html/>")) as page:
        told = program.fails(1, *words, AGENT_MEMORY_NODE=page, AGENT_MEMORY_KEY="amk_1_secret")
    assert told == f"What answers at {page} is no node of Agent Memory OS."
    assert os.listdir(program.folder) == []
