"""The entry of the command line: the fast commands at once, every other one through Typer.

A command that runs often may cost little more than starting Python. So nothing is imported here
before it is known what is asked for: ``parse`` reads the fast commands by their tables, and the
root's help is a file that is made from the commands (``make generate``).

The exit status tells how it went: 0, done; 1, refused; 2, the command line or a value is wrong; 3,
data on disk is damaged, foreign or newer than this program; 130, interrupted; 141, nobody reads
the output any more. A person's mistake never ends in a traceback.
"""

from __future__ import annotations

import gc
import os
import sys

from agent_memory_os.cli import stream

FAST = ("search", "add", "pack", "get", "list")
_HELP = ("--help", "-h")
_COMPLETION = "_AGENT_MEMORY_COMPLETE"
_INTERRUPTED = 130
_NOBODY_READS = 141
_NO_TEXT = "A word of the command is no UTF-8: write it in UTF-8."
_CLOSED = "The standard output is closed, and nothing was done; send it to a file, or to /dev/null."


def main() -> int:
    """Run the command line of this process; return its exit status."""
    stream.speak_utf8()
    stream.open_streams()
    words = sys.argv[1:]
    if sys.stdout is None:
        return tell_error(words, "refused", _CLOSED, 1)
    try:
        return run(words)
    except KeyboardInterrupt:
        return _INTERRUPTED
    except BrokenPipeError:
        stream.discard(sys.stdout)
        return _NOBODY_READS


def run(words: list[str]) -> int:
    """Run one command line, tell its error if it has one, and return its exit status."""
    from agent_memory_os.errors import AgentMemoryError

    try:
        _check_words(words)
        status = _dispatch(words)
        stream.hand_over()
        return status
    except AgentMemoryError as error:
        from agent_memory_os.cli.remedy import told

        return tell_error(words, error.code, told(error), error.exit_status)
    except UnicodeEncodeError:
        return tell_error(words, "invalid_input", _NO_TEXT, 2)
    except BrokenPipeError:
        raise
    except OSError as error:
        what = str(error.strerror or error)
        if isinstance(error, stream.Untaken) or not stream.settle():
            return tell_error(words, "refused", f"The output could not be written: {what}.", 1)
        where = f" ({error.filename})" if error.filename else ""
        return tell_error(words, "refused", f"{what}{where}.", 1)


def _check_words(words: list[str]) -> None:
    """Raise for a word that is no text and names no file: else it would be kept as another one."""
    for word in words:
        try:
            word.encode()
        except UnicodeEncodeError:
            if not os.path.lexists(word):
                raise


def _dispatch(words: list[str]) -> int:
    if _COMPLETION in os.environ:
        return _through_typer(words)
    if not words or words == ["help"]:
        return _print_help()
    if words == ["--version"]:
        from agent_memory_os import __version__

        stream.give(f"agent-memory {__version__}\n")
        return 0
    status = _fast(words)
    return _through_typer(words) if status is None else status


def _fast(words: list[str]) -> int | None:
    """Run a fast command that is understood whole; ``None`` where Typer must see it."""
    from agent_memory_os.cli import parse

    name, before, after = parse.command_name(words)
    if not name and any(word in _HELP for word in before):
        return _print_help()
    if name not in FAST:
        return None
    from importlib import import_module

    # What a fast command makes is small, and goes with the process: looking for cycles in it, and
    # in all that was imported, would cost more than the command.
    gc.disable()
    module = import_module(f"agent_memory_os.cli.{name}")
    call = parse.read(module.COMMAND, before, after)
    if call is None:
        return None
    from agent_memory_os.cli.desk import Desk

    desk = Desk(call.shared)
    try:
        module.run(desk, **call.values)
    finally:
        desk.close()
    gc.freeze()
    return 0


def _through_typer(words: list[str]) -> int:
    # What is imported stays: looking for cycles in it would be a tenth of the time.
    gc.disable()
    from agent_memory_os.cli import app

    gc.freeze()
    gc.enable()
    return app.run(words)


def _print_help() -> int:
    with open(os.path.join(os.path.dirname(__file__), "help.txt"), encoding="utf-8") as file:
        stream.give(file.read())
    return 0


def tell_error(words: list[str], code: str, message: str, status: int) -> int:
    """Tell an error on the standard error: a line, or with ``--json`` an object."""
    stream.settle()
    if "--json" in words:
        import json

        text = json.dumps({"code": code, "message": message})
    else:
        from agent_memory_os.cli import render

        told = render.plain(render.shortened(message))
        text = f"{render.label('error', sys.stderr)} {told}"
    stream.tell(f"{text}\n")
    return status
