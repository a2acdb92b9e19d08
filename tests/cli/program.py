"""The real program, run in a process of its own on a home of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

KEPT = ("COV", "PYTHONPATH")
"""What measures coverage, and which tree is tested."""

AGENT_MEMORY = Path(sys.executable).parent / "agent-memory"


class Done(NamedTuple):
    """What a run of the program left: its exit status and what it printed."""

    status: int
    out: str
    err: str


class Program(NamedTuple):
    """The program on one home, with an environment that says everything it looks at."""

    folder: Path

    @property
    def home(self) -> Path:
        """The home of its node."""
        return self.folder / "home"

    def environment(self, **more: str) -> dict[str, str]:
        """Give the environment that the program runs in."""
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.folder),
            "USER": "sam",
            "LOGNAME": "sam",
            "LANG": "C.UTF-8",
            "TZ": "UTC",
            "AGENT_MEMORY_HOME": str(self.home),
            **{name: value for name, value in os.environ.items() if name.startswith(KEPT)},
            **more,
        }

    def run(self, *words: str | bytes, stdin: bytes = b"", **more: str) -> Done:
        """Run it to its end; it must never end in a traceback."""
        done = subprocess.run(
            [AGENT_MEMORY, *words],
            check=False,
            input=stdin,
            capture_output=True,
            env=self.environment(**more),
            cwd=self.folder,
        )
        out, err = done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")
        assert "Traceback" not in err, err
        return Done(done.returncode, out, err)

    def do(self, *words: str | bytes, stdin: bytes = b"", **more: str) -> str:
        """Run what must succeed, and return what it printed."""
        done = self.run(*words, stdin=stdin, **more)
        assert done.status == 0, done
        return done.out

    def fails(self, status: int, *words: str | bytes, stdin: bytes = b"", **more: str) -> str:
        """Run what must fail with a status; return its one sentence."""
        done = self.run(*words, stdin=stdin, **more)
        assert done.status == status, done
        *_, line = done.err.rstrip("\n").split("\n")
        assert line.startswith("error: "), done
        assert "error: " not in done.out
        return line.removeprefix("error: ")

    def json(self, *words: str | bytes, **more: str) -> Any:  # noqa: ANN401 - JSON is of any kind
        """Run a command with --json, and return its object."""
        done = self.run(*words, "--json", stdin=b"", **more)
        assert done.status == 0, done
        assert not done.err, done
        return json.loads(done.out)

    def add(self, content: str, *words: str) -> str:
        """Add a memory, and return its id."""
        found = self.json("add", content, *words)
        return str(found["memory"]["id"])

    def found(self, *words: str, **more: str) -> list[str]:
        """Search, and return the contents of what was found."""
        hits = self.json("search", *words, **more)["hits"]
        return [hit["memory"]["content"] for hit in hits]
