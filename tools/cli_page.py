"""Make docs/reference/cli.md and the root's help from the commands themselves.

The commands are asked for what they take by the program that runs them, so that neither the page
nor the help can promise an option that is not there.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Any

import typer

from agent_memory_os.cli import app
from agent_memory_os.cli.command import SHARED
from agent_memory_os.cli.help import argument_name
from tools.cli_objects import OBJECTS, Shape
from tools.cli_shapes import COMMANDS, SOMETIMES

COLUMNS = 80

HEAD = """\
# Commands

<!-- Made from agent_memory_os/cli/ by `make generate`; do not edit. -->

`agent-memory COMMAND --help` tells the same on the command line.

## Every command

Options stand before the command's name or after it. Words after `--` are never options.

{shared}

**Who acts.** The agent named with `--as`, else with `AGENT_MEMORY_AGENT_ID`, else the node's
default agent (`agent-memory init --agent NAME`), else one that is named after you, which is then
made and said. Whatever reads memories reads them as that agent; `--as-operator` sees the whole node
and is written to the audit.

**Ids.** Wherever an id is asked for, its first characters are enough: `mem_` and at least eight
more.

**Times.** A date (`2026-05-08`), a date and a time (`2026-05-08T14:30`, UTC unless it says
otherwise), a span (`90s`, `12h`, `7d`, `2w`, `3mo`, `1y`: back from now, or ahead where the future
is meant), or words such as `yesterday`. From `--since` on, and before `--until`.

**Output.** Results go to the standard output; notes, warnings and errors to the standard error, a
line each. Colour is used on a terminal only, and not where `NO_COLOR` is set. Control characters in
a memory are shown, never sent to the terminal.

**`--json`** prints one object, and in it `notes`: a list of what a person would have been told
beside the result. Times are RFC 3339 in UTC, fractions lie between 0 and 1, what is not set is
`null`. A newer version may add names, and takes none away. An error is one object on the standard
error: `{{"code": …, "message": …}}`; its [code](errors.md) is stable.

**Exit status.** 0, done; 1, refused; 2, the request is wrong; 3, data on disk is damaged, foreign
or newer than the program; 130, interrupted; 141, nobody reads the output any more.

**Asking back.** What cannot be undone is asked for on a terminal; elsewhere it needs `--yes`.
"""

OBJECTS_HEAD = """
## Objects in JSON
"""

HELP_HEAD = """\
Agent Memory OS: memory for a fleet of agents, in one file on this machine.

Usage: agent-memory COMMAND [ARGUMENTS] [OPTIONS]
"""

HELP_FOOT = """
agent-memory COMMAND --help tells more of a command, with an example.
agent-memory demo shows what it can do, in a home of its own.
"""


def render() -> str:
    """Give the reference page's text."""
    shared = "\n".join(f"- `{_flags(option)}`: {option.help}" for option in SHARED)
    parts = [HEAD.format(shared=shared)]
    for title, names in app.SECTIONS:
        parts.append(f"\n## {title}\n")
        parts += [part for name in names for part in _command(name)]
    parts.append(OBJECTS_HEAD)
    parts += [f"\n### {name}\n\n{_shape(shape)}" for name, shape in OBJECTS.items()]
    return "".join(parts)


def _command(name: str) -> Iterator[str]:
    program = typer.main.get_command(app.build([name]))
    for entry in app.entries(name):
        found: Any = program
        for word in entry.words:
            found = found.commands[word]
        yield _section(" ".join(entry.words), entry, found.params)


def _section(words: str, entry: app.Entry, params: list[Any]) -> str:
    known = {option.name for option in SHARED}
    own = [p for p in params if p.name not in known and p.name not in ("help", "context")]
    arguments = [p for p in own if p.param_type_name == "argument"]
    options = [p for p in own if p.param_type_name == "option"]
    usage = " ".join(["agent-memory", words, *map(argument_name, arguments)])
    lines = [f"\n### {words}\n\n{entry.summary}\n"]
    if entry.more:
        lines.append(f"\n{entry.more}\n")
    usage += " [OPTIONS]" if options else ""
    example = f"\n\n{entry.example}" if entry.example != usage else ""
    lines.append(f"\n```sh\n{usage}{example}\n```\n")
    told = [f"- `{argument_name(p).strip('[]')}`: {p.help}\n" for p in arguments]
    told += [f"- `{_option(p)}`: {p.help}{_default(p)}\n" for p in options]
    if told:
        lines += ["\n", *told]
    shape = {**COMMANDS[words], **SOMETIMES.get(words, {})}
    lines.append(f"\nJSON: {_inline(shape)}\n")
    return "".join(lines)


def _option(parameter: Any) -> str:  # noqa: ANN401 - a class of Typer or of click
    flags = ", ".join(parameter.opts)
    return flags if parameter.is_flag else f"{flags} {parameter.metavar}"


_UNSET: tuple[object, ...] = (None, [], ())
"""Defaults that are a word of Python: what they mean stands in the option's help."""


def _default(parameter: Any) -> str:  # noqa: ANN401 - a class of Typer or of click
    is_told = parameter.show_default and not parameter.is_flag
    return f" Else {parameter.default}." if is_told and parameter.default not in _UNSET else ""


def _flags(option: Any) -> str:  # noqa: ANN401 - an option of the table
    return " ".join(filter(None, [", ".join(option.flags), option.metavar]))


def _inline(shape: Shape) -> str:
    return "; ".join(f"`{name}`, {meaning}" for name, meaning in shape.items()) + "."


def _shape(shape: Shape) -> str:
    return "".join(f"- `{name}`: {meaning}\n" for name, meaning in shape.items())


def help_text() -> str:
    """Give what `agent-memory --help` prints."""
    sections = [(title, [(name, _said(name)) for name in names]) for title, names in app.SECTIONS]
    sections.append(("Before or after every command", [(_flags(one), one.help) for one in SHARED]))
    widest = max(len(name) for _, rows in sections for name, _ in rows)
    parts = [HELP_HEAD]
    for title, rows in sections:
        parts.append(f"\n{title}\n")
        for name, text in rows:
            lead = f"  {name:<{widest}}  "
            parts.append(
                textwrap.fill(
                    text,
                    COLUMNS,
                    initial_indent=lead,
                    subsequent_indent=" " * len(lead),
                    break_on_hyphens=False,
                )
                + "\n"
            )
    return "".join([*parts, HELP_FOOT])


def _said(name: str) -> str:
    """Return what a command does; of a group, what it is about and its verbs."""
    if name not in app.GROUPS:
        (entry,) = app.entries(name)
        return entry.summary
    verbs = ", ".join(entry.words[-1] for entry in app.entries(name))
    return f"{app.summary_of(name).removesuffix('.')}: {verbs}."
