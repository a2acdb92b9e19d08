"""What can be done for a home by the clock: a table; another timer is another line of it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import NamedTuple

from agent_memory_os.errors import InvalidInput, NotFound
from agent_memory_os.server.unit.job import At, Every


class Timer(NamedTuple):
    """What is done, when unless it is said otherwise, and the words of its command.

    ``{to}`` and the like in the words are its options, and ``usual`` says what they are by default;
    ``{home}`` is the home.
    """

    name: str
    title: str
    at: At | Every
    words: tuple[str, ...]
    usual: Mapping[str, str]


TIMERS = (
    Timer(
        "backup",
        "A backup each night; the newest are kept",
        At(3, 15),
        ("backup", "{to}", "--keep", "{keep}"),
        {"to": "{home}-backups", "keep": "7"},
    ),
    Timer("sync", "Exchange with peers", Every(5), ("sync", "auto"), {}),
)


def of_name(name: str) -> Timer:
    """Return the timer of a name; raise :class:`NotFound`."""
    for timer in TIMERS:
        if timer.name == name:
            return timer
    names = ", ".join(timer.name for timer in TIMERS)
    raise NotFound(f"There is no timer called {name!r}; there is: {names}.")


def words_of(timer: Timer, home: str, given: Mapping[str, str]) -> tuple[str, ...]:
    """Return the words of a timer's command; raise :class:`InvalidInput` for an option of none."""
    for name in given:
        if name not in timer.usual:
            raise InvalidInput(f"The timer {timer.name} has nothing to set with --{name}.")
    usual = {name: value.replace("{home}", home) for name, value in timer.usual.items()}
    said = {**usual, **given}
    if not given.get("to", "a folder").strip():
        raise InvalidInput("A backup needs a folder to lie in; its path is empty.")
    if "to" in given:
        said["to"] = os.path.abspath(os.path.expanduser(given["to"]))
    return tuple(
        said.get(word.strip("{}"), word) if word[0] == "{" else word for word in timer.words
    )
