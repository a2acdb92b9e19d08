"""The real `agent-memory serve`, in a process of its own."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import httpx

from agent_memory_os.server import record
from tests.cli.program import AGENT_MEMORY, Program

PATIENCE = 60


class Server:
    """A server that runs, where it is, and what it says on its standard error."""

    def __init__(
        self,
        program: Program,
        *words: str,
        command: Sequence[str] = (str(AGENT_MEMORY), "serve", "--json"),
        more: Mapping[str, str] | None = None,
    ) -> None:
        self._process = subprocess.Popen(
            [*command, *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=program.environment(**(more or {})),
            cwd=program.folder,
            text=True,
        )
        self.pid = self._process.pid
        self._lines: list[str] = []
        self._reader = threading.Thread(target=self._read_errors)
        self._reader.start()
        try:
            said = self._object()
        except ValueError:
            self.kill()
            raise
        assert said, (self.end(), self.errors)
        self.said: dict[str, Any] = said
        self.url: str = said["url"]
        self.home = str(program.home)

    def _object(self) -> dict[str, Any]:
        """Read the object that it prints once it listens; nothing where it has ended before."""
        assert self._process.stdout is not None
        text = ""
        for line in self._process.stdout:
            text += line
            if line == "}\n":
                return dict(json.loads(text))
        return {}

    def _read_errors(self) -> None:
        assert self._process.stderr is not None
        self._lines.extend(self._process.stderr)

    @property
    def errors(self) -> list[str]:
        """What it has said on its standard error."""
        return [line.rstrip("\n") for line in self._lines]

    @property
    def events(self) -> list[dict[str, Any]]:
        """The lines of its log."""
        return [json.loads(line) for line in self.errors if line.startswith("{")]

    def client(self, key: str) -> httpx.Client:
        """Return a client that shows a key."""
        headers = {"authorization": f"Bearer {key}"}
        return httpx.Client(base_url=self.url, headers=headers, timeout=PATIENCE)

    def tell(self, sign: signal.Signals = signal.SIGTERM) -> None:
        """Send it a signal."""
        self._process.send_signal(sign)

    def end(self) -> int:
        """Wait for its end, and return its exit status."""
        status = self._process.wait(PATIENCE)
        self._reader.join(PATIENCE)
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        self._process.stdout.close()
        self._process.stderr.close()
        return status

    def stop(self, sign: signal.Signals = signal.SIGTERM) -> int:
        """Tell it to end, and return its exit status."""
        self.tell(sign)
        return self.end()

    def kill(self) -> None:
        """End it as a crash does."""
        self._process.kill()
        self.end()

    @property
    def is_on(self) -> bool:
        """Whether its process runs."""
        return self._process.poll() is None


@contextmanager
def serving(program: Program, *words: str, **more: str) -> Iterator[Server]:
    """Serve a program's home on a free port, unless the words name one."""
    port = () if "--port" in words or "--any" in words else ("--port", "0")
    server = Server(program, *port, *(word for word in words if word != "--any"), more=more)
    try:
        yield server
    finally:
        if server.is_on:
            server.kill()
    assert record.read(server.home) is None or sys.platform == "win32"


def key_of(program: Program, name: str, *words: str) -> str:
    """Make a key, and return it."""
    return str(program.json("key", "create", name, *words)["token"])
