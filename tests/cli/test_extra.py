"""Without the packages that serving needs all that is local works, and the rest tells of them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.cli.program import Program

HIDE = """\
import sys

class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name in {"fastapi", "starlette", "uvicorn", "prometheus_client", "httpx", "h11",
                    "spake2", "mnemonic"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

import importlib.util
_find = importlib.util.find_spec
def find_spec(name, package=None):
    try:
        return _find(name, package)
    except ModuleNotFoundError:
        return None
importlib.util.find_spec = find_spec
sys.meta_path.insert(0, Hidden())
"""


@pytest.fixture
def base(program: Program) -> dict[str, str]:
    """Give the environment of an installation without extras, and make a home in it."""
    folder = program.folder / "hidden"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(HIDE)
    path = f"{folder}{os.pathsep}{Path(__file__).parents[2]}"
    environment = {"PYTHONPATH": path, "XDG_CONFIG_HOME": str(program.folder / "config")}
    program.do("init", "--agent", "ann", stdin=b"", **environment)
    return environment


@pytest.mark.parametrize("words", [("serve", "--port", "0"), ("service", "install")], ids=" ".join)
def test_serving_says_what_to_install(
    program: Program, base: dict[str, str], words: tuple[str, ...]
) -> None:
    """What cannot be served is refused in one sentence, with the command that changes it."""
    told = program.fails(1, *words, stdin=b"", **base)
    assert told == "To serve, fastapi is needed: pip install 'agent-memory-node[server]'"


@pytest.mark.parametrize(
    ("words", "package"),
    [
        (("team", "invite", "apollo"), "mnemonic"),
        (("device", "invite"), "mnemonic"),
        (("join", "417-zoo-zoo-zoo", "--url", "http://127.0.0.1:9", "--yes"), "httpx"),
    ],
    ids=str,
)
def test_pairing_says_what_to_install(
    program: Program, base: dict[str, str], words: tuple[str, ...], package: str
) -> None:
    """Without what codes are made with, and keys of them, there is a sentence, and no home."""
    program.do("team", "create", "apollo", stdin=b"", **base)
    told = program.fails(1, *words, stdin=b"", **base)
    assert told == (
        f"To pair by a code, the package {package} is needed. "
        "Install it: pip install 'agent-memory-node[pairing]'"
    )


def test_all_that_is_local_works(program: Program, base: dict[str, str]) -> None:
    """Memories, keys, the state of the node, its log and its timers need no extra."""
    for words in (
        ("add", "figs"),
        ("search", "figs"),
        ("key", "create", "laptop", "--agent", "ann"),
        ("key", "list"),
        ("status",),
        ("logs",),
        ("service", "status"),
        ("timer", "list"),
        ("backup", "b.db"),
        ("doctor",),
        ("usage",),
    ):
        program.do(*words, stdin=b"", **base)
    assert program.fails(1, "status", "--check", stdin=b"", **base).endswith("is not served.")
