"""``agent-memory receipts``: who has taken in what was taken back, and waiting for it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Annotated

import typer

from agent_memory_os.cli import grid, moment, render
from agent_memory_os.cli.desk import Desk
from agent_memory_os.errors import InvalidInput, NotAllowed, Outstanding
from agent_memory_os.model.routing.receipt import ACKNOWLEDGED, OUTSTANDING, UNREACHABLE
from agent_memory_os.service.peers import Receipt
from agent_memory_os.wire import peers as wire

WORDS = (
    "What has left a machine cannot be recalled from somebody who copied it. What a peer handed on"
    " it takes back itself, and that is not seen from here."
)
HEADS = ("PEER", "STATE", "COPIES", "ACKNOWLEDGED", "LAST SAID", "WHY")
WAIT_SECONDS = 30.0
"""How long --wait waits where --within says nothing else."""

_AGAIN_SECONDS = 1.0
_Tell = Callable[[], tuple[Receipt, ...]]

Memory = Annotated[
    str | None,
    typer.Argument(
        help="The id of a memory of yours, or its beginning; all of them where none is named.",
        metavar="[ID]",
        show_default=False,
    ),
]
Wait = Annotated[
    bool, typer.Option("--wait", help="Exchange with the peers at once, and wait for their word.")
]
Within = Annotated[
    float | None,
    typer.Option(
        "--within",
        help="With --wait: for how long at most; else 30 seconds.",
        metavar="SECONDS",
        min=0,
        show_default=False,
    ),
]


def receipts(
    desk: Desk, memory: Memory = None, *, wait: Wait = False, within: Within = None
) -> None:
    """Show which peers took in what you took back, by their own word, and which copies are left.

    Example: agent-memory receipts mem_4kq2mxa7bd
    """

    def tell() -> tuple[Receipt, ...]:
        nouns, who = desk.node.receipts, desk.principal
        return nouns.list(who) if memory is None else nouns.get(who, memory)

    check(wait=wait, within=within)
    found = waited(desk, tell, within) if wait else tell()
    if found:
        desk.say(*grid.table(HEADS, [_row(one, desk.now) for one in found]), "")
    desk.say(*_words(found))
    desk.give({"receipts": shape_of(found), "copies": _copies(found)})
    if wait:
        check_all(found)


def check(*, wait: bool, within: float | None) -> None:
    """Raise :class:`InvalidInput` where it is said how long to wait, and not to wait."""
    if within is not None and not wait:
        raise InvalidInput("--within goes with --wait.")


def waiting(desk: Desk, tell: _Tell, within: float | None, *, wait: bool) -> tuple[Receipt, ...]:
    """Where it is to wait: exchange with the peers concerned, tell of each, and return that.

    What is outstanding then is raised by :func:`check_all`.
    """
    if not wait:
        return ()
    found = waited(desk, tell, within)
    concerned = [one for one in found if one.copies or one.acknowledged]
    desk.say(*(_line(one) for one in concerned), *_words(found))
    return found


def waited(desk: Desk, tell: _Tell, within: float | None) -> tuple[Receipt, ...]:
    """Exchange with the peers concerned until each has spoken, or the time is over."""
    seconds = WAIT_SECONDS if within is None else within
    until = time.monotonic() + seconds
    found, is_first = tell(), True
    if _copies(found):
        desk.explain(f"Waiting for {seconds:g} s at most. Ctrl-C ends the waiting alone.")
    while _copies(found) and (is_first or time.monotonic() < until):
        called = [one.device for one in found if one.copies and not one.comes_by]
        _exchange(desk, called)
        found = tell()
        # What was sent is confirmed when the two speak next, which may be at once.
        is_moved = is_first
        is_first = False
        if _copies(found) and not is_moved:
            time.sleep(max(0.0, min(_AGAIN_SECONDS, until - time.monotonic())))
    return found


def _exchange(desk: Desk, devices: list[str]) -> None:
    """Exchange with peers that can be called; where that is not ours to do, the server does it."""
    if devices:
        try:
            for _ in desk.node.sync.run(devices):
                pass
        except NotAllowed:
            time.sleep(_AGAIN_SECONDS)


def check_all(found: tuple[Receipt, ...]) -> None:
    """Raise :class:`Outstanding` where a copy is outstanding."""
    names = [one.peer for one in found if one.copies]
    if names:
        left = render.counted(_copies(found), "copy", "copies")
        raise Outstanding(
            f"Not acknowledged yet: {left}, with {', '.join(names)}. Later: agent-memory receipts"
        )


def shape_of(found: tuple[Receipt, ...]) -> list[dict[str, object]]:
    """Return how it stands with each peer as JSON holds it."""
    return [wire.of_receipt(one) for one in found]


def _copies(found: tuple[Receipt, ...]) -> int:
    return sum(one.copies for one in found)


def _words(found: tuple[Receipt, ...]) -> list[str]:
    copies = _copies(found)
    if not any(one.copies or one.acknowledged for one in found):
        return ["This node sent nothing to a peer that was taken back since."]
    told = "No copy is outstanding, as far as the peers of this node say."
    if copies:
        told = f"Outstanding: {render.counted(copies, 'copy', 'copies')}."
    return [told, WORDS]


def _line(one: Receipt) -> str:
    name = render.paint(one.peer, render.BOLD)
    if one.state == ACKNOWLEDGED:
        return f"{name}: acknowledged"
    if one.state == UNREACHABLE:
        return f"{name}: {render.paint('unreachable', render.RED)}: {render.one_line(one.fault)}"
    if one.comes_by:
        return f"{name}: it comes by itself: not yet"
    return f"{name}: not yet"


def _row(one: Receipt, now: int) -> tuple[str, ...]:
    said = "never" if one.since is None else moment.age(one.since, now)
    why = one.fault
    if one.state == OUTSTANDING and one.comes_by:
        why = "it comes by itself"
    return (one.peer, one.state, f"{one.copies:,}", f"{one.acknowledged:,}", said, why or "-")


def take_out(
    desk: Desk, kind: str, name: str, member: str, within: float | None, *, wait: bool
) -> None:
    """Take an agent out of a ``team`` or ``project``; wait for its peers where that is asked."""
    check(wait=wait, within=within)
    scope = f"{kind}:{name}"
    is_gone = desk.node.organisation.leave(member, scope)
    desk.say(f"{member} {'is no longer' if is_gone else 'was not'} in {kind} {name}.")
    heard = waiting(desk, lambda: desk.node.receipts.left(member, scope), within, wait=wait)
    shape = {kind: name, "agent": member, "changed": is_gone}
    desk.give({**shape, "receipts": shape_of(heard)})
    check_all(heard)


COMMANDS = {"receipts": receipts}
