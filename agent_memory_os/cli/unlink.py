"""``agent-memory unlink``: take a link back."""

from __future__ import annotations

from agent_memory_os.cli import render
from agent_memory_os.cli.desk import Desk
from agent_memory_os.cli.link import Relation, Source, Target


def unlink(desk: Desk, src: Source, dst: Target, *, relation: Relation = "related_to") -> None:
    """Take a link back that you made.

    Example: agent-memory unlink mem_4kq2mxa7bd mem_7xb3vdq2ka --relation caused_by
    """
    gone = desk.node.memories.unlink(desk.principal, src, dst, relation)
    desk.say(f"Unlinked {render.short(gone.src)} → {render.short(gone.dst)} ({relation}).")
    desk.give({"src": gone.src, "dst": gone.dst, "relation": relation})


COMMANDS = {"unlink": unlink}
