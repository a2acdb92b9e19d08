"""``agent-memory usage``: what was used through the keys of the API."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

import typer

from agent_memory_os.cli import grid, moment
from agent_memory_os.cli.desk import Desk
from agent_memory_os.errors import InvalidInput
from agent_memory_os.service.keys import DAY_MS
from agent_memory_os.store.keys import Usage
from agent_memory_os.wire import keys

Since = Annotated[
    str,
    typer.Option("--since", help="From the day of this date, or time ago, on.", metavar="WHEN"),
]
By = Annotated[
    str,
    typer.Option("--by", help="What it is added up by: agent, team, key or day.", metavar="WORD"),
]
WORDS = ("agent", "team", "key", "day")


def usage(desk: Desk, *, since: Since = "30d", by: By = "agent") -> None:
    """Add up what was asked for, written and sent through the API.

    With --as-operator, by everybody; else by the acting agent. An agent in several teams counts to
    each of them.

    Example: agent-memory usage --as-operator --by team
    """
    if by not in WORDS:
        raise InvalidInput(f"It is added up by one of {', '.join(WORDS)}, not by {by!r}.")
    begin = moment.past(since, desk.now)
    found = desk.node.keys.usage(desk.principal, begin)
    totals = _totals(found, by)
    if totals:
        heads = (by.upper(), "REQUESTS", "WRITES", "BYTES")
        lines = [(name, *(f"{count:,}" for count in counts)) for name, counts in totals.items()]
        desk.say(*grid.table(heads, lines))
    else:
        desk.say("Nothing was used.")
    if not desk.principal.is_operator:
        desk.tell("This is what the agent used. All of it: --as-operator")
    shown = [
        {by: name, **dict(zip(("requests", "writes", "bytes"), counts, strict=True))}
        for name, counts in totals.items()
    ]
    desk.give(
        {"since": moment.iso(begin), "totals": shown, "usage": list(map(keys.of_usage, found))}
    )


def _totals(found: Iterable[Usage], by: str) -> dict[str, list[int]]:
    totals: dict[str, list[int]] = {}
    for one in found:
        for name in _names(one, by):
            counts = totals.setdefault(name, [0, 0, 0])
            for place, count in enumerate((one.requests, one.writes, one.bytes)):
                counts[place] += count
    return totals


def _names(one: Usage, by: str) -> tuple[str, ...]:
    if by == "team":
        return one.teams or ("-",)
    if by == "key":
        return (one.key,)
    return (moment.shown(one.day * DAY_MS)[:10] if by == "day" else one.agent_name or "operator",)


COMMANDS = {"usage": usage}
