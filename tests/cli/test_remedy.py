"""Errors speak to everybody; what to type against them is said by the command line alone."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import pytest

import agent_memory_os
from agent_memory_os import errors
from agent_memory_os.cli.remedy import REMEDIES, told

PACKAGE = Path(agent_memory_os.__file__).parent
ERRORS = {name for name, value in vars(errors).items() if isinstance(value, type)}
TYPED = re.compile(r"agent-memory [a-z]|(?<![\w-])--[a-z]")


def test_what_a_remedy_is_not_about_is_left_out() -> None:
    """A remedy that an error says too little for is left out, and its sentence stands."""
    name = next(one for one, text in REMEDIES.items() if "{" in text)
    assert told(errors.Refused("Not so.", name)) == "Not so."


def raised() -> Iterator[tuple[str, ast.Call]]:
    """Yield every error that is made outside of the command line, with the place."""
    for path in sorted(PACKAGE.rglob("*.py")):
        if "cli" in path.relative_to(PACKAGE).parts:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ERRORS:
                yield f"{path.relative_to(PACKAGE)}:{node.lineno}", node


def words(node: ast.AST) -> str:
    """Return the text that stands in an expression."""
    texts = [one.value for one in ast.walk(node) if isinstance(one, ast.Constant)]
    return " ".join(text for text in texts if isinstance(text, str))


def test_no_error_speaks_of_what_to_type() -> None:
    """A program that uses the SDK is told of no command and of no option."""
    found = [place for place, call in raised() if TYPED.search(words(call))]
    assert not found


def test_every_remedy_is_known_and_has_what_it_needs() -> None:
    """What an error names is in the table, and brings the values that the sentence takes."""
    used = set()
    for place, call in raised():
        if len(call.args) > 1 and isinstance(call.args[1], ast.Constant):
            remedy = ast.literal_eval(call.args[1])
            used.add(remedy)
            fields = {name for _, name, *_ in Formatter().parse(REMEDIES[remedy]) if name}
            assert fields == {keyword.arg for keyword in call.keywords}, place
    by_variable = {"add_agent", "create_team", "create_project", "bring_back_agent"}
    assert used | by_variable == set(REMEDIES)


@pytest.mark.parametrize("remedy", sorted(REMEDIES))
def test_a_remedy_stands_behind_the_sentence(remedy: str) -> None:
    """The command line tells the error, and then what to type."""
    about = {name: f"THAT_{name}" for _, name, *_ in Formatter().parse(REMEDIES[remedy]) if name}
    said = told(errors.NotFound("It is not there.", remedy, **about))
    assert said.startswith("It is not there. ")
    assert all(value in said for value in about.values())
    assert told(errors.NotFound("It is not there.")) == "It is not there."
