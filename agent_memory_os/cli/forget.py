"""``agent-memory forget``: hide a memory, bring it back, or erase it for good."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from agent_memory_os.cli import receipts, render
from agent_memory_os.cli.desk import Desk
from agent_memory_os.cli.receipts import Wait, Within
from agent_memory_os.cli.word import OwnMemory, Yes
from agent_memory_os.errors import InvalidInput
from agent_memory_os.service.memory.change import UNDO_DAYS
from agent_memory_os.service.peers import Receipt
from agent_memory_os.wire.encode import of_memory

Undo = Annotated[bool, typer.Option("--undo", help="Bring it back.")]
Erase = Annotated[
    bool, typer.Option("--erase", help="Leave none of its bytes; it cannot be undone.")
]
Backups = Annotated[
    list[str],
    typer.Option("--backup", help="With --erase: a backup to erase it from, too.", metavar="FILE"),
]


def forget(
    desk: Desk,
    memory: OwnMemory,
    *,
    undo: Undo = False,
    erase: Erase = False,
    backup: Backups = [],  # noqa: B006 - Typer wants a list, and nobody changes it
    yes: Yes = False,
    wait: Wait = False,
    within: Within = None,
) -> None:
    """Forget a memory of yours; for 30 days it can come back.

    No read finds it any more. With --erase it is gone for good, with every byte of it.

    Example: agent-memory forget mem_4kq2mxa7bd
    """
    receipts.check(wait=wait, within=within)
    if undo and wait:
        raise InvalidInput("--wait does not go with --undo.")
    if undo and erase:
        raise InvalidInput("Say --undo or --erase, not both.")
    if backup and not erase:
        raise InvalidInput("--backup goes with --erase.")
    if undo:
        _bring_back(desk, memory)
    elif erase:
        _erase(desk, memory, backup, yes=yes, wait=wait, within=within)
    else:
        _forget(desk, memory, wait=wait, within=within)


def _forget(desk: Desk, memory: str, *, wait: bool, within: float | None) -> None:
    gone = desk.node.memories.forget(desk.principal, memory)
    desk.say(
        f"Forgotten {render.short(gone.id)}. For {UNDO_DAYS} days this brings it back: "
        f"agent-memory forget --undo {render.short(gone.id)}"
    )
    told = _told(desk, gone.id, within, wait=wait)
    desk.give({"id": gone.id, "act": "forgotten", "receipts": receipts.shape_of(told)})
    receipts.check_all(told)


def _told(desk: Desk, memory: str, within: float | None, *, wait: bool) -> tuple[Receipt, ...]:
    tell = partial(desk.node.receipts.get, desk.principal, memory) if wait else tuple
    return receipts.waiting(desk, tell, within, wait=wait)


def _bring_back(desk: Desk, memory: str) -> None:
    back = desk.node.memories.bring_back(desk.principal, memory)
    desk.say(f"Brought back {render.short(back.id)}.")
    shape = {"id": back.id, "act": "brought_back", "receipts": []}
    desk.give({**shape, "memory": of_memory(back, desk.now)})


def _erase(
    desk: Desk,
    memory: str,
    backups: tuple[str, ...] | list[str],
    *,
    yes: bool,
    wait: bool,
    within: float | None,
) -> None:
    desk.principal  # noqa: B018 - who acts is settled, and told, before the question
    desk.confirm(f"Erase {memory} for good, with its history?", yes=yes)
    (gone,) = desk.node.memories.erase(desk.principal, [memory], backups)
    also = f", and from {', '.join(backups)}" if backups else ""
    desk.say(f"Erased {render.short(gone)} from this node{also}.")
    told = _told(desk, gone, within, wait=wait)
    shape = {"id": gone, "act": "erased", "receipts": receipts.shape_of(told)}
    desk.give({**shape, "backups": list(backups)})
    receipts.check_all(told)


COMMANDS = {"forget": forget}
