"""``agent-memory edit``: write a new version of a memory."""

from __future__ import annotations

from typing import Annotated

import typer

from agent_memory_os.cli import moment, render
from agent_memory_os.cli.add import expiry, text_of, thousandths, told
from agent_memory_os.cli.desk import Desk
from agent_memory_os.cli.word import OwnMemory
from agent_memory_os.errors import InvalidInput
from agent_memory_os.model.memory import type_names
from agent_memory_os.wire.encode import of_memory

_NEVER = "never"

Content = Annotated[
    str | None,
    typer.Argument(
        help="The new words; - reads them from the standard input.",
        metavar="CONTENT",
        show_default=False,
    ),
]
Type = Annotated[
    str | None, typer.Option("--type", help=f"What it is: {type_names}.", metavar="TYPE")
]
Summary = Annotated[
    str | None, typer.Option("--summary", help="The same in a few words.", metavar="TEXT")
]
Tags = Annotated[
    list[str],
    typer.Option("--tag", help="The tags that it then has; may be given again.", metavar="TAG"),
]
NoTags = Annotated[bool, typer.Option("--no-tags", help="Take all tags away.")]
Confidence = Annotated[
    float | None, typer.Option("--confidence", help="How sure, from 0 to 1.", metavar="NUMBER")
]
Importance = Annotated[
    float | None,
    typer.Option("--importance", help="How much it matters, from 0 to 1.", metavar="NUMBER"),
]
Expires = Annotated[
    str | None,
    typer.Option(
        "--expires", help="When it ends: a date, a span from now, or never.", metavar="WHEN"
    ),
]
ValidFrom = Annotated[
    str | None,
    typer.Option("--valid-from", help="From when on it is true, or never.", metavar="WHEN"),
]
ValidTo = Annotated[
    str | None, typer.Option("--valid-to", help="Until when it is true, or never.", metavar="WHEN")
]
Reason = Annotated[
    str, typer.Option("--reason", help="Why, for the history.", metavar="TEXT", show_default=False)
]
AllowSecrets = Annotated[
    bool, typer.Option("--allow-secrets", help="Keep what looks like a secret as it is.")
]


def edit(  # noqa: PLR0913 - one parameter an option
    desk: Desk,
    memory: OwnMemory,
    content: Content = None,
    *,
    type: Type = None,  # noqa: A002 - the name of the option
    summary: Summary = None,
    tags: Tags = [],  # noqa: B006 - Typer wants a list, and nobody changes it
    no_tags: NoTags = False,
    confidence: Confidence = None,
    importance: Importance = None,
    expires: Expires = None,
    valid_from: ValidFrom = None,
    valid_to: ValidTo = None,
    reason: Reason = "",
    allow_secrets: AllowSecrets = False,
) -> None:
    """Write a new version of a memory of yours.

    The earlier version stays in its history.

    Example: agent-memory edit mem_4kq2mxa7bd "We deploy on Mondays" --reason "new calendar"
    """
    now = desk.now
    wanted: dict[str, object] = {
        "content": None if content is None else text_of(content),
        "type": type,
        "summary": summary,
        "tags": tuple(tags) or None,
        "confidence": None if confidence is None else thousandths("confidence", confidence),
        "importance": None if importance is None else thousandths("importance", importance),
    }
    changes = {name: value for name, value in wanted.items() if value is not None}
    if no_tags:
        changes["tags"] = ()
    for name, text in (("expires_at", expires), ("valid_from", valid_from), ("valid_to", valid_to)):
        if text is not None:
            changes[name] = _time(name, text, now)
    if not changes:
        raise InvalidInput("Say what should change: new words, or an option such as --type.")
    outcome = desk.node.memories.edit(
        desk.principal, memory, changes, reason, allow_secrets=allow_secrets
    )
    done = outcome.memory
    word = f"Changed {render.short(done.id)}: version {done.version}."
    desk.say(word if outcome.is_changed else f"Nothing changed; {render.short(done.id)} says that.")
    desk.tell(*told(outcome.notes))
    desk.give({"memory": of_memory(done, desk.now), "changed": outcome.is_changed})


def _time(name: str, text: str, now: int) -> int | None:
    if text.strip().casefold() == _NEVER:
        return None
    return expiry(text, now) if name == "expires_at" else moment.future(text, now)


COMMANDS = {"edit": edit}
