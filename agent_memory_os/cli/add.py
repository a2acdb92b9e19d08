"""``agent-memory add``: remember something."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping

from agent_memory_os.cli import card, moment, render
from agent_memory_os.cli.command import FLAG, FRACTION, MANY, Argument, Command, Option
from agent_memory_os.cli.desk import Desk
from agent_memory_os.errors import InvalidInput, InvalidTime, TooLarge
from agent_memory_os.model.memory import MAX_CONTENT_BYTES, THOUSAND, type_names
from agent_memory_os.service.memories import Outcome
from agent_memory_os.service.memory.add import NewMemory

STDIN = "-"
MASKED = "Masked"
KEEP_SECRETS = "To keep it as it is: --allow-secrets"

TYPE = Option("type", ("--type",), f"What it is: {type_names}.", metavar="TYPE")
SUMMARY = Option("summary", ("--summary",), "The same in a few words.", metavar="TEXT")
CONFIDENCE = Option("confidence", ("--confidence",), "How sure, from 0 to 1.", FRACTION, "NUMBER")
IMPORTANCE = Option(
    "importance", ("--importance",), "How much it matters, from 0 to 1.", FRACTION, "NUMBER"
)

COMMAND = Command(
    "add",
    "Remember something.",
    'agent-memory add "We deploy on Tuesdays" --type decision --share team:apollo',
    (Argument("content", "The words to remember; - reads them from the standard input."),),
    (
        TYPE,
        SUMMARY,
        Option("tags", ("--tag",), "A tag; may be given again for more.", MANY, "TAG"),
        Option(
            "share",
            ("--share",),
            "Who else may read it: team:NAME, agent:NAME, project:TEAM/NAME, global.",
            metavar="AUDIENCE",
        ),
        IMPORTANCE,
        CONFIDENCE,
        Option("pin", ("--pin",), "Pin it: it is at hand without a search.", FLAG),
        Option(
            "expires",
            ("--expires",),
            "When it ends: a date, or a span from now (30d).",
            metavar="WHEN",
        ),
        Option("valid_from", ("--valid-from",), "From when on it is true.", metavar="WHEN"),
        Option("valid_to", ("--valid-to",), "Until when it is true.", metavar="WHEN"),
        Option("event", ("--event",), "When what it tells of happened.", metavar="WHEN"),
        Option("author", ("--author",), "Who said it.", metavar="NAME"),
        Option("session", ("--session",), "The conversation that it comes from.", metavar="NAME"),
        Option(
            "source", ("--source",), "Where it comes from: words, or a JSON object.", metavar="TEXT"
        ),
        Option(
            "key",
            ("--key",),
            "The same key again is the same memory: safe to repeat.",
            metavar="KEY",
        ),
        Option(
            "allow_secrets", ("--allow-secrets",), "Keep what looks like a secret as it is.", FLAG
        ),
    ),
)


def run(  # noqa: PLR0913 - one parameter an option
    desk: Desk,
    content: str,
    *,
    type: str = "note",  # noqa: A002 - the name of the option
    summary: str = "",
    tags: tuple[str, ...] = (),
    share: str = "private",
    importance: float = 0.5,
    confidence: float = 0.8,
    pin: bool = False,
    expires: str | None = None,
    valid_from: str | None = None,
    valid_to: str | None = None,
    event: str | None = None,
    author: str = "",
    session: str = "",
    source: str | None = None,
    key: str | None = None,
    allow_secrets: bool = False,
) -> None:
    """Add a memory for the acting agent, or say that it is there already."""
    now = desk.now
    new = NewMemory(
        text_of(content),
        type=type,
        summary=summary,
        tags=tags,
        source=source_of(source),
        author=author,
        session=session,
        event_at=None if event is None else moment.past(event, now),
        confidence=thousandths("confidence", confidence),
        importance=thousandths("importance", importance),
        pinned=pin,
        valid_from=None if valid_from is None else moment.future(valid_from, now),
        valid_to=None if valid_to is None else moment.future(valid_to, now),
        expires_at=None if expires is None else expiry(expires, now),
        key=key_of(key),
        allow_secrets=allow_secrets,
    )
    owner = desk.settings.agent if desk.shared.as_operator else None
    outcome = desk.node.memories.add(desk.principal, new, share, owner=owner)
    _show(desk, outcome)


def _show(desk: Desk, outcome: Outcome) -> None:
    memory = outcome.memory
    act = "Added" if outcome.is_changed else "Found"
    about = [memory.content.type, card.audience_of(memory)]
    desk.say(f"{act} {render.short(memory.id)} ({', '.join(about)}).")
    desk.tell(*told(outcome.notes))
    if desk.as_json:
        from agent_memory_os.wire.encode import of_memory

        desk.give({"memory": of_memory(memory, desk.now), "added": outcome.is_changed})


def told(notes: Iterable[str]) -> list[str]:
    """Return notes on a memory that was written, with the option that a note calls for."""
    return [f"{note} {KEEP_SECRETS}" if note.startswith(MASKED) else note for note in notes]


def text_of(content: str) -> str:
    """Return the content that was given, or what the standard input holds where it is ``-``."""
    if content != STDIN:
        return content
    if sys.stdin is None:
        raise InvalidInput("There is no standard input to read.")
    data = sys.stdin.buffer.read(MAX_CONTENT_BYTES + 1)
    if len(data) > MAX_CONTENT_BYTES:
        raise TooLarge(f"A memory holds at most {MAX_CONTENT_BYTES:,} bytes; split what you add.")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise InvalidInput(
            f"The standard input is no UTF-8 from byte {error.start + 1:,} on; convert it first."
        ) from error


def key_of(key: str | None) -> str:
    """Return the key of an add, or nothing where none was named; an empty one would be none."""
    if key is not None and not key.strip():
        raise InvalidInput("The key that was named is empty; name one, or none at all.")
    return key or ""


def source_of(text: str | None) -> Mapping[str, object]:
    """Return a source from words, or from a JSON object."""
    if not text:
        return {}
    if not text.lstrip().startswith("{"):
        return {"reference": text}
    from json import loads

    try:
        found: Mapping[str, object] = loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"The source begins as a JSON object and is none: {error}.") from error
    return found


def thousandths(name: str, fraction: float) -> int:
    """Return a fraction between 0 and 1 in thousandths."""
    if not 0 <= fraction <= 1:
        raise InvalidInput(f"The {name} lies between 0 and 1, not at {fraction:g}.")
    return round(fraction * THOUSAND)


def expiry(text: str, now: int) -> int:
    """Return the instant at which a memory ends, which lies ahead."""
    at = moment.future(text, now)
    if at <= now:
        raise InvalidTime(f"{text!r} lies in the past: the memory would never be shown.")
    return at
