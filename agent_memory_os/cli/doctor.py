"""``agent-memory doctor``: what is wrong with this node, and how to mend it."""

from __future__ import annotations

from typing import Annotated

import typer

from agent_memory_os.cli import render
from agent_memory_os.cli.bar import Bar
from agent_memory_os.cli.desk import Desk
from agent_memory_os.errors import DamagedDatabase
from agent_memory_os.model.principal import Principal
from agent_memory_os.service.upkeep import Finding
from agent_memory_os.service.upkeep.report import FAULT, OK, WARNING

Mend = Annotated[
    bool,
    typer.Option(
        "--mend",
        "--rebuild",
        help="Mend what can be mended without loss; both words mean the same.",
    ),
]
_COLOURS = {OK: render.GREEN, WARNING: render.YELLOW, FAULT: render.RED}


def doctor(desk: Desk, *, mend: Mend = False) -> None:
    """Examine the node, and say how to mend what is wrong.

    Example: agent-memory doctor
    """
    upkeep = desk.upkeep
    mended: tuple[str, ...] = ()
    if mend:
        with Bar("mending", is_shown=not desk.as_json) as bar:
            mended = upkeep.mend(bar.advance)
    desk.say(*(f"mended: {line}" for line in mended))
    with Bar("examining", is_shown=not desk.as_json) as bar:
        found = upkeep.doctor(Principal.operator(), bar.advance)
    for finding in found:
        desk.say(*_lines(finding))
    desk.give({"findings": [finding._asdict() for finding in found], "mended": list(mended)})
    faults = [finding.name for finding in found if finding.state == FAULT]
    if faults:
        raise DamagedDatabase(f"Faults were found: {', '.join(faults)}.")


def _lines(finding: Finding) -> list[str]:
    state = render.paint(f"{finding.state:<8}", _COLOURS[finding.state])
    lines = [f"{state} {finding.name}: {render.one_line(finding.detail)}"]
    return lines + ([f"         {render.one_line(finding.mend)}"] if finding.mend else [])


COMMANDS = {"doctor": doctor}
