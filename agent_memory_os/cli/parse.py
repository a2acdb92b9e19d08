"""The small parser: reads a fast command by its table, or leaves it to Typer.

It takes only what it understands whole, and exactly as Typer would: options with a value behind
them or after ``=``, flags, words, and ``--`` before words that begin with a dash. Anything else,
be it ``--help`` or a mistake, gives ``None``: Typer then helps, or says what is wrong.
"""

from __future__ import annotations

from agent_memory_os.cli.command import (
    FLAG,
    FRACTION,
    MANY,
    SHARED,
    WHOLE,
    Argument,
    Command,
    Option,
    Shared,
)
from agent_memory_os.value import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


class Call(NamedTuple):
    """A command line that was understood: the shared options, and the values by parameter name."""

    shared: Shared
    values: dict[str, Any]


class _NotUnderstood(Exception):
    """Typer must see this command line."""


def command_name(words: list[str]) -> tuple[str, list[str], list[str]]:
    """Return a command's name, the words before it, and those after it (empty: there is none)."""
    position = 0
    takes_value = {flag for option in SHARED if option.kind != FLAG for flag in option.flags}
    while position < len(words) and words[position].startswith("-"):
        position += 2 if words[position] in takes_value else 1
    if position >= len(words):
        return "", words, []
    return words[position], words[:position], words[position + 1 :]


def read(command: Command, before: list[str], after: list[str]) -> Call | None:
    """Return what a command line says, by the command's table; ``None`` where Typer must see it."""
    try:
        outer, stray = _read(SHARED, before)
        values, words = _read((*SHARED, *command.options), after)
        inner = {option.name: values.pop(option.name) for option in SHARED if option.name in values}
        values |= _arguments(command.arguments, words) | _arguments((), stray)
    except _NotUnderstood:
        return None
    return Call(Shared(**inner).over(Shared(**outer)), values)


def _read(options: tuple[Option, ...], words: list[str]) -> tuple[dict[str, Any], list[str]]:
    by_flag = {flag: option for option in options for flag in option.flags}
    values: dict[str, Any] = {}
    plain: list[str] = []
    rest = iter(words)
    for word in rest:
        if word == "--":
            plain.extend(rest)
        elif word == "-" or not word.startswith("-"):
            plain.append(word)
        else:
            _read_option(by_flag, word, rest, values)
    return values, plain


def _read_option(
    by_flag: dict[str, Option], word: str, rest: Iterator[str], values: dict[str, Any]
) -> None:
    flag, equals, text = word.partition("=")
    option = by_flag.get(flag)
    if option is None:
        raise _NotUnderstood
    if option.kind == FLAG:
        if equals:
            raise _NotUnderstood
        values[option.name] = True
        return
    value = text if equals else next(rest, None)
    if value is None:
        raise _NotUnderstood
    if option.kind == MANY:
        held = values.get(option.name, ())
        values[option.name] = (*held, value)
    else:
        values[option.name] = _number(option, value)


def _number(option: Option, text: str) -> object:
    try:
        if option.kind == WHOLE:
            return int(text)
        if option.kind == FRACTION:
            return float(text)
    except ValueError:
        raise _NotUnderstood from None
    return text


def _arguments(arguments: tuple[Argument, ...], words: list[str]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    rest = list(words)
    for argument in arguments:
        if not rest:
            raise _NotUnderstood
        values[argument.name] = tuple(rest) if argument.many else rest[0]
        rest = [] if argument.many else rest[1:]
    if rest:
        raise _NotUnderstood
    return values
