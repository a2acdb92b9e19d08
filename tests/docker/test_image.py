"""What the image is made of, and its entry point, where there is no engine to build it with."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import httpx
import pytest

from tests.cli.program import Program
from tests.docs.test_commands import options
from tests.server.process import Server

ROOT = Path(__file__).parents[2]
DOCKER = ROOT / "docker"
TEXT = (DOCKER / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
LINES = [line.split(None, 1) for line in TEXT.splitlines() if line and not line.startswith("#")]
NODE = dict(re.findall(r"^    (\w+): (.+)$", (DOCKER / "compose.yaml").read_text(), re.MULTILINE))


COMPOSED = ("compose.yaml", "peers.yaml")


def of(word: str) -> list[str]:
    """Return what the Dockerfile says with an instruction."""
    return [rest for name, rest in LINES if name == word]


def test_it_runs_as_nobody_in_particular_and_keeps_data() -> None:
    """The last user is not root, the data is a volume, and health is asked of our own command."""
    assert of("USER") == ["memory"]
    assert "--uid 10001" in TEXT
    assert of("VOLUME") == ["/data"]
    assert "AGENT_MEMORY_HOME=/data" in TEXT
    asked = json.loads(of("HEALTHCHECK")[0].partition("CMD")[2])
    assert asked[:2] == ["agent-memory", "status"]
    assert set(asked[2:]) <= options(("status",))
    assert json.loads(of("CMD")[0]) == ["web"]


def test_what_is_copied_is_there() -> None:
    """Each file that the image is made from is in the source, and let in by .dockerignore."""
    let_in = set((ROOT / ".dockerignore").read_text().split()) - {"*"}
    for line in of("COPY"):
        words = [word for word in line.split() if not word.startswith("--")]
        if "--from" not in line:
            for name in words[:-1]:
                assert (ROOT / name).exists()
                assert f"!{name}" in let_in
    extras = re.findall(r"'\.\[(\w+)\]'", TEXT)
    with (ROOT / "pyproject.toml").open("rb") as file:
        assert set(extras) <= set(tomllib.load(file)["project"]["optional-dependencies"])


def test_compose_closes_what_it_can() -> None:
    """The root is read-only, no right is kept, the port is this machine's, and there is time."""
    assert NODE["read_only"] == "true"
    assert json.loads(NODE["cap_drop"]) == ["ALL"]
    assert json.loads(NODE["ports"]) == ["127.0.0.1:8765:8765"]
    assert NODE["stop_grace_period"] == "45s"
    word, *rest = json.loads(NODE["command"])
    assert word == "web"
    assert {each for each in rest if each.startswith("--")} <= options(("serve",))


def test_a_leaf_exchanges_by_the_clock() -> None:
    """The second file runs commands that there are, and closes what the first one closes."""
    text = (DOCKER / "peers.yaml").read_text(encoding="utf-8")
    (loop,) = re.findall(r"^    entrypoint: (.+)$", text, re.MULTILINE)
    words = shlex.split(json.loads(loop)[2].partition("do ")[2].partition(" ||")[0])
    assert words[:3] == ["agent-memory", "sync", "auto"]
    assert {word for word in words if word.startswith("--")} <= options(("sync", "auto"))
    for closed in ("read_only: true", 'cap_drop: ["ALL"]', "no-new-privileges:true"):
        assert text.count(closed) == 2
    assert "ports:" not in text


def test_the_page_uses_the_volume_that_compose_makes() -> None:
    """What is run beside Compose has the same data: its volume has one name, in the page too."""
    page = (DOCKER / "README.md").read_text(encoding="utf-8")
    named = re.findall(r"^    name: (\S+)$", (DOCKER / "compose.yaml").read_text(), re.MULTILINE)
    assert len(named) == 1
    assert set(re.findall(r"--volume (\S+):/data", page)) == set(named)
    for line in re.findall(r"docker compose [^`\n]+", page):
        assert line.startswith(tuple(f"docker compose --file docker/{name} " for name in COMPOSED))


