"""Make docs/reference/errors.md from the one tree of errors.

A code is a promise to whoever writes scripts against it, so the page is made from the classes and
cannot drift from them.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator

from agent_memory_os import errors
from agent_memory_os.wire import problem

HEAD = """\
# Errors

<!-- Made from agent_memory_os/errors.py by `make generate`; do not edit. -->

Every error is one sentence that says what was wrong and what to do. Its code is stable: scripts
may rely on it. The exit status tells the kind: 2, the request is wrong; 1, it was refused; 3, data
on disk is damaged, foreign or newer than the program. What does not exist and what you may not see
are told in the same words. Over [HTTP](api.md) the same codes stand in problem documents, with a
status of HTTP.

| code | exit status | HTTP | class | meaning |
|---|---|---|---|---|
"""
OF_HTTP = """
Some problems there are of HTTP alone, and no class stands for them:

| code | HTTP | meaning |
|---|---|---|
"""


def classes() -> Iterator[type[errors.AgentMemoryError]]:
    """Yield every class of the tree, in the order in which they are written."""
    for value in vars(errors).values():
        if inspect.isclass(value) and issubclass(value, errors.AgentMemoryError):
            yield value


def render() -> str:
    """Give the page's text."""
    told = [
        f"| `{error.code}` | {error.exit_status} | {problem.status_of(error())} "
        f"| `{error.__name__}` | {_meaning(error)} |\n"
        for error in classes()
    ]
    more = [
        f"| `{code}` | {status} | {meaning} |\n"
        for status, (code, meaning) in problem.OF_HTTP.items()
    ]
    return "".join((HEAD, *told, OF_HTTP, *more))


def _meaning(error: type[errors.AgentMemoryError]) -> str:
    return " ".join((inspect.getdoc(error) or "").split("\n\n", maxsplit=1)[0].split())
