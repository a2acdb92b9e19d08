"""``agent-memory search``: the memories that answer a question, best first."""

from __future__ import annotations

from agent_memory_os.cli import card, command, narrow, render
from agent_memory_os.cli.command import FLAG, WHOLE, Argument, Command, Option
from agent_memory_os.cli.desk import Desk
from agent_memory_os.model.recall import RecallRequest

LIMIT = Option("limit", ("--limit",), "How many at most.", WHOLE, "COUNT")
PINNED = Option("pinned", ("--pinned",), "Also what is pinned, whether it matches or not.", FLAG)
RECENT = Option("recent", ("--recent",), "Also what is newest, whether it matches or not.", FLAG)
QUERY = Argument("query", "What you want to know, in words.", many=True)

COMMAND = Command(
    "search",
    "Find the memories that answer a question.",
    'agent-memory search "when do we deploy" --limit 5',
    (QUERY,),
    (
        LIMIT,
        *command.NARROWING,
        PINNED,
        RECENT,
        Option("explain", ("--explain",), "Say how each was found and ranked.", FLAG),
    ),
)


def request_of(  # noqa: PLR0913 - what search and pack both take
    desk: Desk,
    query: tuple[str, ...],
    *,
    limit: int,
    types: tuple[str, ...],
    tags: tuple[str, ...],
    owner: str | None,
    author: str | None,
    session: str | None,
    since: str | None,
    until: str | None,
    time_field: str,
    pinned: bool,
    recent: bool,
) -> RecallRequest:
    """Return what a person asked for as a request of recall."""
    now = desk.now
    return RecallRequest(
        " ".join(query),
        now,
        limit,
        types,
        tags,
        owner,
        narrow.span(since, until, now),
        narrow.time_field(time_field),
        pinned,
        recent,
        author,
        session,
    )


def run(  # noqa: PLR0913 - one parameter an option
    desk: Desk,
    query: tuple[str, ...],
    *,
    limit: int = 10,
    types: tuple[str, ...] = (),
    tags: tuple[str, ...] = (),
    owner: str | None = None,
    author: str | None = None,
    session: str | None = None,
    since: str | None = None,
    until: str | None = None,
    time_field: str = "created",
    pinned: bool = False,
    recent: bool = False,
    explain: bool = False,
) -> None:
    """Search as the acting agent, and show what was found."""
    request = request_of(
        desk,
        query,
        limit=limit,
        types=types,
        tags=tags,
        owner=owner,
        author=author,
        session=session,
        since=since,
        until=until,
        time_field=time_field,
        pinned=pinned,
        recent=recent,
    )
    found = desk.node.recall.search(desk.principal, request, explain=explain)
    for place, hit in enumerate(found.hits, 1):
        desk.say(*card.of_hit(place, hit, request.now))
    if not found.hits:
        desk.say("Nothing found.")
    if explain:
        desk.say("", *map(render.shortened, found.explanation))
    else:
        desk.tell(*found.notes)
    if desk.as_json:
        from agent_memory_os.wire.encode import of_found

        desk.give(of_found(request.query, found, request.now, explain=explain))
