"""The file ``node.toml``: what it may say, and how a program writes into it."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent_memory_os.errors import BadSettings
from agent_memory_os.settings import NodeFile, change_node_file, node_file, parse_node_file


def test_a_home_without_the_file_has_nothing_set(tmp_path: Path) -> None:
    """Where there is no file, every setting is what is not set."""
    assert node_file(str(tmp_path)) == NodeFile()


@pytest.mark.parametrize(
    "text",
    [
        "port = 0",
        "port = 65536",
        "port = true",
        'port = "8765"',
        "host = 1",
        "ports = 1",
        "port =",
        "sync = 1",
    ],
)
def test_what_is_no_setting_is_told(text: str) -> None:
    """A port is a whole number that there is, a host is text, and there is nothing else."""
    with pytest.raises(BadSettings, match=r"node\.toml"):
        parse_node_file(text, "node.toml")


def test_what_a_person_wrote_stays(tmp_path: Path) -> None:
    """A setting that a program writes takes its own line, and leaves comments and order alone."""
    path = tmp_path / "node.toml"
    path.write_text('# mine\nport = 1 # old\ndefault_agent = "ann"')
    change_node_file(str(tmp_path), {"host": "::1", "port": 8770})
    assert path.read_text() == '# mine\nport = 8770\ndefault_agent = "ann"\nhost = "::1"\n'
    assert node_file(str(tmp_path)) == NodeFile("ann", "::1", 8770)


@pytest.mark.parametrize("text", ["port = ", '"port" = 8765\n', "\udcff"])
def test_a_file_with_a_fault_stays_as_it_is(tmp_path: Path, text: str) -> None:
    """Nothing is written into a file that cannot be read, or says a setting in its own way."""
    path = tmp_path / "node.toml"
    path.write_bytes(text.encode(errors="surrogateescape"))
    before = path.read_bytes()
    with pytest.raises(BadSettings):
        change_node_file(str(tmp_path), {"port": 8770, "host": "::1"})
    assert path.read_bytes() == before
    assert [found.name for found in tmp_path.iterdir()] == ["node.toml"]


def test_a_value_that_another_line_sets_again_is_refused(tmp_path: Path) -> None:
    """Where the words of a setting stand inside a text, the file is left to the person."""
    path = tmp_path / "node.toml"
    path.write_text('default_agent = """\nport = 1\n"""\n')
    with pytest.raises(BadSettings, match="cannot be changed by a program"):
        change_node_file(str(tmp_path), {"port": 8770})
