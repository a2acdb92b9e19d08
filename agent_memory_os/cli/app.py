"""The Typer program: every command in one place, in the order in which help shows them.

A command is a function whose first parameter is the :class:`desk.Desk` that it works with; its
docstring is its help, with an example. What every command takes (``--home``, ``--as``, …) is added
to each here, so that it may stand before the command's name or after it. A fast command is made
from its table.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from types import ModuleType
from typing import Annotated, Any, NamedTuple, get_type_hints

import typer

from agent_memory_os import errors
from agent_memory_os.cli import parse
from agent_memory_os.cli.command import (
    FLAG,
    FRACTION,
    MANY,
    SHARED,
    WHOLE,
    Command,
    Option,
    Shared,
)
from agent_memory_os.cli.desk import Desk
from agent_memory_os.cli.help import Helped
from agent_memory_os.cli.main import FAST

PROGRAM = "agent-memory"
SECTIONS = (
    ("Start", ("init", "demo", "whoami")),
    ("Remember", ("add", "get", "list", "edit", "pin", "forget", "history", "timeline")),
    ("Recall", ("search", "pack")),
    ("Share", ("share", "revoke", "receipts")),
    ("Connect", ("link", "unlink", "supersede")),
    ("Fleet", ("agent", "team", "project", "owner")),
    ("Move", ("import", "export", "backup", "restore")),
    (
        "Exchange",
        (
            "join",
            "device",
            "recovery-key",
            "invitation",
            "neighbors",
            "peers",
            "sync",
            "quarantine",
            "conflicts",
            "view-as",
        ),
    ),
    (
        "Serve",
        ("serve", "sign-in", "key", "usage", "status", "watch", "logs", "service", "timer"),
    ),
    ("Keep well", ("stats", "audit", "doctor", "check", "reindex")),
)
GROUPS = frozenset(
    {
        "device",
        "invitation",
        "agent",
        "team",
        "project",
        "owner",
        "peers",
        "sync",
        "quarantine",
        "key",
        "service",
        "timer",
    }
)
_EXAMPLE = "Example: "
_MODULES = {
    "import": "importing",
    "sign-in": "signing",
    "view-as": "preview",
    "recovery-key": "recovery",
}  # no names of modules
_TYPES = {WHOLE: int, FRACTION: float, FLAG: bool, MANY: list[str]}
# Typer carries click inside it in some versions and not in others: its base of every mistake on
# the command line is found through a class that all of them export.
MISTAKE: type[Exception] = typer.BadParameter.__mro__[1]

Function = Callable[..., None]
Values = Mapping[str, Any]
Perform = Callable[[Function, Shared, Values], None]


class Entry(NamedTuple):
    """One command: its words (``team``, ``create``), what it does, an example, and its function.

    ``summary`` is a sentence, ``more`` what else there is to know.
    """

    words: tuple[str, ...]
    summary: str
    more: str
    example: str
    function: Function
    table: Command | None


def run(words: list[str]) -> int:
    """Run a command line; raise :class:`errors.UsageError` for a mistake in it."""
    name, _, _ = parse.command_name(words)
    known = [command for _, commands in SECTIONS for command in commands]
    program = typer.main.get_command(build([name] if name in known else known))
    try:
        status = program.main(args=words, prog_name=PROGRAM, standalone_mode=False)
    except typer.Abort:
        raise KeyboardInterrupt from None
    except SystemExit as end:
        # So Typer leaves where nobody reads the output any more.
        if isinstance(end.__context__, BrokenPipeError):
            raise end.__context__ from None
        raise
    except MISTAKE as mistake:
        raise errors.UsageError(_told(mistake, name if name in known else "")) from None
    return status if isinstance(status, int) else 0


def _told(mistake: Exception, name: str) -> str:
    context = getattr(mistake, "ctx", None)
    path = context.command_path if context is not None else f"{PROGRAM} {name}".strip()
    said = str(getattr(mistake, "format_message", mistake.__str__)()).strip()
    end = "" if said.endswith(("?", "!")) else "."
    return f"{said.rstrip('.')}{end} See: {path} --help"


def execute(function: Function, shared: Shared, values: Values) -> None:
    """Run a command's function at a desk of its own."""
    desk = Desk(shared)
    try:
        function(desk, **values)
    finally:
        desk.close()


def build(names: list[str], perform: Perform = execute) -> typer.Typer:
    """Return the program with the commands of these names; ``perform`` runs what was understood."""
    program = _group(_root)
    for name in names:
        found = list(entries(name))
        if name in GROUPS:
            group = _group(_branch)
            for entry in found:
                _add(group, entry, perform)
            program.add_typer(group, name=name, help=summary_of(name))
        else:
            _add(program, found[0], perform)
    return program


def module_of(name: str) -> ModuleType:
    """Return the module of a command or a group of commands."""
    return import_module(f"agent_memory_os.cli.{_MODULES.get(name, name)}")