@pytest.mark.parametrize(
    ("words", "run"),
    [
        ((), "serve --host 0.0.0.0 --port 8765 --no-sign-in-link"),
        (("web",), "serve --host 0.0.0.0 --port 8765 --no-sign-in-link"),
        (
            ("web", "--name", "a b"),
            "serve --host 0.0.0.0 --port 8765 --no-sign-in-link --name 'a b'",
        ),
        (("search", "big figs"), "search 'big figs'"),
        (("--version",), "--version"),
    ],
)
def test_the_entry_runs_what_is_asked_for(words: tuple[str, ...], run: str, tmp_path: Path) -> None:
    """Nothing and `web` serve, with whatever options follow; all else is a command as it stands."""
    tool = tmp_path / "agent-memory"
    tool.write_text('#!/bin/sh\nfor word in "$@"; do printf "%s\\n" "$word"; done; umask\n')
    tool.chmod(0o755)
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [DOCKER / "entry.sh", *words], check=True, capture_output=True, text=True,
        env={"PATH": path},
    )  # fmt: skip
    *said, mask = done.stdout.splitlines()
    assert shlex.join(said) == run
    assert mask == "0077"


def served(program: Program, entry: list[str], **more: str) -> None:
    """Serve through the entry point, add a memory from beside it, and stop it."""
    server = Server(program, command=[*entry, "web", "--port", "0", "--json"], more=more)
    try:
        assert httpx.get(f"{server.url}/readyz").status_code == 200
        assert "is served" in program.do("status", "--check")
        program.add("figs")
    finally:
        assert server.stop() == 0
    assert program.found("figs") == ["figs"]


def test_the_entry_serves(program: Program) -> None:
    """The container's own command serves, is healthy, and ends as a container is stopped."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    served(program, [str(DOCKER / "entry.sh")], PATH=path)


def can_close_the_root() -> bool:
    """Say whether a process may be given a root that is read-only."""
    if os.name != "posix" or os.geteuid() != 0 or shutil.which("unshare") is None:
        return False
    done = subprocess.run(
        ["unshare", "--mount", "mount", "-o", "remount,bind,ro", "/"],
        check=False,
        capture_output=True,
    )
    return done.returncode == 0


@pytest.mark.skipif(not can_close_the_root(), reason="the root cannot be made read-only here")
def test_it_serves_on_a_root_that_is_read_only(program: Program) -> None:
    """Whatever serves writes into its home, and nowhere else."""
    program.do("init", "--agent", "ann")
    shut = (
        'mount --bind "$AGENT_MEMORY_HOME" "$AGENT_MEMORY_HOME" && '
        'mount -o remount,bind,ro / && cd / && ! touch /it-was-open 2>/dev/null && exec "$@"'
    )
    entry = ["unshare", "--mount", "sh", "-c", shut, "sh", str(DOCKER / "entry.sh")]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    served(program, entry, PATH=path)


@pytest.mark.soak
def test_the_steps_of_the_image_work_in_a_clean_environment(tmp_path: Path) -> None:
    """What the Dockerfile runs to build, run here, gives a command that serves without our tree."""
    source, target = tmp_path / "src", tmp_path / "opt"
    source.mkdir()
    for line in of("COPY")[:2]:
        for name in line.split()[:-1]:
            copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
            copy(ROOT / name, source / name)
    steps = of("RUN")[0].replace("/opt/agent-memory", str(target)).replace("python -m", "$PY -m")
    clean = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PY": sys.executable}
    kept = {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
    subprocess.run(["sh", "-ec", steps], check=True, cwd=source, env={**clean, **kept})
    assert not (target / "bin" / "pip").exists()
    program = Program(tmp_path)
    environment = {
        name: value
        for name, value in program.environment().items()
        if not name.startswith(("PYTHON", "COV"))
    } | {"PATH": f"{target / 'bin'}:{os.environ['PATH']}", "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [DOCKER / "entry.sh", "add", "figs", "--json"], check=True, env=environment,
        capture_output=True, cwd=tmp_path,
    )  # fmt: skip
    assert json.loads(done.stdout)["added"]
    with subprocess.Popen(
        [DOCKER / "entry.sh", "web", "--port", "0", "--json"], env=environment, cwd=tmp_path,
        stdout=subprocess.PIPE, text=True,
    ) as server:  # fmt: skip
        assert server.stdout is not None
        said = "".join(iter(lambda: read_line(server), "}\n")) + "}"
        assert httpx.get(f"{json.loads(said)['url']}/readyz").status_code == 200
        server.terminate()
        assert server.wait(60) == 0


def read_line(server: subprocess.Popen[str]) -> str:
    """Read a line of what a server prints; it must not end before."""
    assert server.stdout is not None
    line = server.stdout.readline()
    assert line
    return line
