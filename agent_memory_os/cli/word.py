"""The arguments and options that several commands take, with their help."""

from __future__ import annotations

from typing import Annotated

import typer

OwnMemory = Annotated[
    str,
    typer.Argument(
        help="The id of a memory of yours, or its beginning.", metavar="ID", show_default=False
    ),
]
Readable = Annotated[
    str,
    typer.Argument(help="The id of a memory, or its beginning.", metavar="ID", show_default=False),
]
Audience = Annotated[
    str,
    typer.Argument(
        help="Whom: agent:NAME, team:NAME, project:TEAM/NAME or global; several with commas.",
        metavar="AUDIENCE",
        show_default=False,
    ),
]
AgentName = Annotated[
    str, typer.Argument(help="An agent's name.", metavar="AGENT", show_default=False)
]
TeamName = Annotated[str, typer.Argument(help="A team's name.", metavar="TEAM", show_default=False)]
NewName = Annotated[str, typer.Argument(help="Its new name.", metavar="NAME", show_default=False)]
ProjectName = Annotated[
    str, typer.Argument(help="A project, as TEAM/NAME.", metavar="PROJECT", show_default=False)
]
Notes = Annotated[
    str, typer.Option("--notes", help="Words for people.", metavar="TEXT", show_default=False)
]
Yes = Annotated[bool, typer.Option("--yes", help="Do it without asking.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only say what would be done.")]