def entries(name: str) -> Iterator[Entry]:
    """Yield the command of a name, or the commands of the group of that name."""
    module = module_of(name)
    if name in FAST:
        table: Command = module.COMMAND
        yield Entry((name,), table.summary, "", table.example, module.run, table)
        return
    functions: dict[str, Function] = module.COMMANDS
    for word, function in functions.items():
        words = (name, word) if name in GROUPS else (name,)
        yield Entry(words, *_summary(function), function, None)


def summary_of(name: str) -> str:
    """Return what a group of commands is about."""
    return _summary(module_of(name))[0]


def _summary(documented: object) -> tuple[str, str, str]:
    """Return the first paragraph of a docstring, those behind it, and its example."""
    paragraphs = [
        " ".join(text.split()) for text in (inspect.getdoc(documented) or "").split("\n\n")
    ]
    examples = [text.removeprefix(_EXAMPLE) for text in paragraphs if text.startswith(_EXAMPLE)]
    more = [text for text in paragraphs[1:] if not text.startswith(_EXAMPLE)]
    return paragraphs[0], "\n\n".join(more), examples[0] if examples else ""


def _group(callback: Function) -> typer.Typer:
    group = typer.Typer(
        add_completion=callback is _root,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    taken = [*map(_parameter_of, SHARED)]
    group.callback(invoke_without_command=True)(_with_signature(callback, taken))
    return group


def _add(group: typer.Typer, entry: Entry, perform: Perform) -> None:
    parameters = _of_table(entry) if entry.table else _of_function(entry.function)
    taken = [*parameters, *map(_parameter_of, SHARED)]
    call = _with_signature(_caller(entry.function, perform), taken)
    epilog = f"\b\nExample:\n  {entry.example}"
    text = "\n\n".join(filter(None, (entry.summary, entry.more)))
    group.command(entry.words[-1], cls=Helped, help=text, short_help=entry.summary, epilog=epilog)(
        call
    )


def _root(context: typer.Context, **values: Any) -> None:  # noqa: ANN401 - Typer's values
    context.obj = Shared(**values)


def _branch(context: typer.Context, **values: Any) -> None:  # noqa: ANN401 - Typer's values
    context.obj = Shared(**values).over(context.obj)
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def _caller(function: Function, perform: Perform) -> Function:
    def call(context: typer.Context, **values: Any) -> None:  # noqa: ANN401 - Typer's values
        inner = Shared(**{option.name: values.pop(option.name) for option in SHARED})
        plain = {name: tuple(v) if isinstance(v, list) else v for name, v in values.items()}
        perform(function, inner.over(context.obj), plain)

    return call


def _with_signature(function: Function, parameters: list[inspect.Parameter]) -> Function:
    """Return a function that Typer sees with these parameters, and the context before them."""

    def call(context: typer.Context, **values: Any) -> None:  # noqa: ANN401 - Typer's values
        function(context, **values)

    context = inspect.Parameter("context", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context)
    taken = [context, *parameters]
    call.__signature__ = inspect.Signature(taken)  # type: ignore[attr-defined]
    call.__annotations__ = {parameter.name: parameter.annotation for parameter in taken}
    return call


def _of_function(function: Function) -> list[inspect.Parameter]:
    """Return a function's parameters behind the desk, as Typer reads them."""
    hints = get_type_hints(function, include_extras=True)
    found = list(inspect.signature(function).parameters.values())[1:]
    return [
        parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=hints[parameter.name])
        for parameter in found
    ]


def _of_table(entry: Entry) -> list[inspect.Parameter]:
    """Return the parameters of a fast command, as its table and its function's defaults say."""
    assert entry.table is not None  # noqa: S101 - the caller has looked
    defaults = {
        name: parameter.default
        for name, parameter in inspect.signature(entry.function).parameters.items()
    }
    arguments = [
        inspect.Parameter(
            argument.name,
            inspect.Parameter.KEYWORD_ONLY,
            annotation=Annotated[
                list[str] if argument.many else str,
                typer.Argument(
                    help=argument.help, metavar=argument.name.upper(), show_default=False
                ),
            ],
        )
        for argument in entry.table.arguments
    ]
    options = [_parameter_of(option, defaults[option.name]) for option in entry.table.options]
    return [*arguments, *options]


def _parameter_of(option: Option, default: object = None) -> inspect.Parameter:
    if option.kind == FLAG:
        default = False
    kind: Any = _TYPES.get(option.kind, str)
    if option.kind == MANY:
        default = []
    elif default is None:
        kind = kind | None
    info = typer.Option(
        *option.flags,
        help=option.help,
        metavar=option.metavar or None,
        show_default=option.kind in (WHOLE, FRACTION) or bool(default),
    )
    return inspect.Parameter(
        option.name,
        inspect.Parameter.KEYWORD_ONLY,
        default=default,
        annotation=Annotated[kind, info],
    )
