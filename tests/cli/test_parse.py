"""The small parser understands what Typer understands, and in the same way, or leaves it alone."""

from __future__ import annotations

import inspect
from typing import Any

import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st

from agent_memory_os.cli import app, parse, search
from agent_memory_os.cli.command import FLAG, SHARED, Command, Shared
from agent_memory_os.cli.main import FAST

MODULES = {name: app.module_of(name) for name in FAST}
VALUES = ["x", "7", "0.5", "-1", "-", "--", "--json", "", "a b", "日本", "nan", "1_0", " 3 ", "-h"]
Understood = tuple[Shared, dict[str, Any]]


def lines_of(command: Command) -> st.SearchStrategy[list[str]]:
    """Give command lines of a command's own flags, and of words that may be values."""
    flags = [flag for option in (*SHARED, *command.options) for flag in option.flags]
    joined = [f"{flag}={value}" for flag in flags for value in ("x", "7", "")]
    return st.lists(
        st.sampled_from(flags) | st.sampled_from(joined) | st.sampled_from(VALUES), max_size=7
    )


def by_typer(words: list[str], name: str) -> Understood | None:
    """Read a command line with Typer; give what the command's function would get."""
    HEARD.clear()
    try:
        PROGRAMS[name].main(args=words, prog_name="agent-memory", standalone_mode=False)
    except (app.MISTAKE, typer.Exit):
        return None
    return HEARD[0] if HEARD else None


HEARD: list[Understood] = []
PROGRAMS = {
    name: typer.main.get_command(
        app.build([name], lambda _, shared, values: HEARD.append((shared, dict(values))))
    )
    for name in FAST
}


def by_table(words: list[str], name: str) -> Understood | None:
    """Read a command line by the table, with the defaults of the command's function."""
    found, before, after = parse.command_name(words)
    assert found == name
    call = parse.read(MODULES[name].COMMAND, before, after)
    if call is None:
        return None
    parameters = inspect.signature(MODULES[name].run).parameters.values()
    defaults = {p.name: p.default for p in parameters if p.default is not p.empty}
    return call.shared, defaults | call.values


@pytest.mark.parametrize("name", FAST)
@given(data=st.data())
def test_both_understand_the_same(name: str, data: st.DataObject) -> None:
    """What the table understands Typer understands too, to the same values."""
    before = data.draw(st.sampled_from([[], ["--json"], ["--as", "x"], ["--home=y", "--json"]]))
    words = [*before, name, *data.draw(lines_of(MODULES[name].COMMAND))]
    understood = by_table(words, name)
    if understood is not None:
        assert shown(by_typer(words, name)) == shown(understood)


def shown(understood: Understood | None) -> str:
    """Give what was understood as text, for a number may be none and then equals nothing."""
    return "" if understood is None else f"{understood[0]} {sorted(understood[1].items())}"


@pytest.mark.parametrize("name", FAST)
def test_all_that_may_be_said_is_understood(name: str) -> None:
    """Every option of a command is understood fast, each alone and all together."""
    command = MODULES[name].COMMAND
    words = [argument.name for argument in command.arguments]
    each = [
        [option.flags[-1]] + ([] if option.kind == FLAG else ["1"])
        for option in (*SHARED, *command.options)
    ]
    for said in [*each, [word for one in each for word in one]]:
        line = [name, *said, *words]
        assert by_table(line, name) is not None
        assert by_table(line, name) == by_typer(line, name)


@pytest.mark.parametrize("name", FAST)
def test_the_table_is_of_the_function(name: str) -> None:
    """The names of a table are the parameters of the command's function, and no others."""
    command = MODULES[name].COMMAND
    named = [part.name for part in (*command.arguments, *command.options)]
    assert sorted(named) == sorted(list_of_parameters(name))
    assert command.name == name


def list_of_parameters(name: str) -> tuple[str, ...]:
    """Give the names of a function's parameters behind the desk."""
    return tuple(inspect.signature(MODULES[name].run).parameters)[1:]


@pytest.mark.parametrize(
    "words",
    [
        ["search"],
        ["search", "x", "--help"],
        ["search", "x", "--limit"],
        ["search", "x", "--limit", "many"],
        ["search", "x", "--lim", "3"],
        ["search", "x", "--json=yes"],
        ["search", "-x"],
        ["-", "search", "x"],
        ["--nothing", "search", "x"],
    ],
)
def test_the_rest_is_left_to_typer(words: list[str]) -> None:
    """A mistake, and a call for help, are left for Typer to tell."""
    name, before, after = parse.command_name(words)
    assert name == "search"
    assert parse.read(search.COMMAND, before, after) is None


def test_no_command() -> None:
    """A line of options alone names no command."""
    assert parse.command_name(["--home", "x"])[0] == ""
    assert parse.command_name([])[0] == ""
