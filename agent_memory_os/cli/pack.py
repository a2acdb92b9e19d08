"""``agent-memory pack``: what matters for a task, within a token budget, ready for a prompt.

The standard output holds the pack and nothing else, so that it can be put into a prompt as it is;
what it cost and why each memory is in or out goes to the standard error.
"""

from __future__ import annotations

import sys

from agent_memory_os.cli import command, render
from agent_memory_os.cli.command import FLAG, WHOLE, Command, Option
from agent_memory_os.cli.desk import Desk
from agent_memory_os.cli.search import LIMIT, PINNED, QUERY, RECENT, request_of
from agent_memory_os.model.recall import ContextPack

COMMAND = Command(
    "pack",
    "Make a context pack: what matters, within a token budget.",
    'agent-memory pack "fix the failing deploy" --max-tokens 800',
    (QUERY,),
    (
        Option(
            "budget",
            ("--max-tokens", "--budget"),
            "Tokens that are never exceeded.",
            WHOLE,
            "COUNT",
        ),
        LIMIT,
        *command.NARROWING,
        PINNED,
        RECENT,
        Option("explain", ("--explain",), "Say why each memory is in or out.", FLAG),
    ),
)


def run(  # noqa: PLR0913 - one parameter an option
    desk: Desk,
    query: tuple[str, ...],
    *,
    budget: int = 1200,
    limit: int = 12,
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
    """Pack as the acting agent, and print the text."""
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
    made = desk.node.recall.pack(desk.principal, request, budget)
    if made.text:
        # A program gets the text to the byte, for its tokens were counted.
        text = made.text.rstrip("\n")
        desk.say(render.plain(text) if sys.stdout.isatty() else text)
    elif not made.decisions:
        desk.tell("Nothing found: the pack is empty.")
    if explain:
        from agent_memory_os.recall.explain import explain_pack

        desk.explain("", *explain_pack(made))
    if desk.as_json or not explain:
        desk.tell(*made.notes)
    desk.give(_shape(request.query, made))


def _shape(query: str, made: ContextPack) -> dict[str, object]:
    return {
        "query": query,
        "text": made.text,
        "tokens": made.tokens,
        "budget": made.budget,
        "decisions": [
            {
                "id": decision.memory_id,
                "outcome": decision.outcome,
                "reason": decision.reason,
                "tokens": decision.tokens,
            }
            for decision in made.decisions
        ],
    }
