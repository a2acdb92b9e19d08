"""``agent-memory link``: say how two memories belong together."""

from __future__ import annotations

from typing import Annotated

import typer

from agent_memory_os.cli import render
from agent_memory_os.cli.add import thousandths
from agent_memory_os.cli.desk import Desk
from agent_memory_os.model.link import DEFAULT_WEIGHT, RELATIONS
from agent_memory_os.model.memory import THOUSAND
from agent_memory_os.wire.encode import of_link

Source = Annotated[
    str,
    typer.Argument(
        help="The id of the memory that the link goes out from, or its beginning.",
        metavar="FROM",
        show_default=False,
    ),
]
Target = Annotated[
    str,
    typer.Argument(
        help="The id of the memory that it goes to, or its beginning.",
        metavar="TO",
        show_default=False,
    ),
]
Relation = Annotated[
    str, typer.Option("--relation", help=f"How: {', '.join(RELATIONS)}.", metavar="RELATION")
]
Weight = Annotated[
    float, typer.Option("--weight", help="How strongly, above 0, at most 1.", metavar="NUMBER")
]


def link(
    desk: Desk,
    src: Source,
    dst: Target,
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
