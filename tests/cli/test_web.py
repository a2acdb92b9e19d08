"""The older name of ``serve``."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import httpx

from tests.cli.program import Program
from tests.server.process import Server

ROOT = Path(__file__).parents[2]
LINE = "from agent_memory_os.cli.web import main; raise SystemExit(main())"


def test_the_older_name_is_installed() -> None:
    """The package brings the command, as a word for this function."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        scripts = tomllib.load(file)["project"]["scripts"]
    assert scripts["agent-memory-web"] == "agent_memory_os.cli.web:main"


def test_it_serves(program: Program) -> None:
    """It takes the options of serve, and a home behind it as before."""
    web = program.folder / "agent-memory-web"
    web.write_text(f"#!{sys.executable}\n{LINE}\n")
    web.chmod(0o755)
    words = ("--home", str(program.home), "--host", "127.0.0.1", "--port", "0", "--strict-port")
    server = Server(program, *words, command=(str(web), "--json"))
    try:
        assert httpx.get(f"{server.url}/healthz").status_code == 200
    finally:
        assert server.stop() == 0


def test_a_token_is_refused_with_what_took_its_place(program: Program) -> None:
    """A secret on the command line is refused, however it is written, and never repeated."""
    for words in (["--token", "s3cret"], ["--token=s3cret"]):
        done = subprocess.run(
            [sys.executable, "-c", LINE, *words],
            check=False,
            capture_output=True,
            text=True,
            env=program.environment(),
        )
        assert done.returncode == 2
        assert "agent-memory key create" in done.stderr
        assert "s3cret" not in done.stderr
