"""The part of the script that follows what happens: before everything else, and after it."""

from __future__ import annotations

from typing import Any

from agent_memory_os.service.events import Event
from tests.remote.pair import Side
from tests.remote.script import OPERATOR, Step, held

WHO = ("ann", "bob", "eve", "operator")


def asked(side: Side, who: str, after: str) -> list[Event]:
    """Return what somebody is told of after a cursor, and put by where to go on.

    Cursors are sealed at random: they are not compared.
    """
    principal = OPERATOR if who == "operator" else side.agent(who)
    with side.node.events.follow(principal, after, wait=False) as events:
        found = [event._replace(cursor="") for event in events]
        side.held[f"cursor of {who}"] = events.cursor
    return found


def going_on(who: str, whose: str = "") -> Step:
    """Return the step that somebody goes on after a cursor: its own, or another's."""
    name = f"cursor of {whose or who}"
    return Step("events.follow", f"{who} after {name}", lambda s: asked(s, who, held(name, s)))


def refused(cursor: Any) -> Step:  # noqa: ANN401 - what is no text too
    """Return the step that goes on after what is no cursor."""
    return Step("events.follow", f"after {cursor!r}", lambda s: asked(s, "ann", cursor))


BEGIN = tuple(
    Step("events.follow", f"{who} from now on", lambda s, who=who: asked(s, who, ""))  # type: ignore[misc]
    for who in WHO
)
HAPPENED = (
    *(going_on(who) for who in WHO),
    *(going_on(who) for who in WHO),
    going_on("ann", "bob"),
    going_on("eve", "operator"),
    going_on("operator", "ann"),
    *map(refused, ("x", "0", "a b", "é", "\ud800", "\n", "a" * 4000, "../x", 7)),
)
