"""The real program, run in a process of its own that is forked from one which has it loaded.

What tries a hundred commands would else spend most of its time on a hundred starts. The process
that is forked runs the same ``main`` with the same words, environment, folder and streams.
"""

from __future__ import annotations

import base64
import importlib
import json
import os
import pkgutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, NamedTuple

import agent_memory_os
from tests.cli.program import Done, Program

ROOT = Path(__file__).parents[2]


class Asked(NamedTuple):
    """What is to be run: the words, what comes in, the environment and the folder."""

    words: list[str]
    stdin: str
    environment: dict[str, str]
    folder: str


class Warm(Program):
    """The program on one home, forked from a process that :func:`loaded` holds."""

    def run(self, *words: str | bytes, stdin: bytes = b"", **more: str) -> Done:
        """Run it to its end; it must never end in a traceback."""
        server = _SERVERS[-1]
        asked = Asked(
            [one if isinstance(one, str) else os.fsdecode(one) for one in words],
            base64.b64encode(stdin).decode(),
            self.environment(**more),
            str(self.folder),
        )
        told, heard = _piped(server.stdin), _piped(server.stdout)
        told.write(json.dumps(asked) + "\n")
        told.flush()
        status, out, err = json.loads(heard.readline())
        assert "Traceback" not in err, err
        return Done(status, out, err)


_SERVERS: list[subprocess.Popen[str]] = []


@contextmanager
def loaded(prepare: Callable[[], None] | None = None) -> Iterator[None]:
    """Hold a process that has the program loaded; ``prepare`` is called in it before it begins."""
    with subprocess.Popen(
        [sys.executable, "-m", "tests.cli.warm"],
        text=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=ROOT,
        preexec_fn=prepare,  # noqa: PLW1509 - no thread of a test holds what it needs
    ) as server:
        _SERVERS.append(server)
        try:
            yield
        finally:
            _SERVERS.remove(server)
            _piped(server.stdin).close()


def _piped(end: IO[str] | None) -> IO[str]:
    assert end is not None
    return end


def serve() -> None:
    """Run what comes in, a line each, and answer with what came of it."""
    for found in pkgutil.walk_packages(agent_memory_os.__path__, "agent_memory_os."):
        if not found.name.endswith("__main__"):
            importlib.import_module(found.name)
    for line in sys.stdin:
        sys.stdout.write(json.dumps(_forked(Asked(*json.loads(line)))) + "\n")
        sys.stdout.flush()


def _forked(asked: Asked) -> tuple[int, str, str]:
    with ExitStack() as stack:
        given, out, err = (stack.enter_context(tempfile.TemporaryFile()) for _ in range(3))
        given.write(base64.b64decode(asked.stdin))
        given.seek(0)
        child = os.fork()
        if child == 0:
            for number, file in enumerate((given, out, err)):
                os.dup2(file.fileno(), number)
            os._exit(_status(asked))
        _, ended = os.waitpid(child, 0)
        return os.waitstatus_to_exitcode(ended), _text(out), _text(err)


def _status(asked: Asked) -> int:
    """Run the program in this process; return its exit status."""
    os.environ.clear()
    os.environ.update(asked.environment)
    os.chdir(asked.folder)
    sys.stdin = os.fdopen(0, closefd=False)
    sys.stdout, sys.stderr = os.fdopen(1, "w", closefd=False), os.fdopen(2, "w", closefd=False)
    sys.argv = ["agent-memory", *asked.words]
    from agent_memory_os.cli.main import main

    try:
        status = main()
    except SystemExit as error:
        status = error.code if isinstance(error.code, int) else 1
    sys.stdout.flush()
    sys.stderr.flush()
    return status or 0


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode("utf-8", "replace")


if __name__ == "__main__":
    serve()
