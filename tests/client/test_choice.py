"""Which node a program speaks to, and with which key: what is said nearest counts."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent_memory_os import MemoryClient
from agent_memory_os.errors import BadSettings, InvalidInput, NotAllowed, Unauthenticated
from agent_memory_os.remote.node import RemoteNode
from agent_memory_os.service.node import LocalNode
from agent_memory_os.settings import Reach, reach
from tests.api.served import Served, serving

URL, OTHER = "http://one:8765", "http://other:8765"


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    """Give a node that is served."""
    with serving() as found:
        yield found


def meant(
    home: Path,
    *,
    url: str | None = None,
    key: str | None = None,
    is_home_named: bool = False,
    **environment: str,
) -> Reach | None:
    """Return which served node is meant."""
    variables = {f"AGENT_MEMORY_{name.upper()}": value for name, value in environment.items()}
    return reach(str(home), url, key, variables, is_home_named=is_home_named)


def test_what_is_said_nearest_counts(tmp_path: Path) -> None:
    """What was passed counts before the environment, that before the file; a home before both."""
    assert meant(tmp_path) is None
    assert meant(tmp_path, key="k") is None
    assert meant(tmp_path, node=URL) == Reach(URL, "")
    assert meant(tmp_path, node=URL, key="k") == Reach(URL, "k")
    assert meant(tmp_path, node=" ") is None
    assert meant(tmp_path, url=OTHER, node=URL) == Reach(OTHER, "")
    assert meant(tmp_path, node=URL, is_home_named=True) is None
    assert meant(tmp_path, url=URL, is_home_named=True) == Reach(URL, "")
    (tmp_path / "node.toml").write_text(f'default_agent = "ann"\nnode = "{OTHER}"\n')
    assert meant(tmp_path) == Reach(OTHER, "")
    assert meant(tmp_path, is_home_named=True) == Reach(OTHER, "")
    assert meant(tmp_path, node=URL) == Reach(URL, "")
    for word, more in (("URL", {"url": " "}), ("key", {"key": ""})):
        with pytest.raises(BadSettings, match=f"The {word}"):
            meant(tmp_path, **more)  # type: ignore[arg-type]


def test_a_key_is_for_the_node_beside_it(tmp_path: Path) -> None:
    """The key of node.toml goes to the node that stands there, and to no other."""
    key = tmp_path / "laptop.key"
    key.write_text("amk_1_secret\n")
    key.chmod(0o600)
    (tmp_path / "node.toml").write_text(f'node = "{URL}"\nkey_file = "laptop.key"\n')
    assert meant(tmp_path) == Reach(URL, "amk_1_secret")
    assert meant(tmp_path, url=URL) == Reach(URL, "amk_1_secret")
    assert meant(tmp_path, url=OTHER) == Reach(OTHER, "")
    assert meant(tmp_path, key="mine") == Reach(URL, "mine")
    (tmp_path / "node.toml").write_text(f'key_file = "{key}"\n')
    assert meant(tmp_path) is None
    assert meant(tmp_path, url=OTHER) == Reach(OTHER, "amk_1_secret")
    key.chmod(0o640)
    with pytest.raises(BadSettings, match="other users may read it"):
        meant(tmp_path, url=OTHER)
    key.unlink()
    with pytest.raises(BadSettings, match="cannot be read"):
        meant(tmp_path, url=OTHER)
    key.write_bytes(b"\xff\xfe")
    key.chmod(0o600)
    with pytest.raises(BadSettings, match="cannot be read"):
        meant(tmp_path, url=OTHER)
    key.unlink()
    os.mkfifo(key, 0o600)  # it would be waited for
    with pytest.raises(BadSettings, match="cannot be read: it is no file"):
        meant(tmp_path, url=OTHER)


@pytest.mark.parametrize("text", ["node = 7\n", "node = \n", 'nodes = "x"\n', '"node" = ["x"]\n'])
def test_a_fault_beside_the_node_is_told(tmp_path: Path, text: str) -> None:
    """Where the file speaks of a node and cannot be read, nobody guesses which was meant."""
    (tmp_path / "node.toml").write_text(text)
    with pytest.raises(BadSettings):
        meant(tmp_path)


@pytest.mark.parametrize("data", [b"default_agent = 7\n", b"\xff\xfe", b"# node elsewhere\n", b""])
def test_another_fault_is_for_the_home_to_tell(tmp_path: Path, data: bytes) -> None:
    """A file that does not speak of a node is left to the home, which warns of its faults."""
    (tmp_path / "node.toml").write_bytes(data)
    assert meant(tmp_path) is None


def test_a_client_speaks_to_the_node_that_is_meant(
    served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A URL, the environment and node.toml lead to the served node; a home leads to its file."""
    home = tmp_path / "home"
    with MemoryClient(str(home), agent="planner") as client:
        assert isinstance(client.node, LocalNode)
    ann = served.node.organisation.agent("ann").id
    with MemoryClient(url=served.url, key=served.keys["ann"]) as client:
        assert isinstance(client.node, RemoteNode)
        assert client.principal.agent == ann
    monkeypatch.setenv("AGENT_MEMORY_NODE", served.url)
    monkeypatch.setenv("AGENT_MEMORY_KEY", served.keys["operator"])
    with MemoryClient(agent="bob") as client:
        assert client.principal.agent == served.node.organisation.agent("bob").id
        client.add("over there")
    with MemoryClient(str(home), agent="planner") as client:
        assert isinstance(client.node, LocalNode)
        assert client.list().memories == ()
    with pytest.raises(InvalidInput, match="say which agent acts"):
        MemoryClient()
    monkeypatch.setenv("AGENT_MEMORY_KEY", served.keys["ann"])
    with pytest.raises(NotAllowed, match="stands for agent ann"):
        MemoryClient(agent="bob")
    monkeypatch.delenv("AGENT_MEMORY_KEY")
    with pytest.raises(Unauthenticated, match="asks for a key"):
        MemoryClient()
    with MemoryClient(url=f"unix:{served.home}", agent="eve") as client:
        assert client.search("anything") == ()


def test_without_what_it_needs_it_says_so() -> None:
    """Where the package for served nodes is not installed, one sentence says what is missing."""
    program = (
        "import sys; sys.modules['httpx'] = None\n"
        "from agent_memory_os import MemoryClient\n"
        "from agent_memory_os.errors import Refused\n"
        "try: MemoryClient(url='http://localhost')\n"
        "except Refused as error: print(error.remedy, error)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert done.stdout.decode() == (
        "install_remote To reach a served node, the package httpx is needed.\n"
    )
