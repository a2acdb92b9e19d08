"""``agent-memory link``: say how two memories belong together."""

from __future__ import annotations

from typing import Annotated

import typer

from agent_memory_os.cli import render
from agent_memory_os.cli.add import thousandths
from agent_memory_os.cli.desk import Desk
from agent_memory_os.cli.word import Readable
from agent_memory_os.model.link import DEFAULT_WEIGHT, RELATIONS
from agent_memory_os.model.memory import THOUSAND
from agent_memory_os.wire.encode import of_link

Relation = Annotated[
    str, typer.Option("--relation", help=f"How: {', '.join(RELATIONS)}.", metavar="RELATION")
]
Weight = Annotated[
    float, typer.Option("--weight", help="How strongly, above 0, at most 1.", metavar="NUMBER")
]


def link(
    desk: Desk,
    src: Readable,
    dst: Readable,
    *,
    relation: Relation = "related_to",
    weight: Weight = DEFAULT_WEIGHT / THOUSAND,
) -> None:
    """Link a memory to another; you must be able to read both.

    Example: agent-memory link mem_4kq2mxa7bd mem_7xb3vdq2ka --relation caused_by
    """
    made = desk.node.memories.link(
        desk.principal, src, dst, relation, thousandths("weight", weight)
    )
    desk.say(f"Linked {render.short(made.src)} → {render.short(made.dst)} ({made.relation}).")
    desk.give({"link": of_link(made)})


COMMANDS = {"link": link}
