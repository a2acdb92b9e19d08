"""Moving memories: ``agent move-memories`` and ``team move-memories``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated

import typer

from agent_memory_os.cli import narrow, render
from agent_memory_os.cli.bar import Bar
from agent_memory_os.cli.desk import Desk
from agent_memory_os.cli.word import DryRun, Yes
from agent_memory_os.errors import NotAllowed
from agent_memory_os.model.memory import Memory
from agent_memory_os.model.recall import Filter
from agent_memory_os.service.moves import Chosen, Plan, Reach, Step, TeamPlan

From = Annotated[
    str, typer.Argument(help="Whose memories, by name or id.", metavar="FROM", show_default=False)
]
To = Annotated[
    str, typer.Argument(help="Whose they become, by name or id.", metavar="TO", show_default=False)
]
FromTeam = Annotated[
    str,
    typer.Argument(help="The team that they are shared with.", metavar="FROM", show_default=False),
]
ToTeam = Annotated[
    str,
    typer.Argument(
        help="The team that they are shared with then.", metavar="TO", show_default=False
    ),
]
Types = Annotated[
    list[str],
    typer.Option("--type", help="Only this type; may be given again for more.", metavar="TYPE"),
]
Tags = Annotated[
    list[str],
    typer.Option("--tag", help="Only with this tag; given again: with all of them.", metavar="TAG"),
]
Author = Annotated[
    str | None, typer.Option("--author", help="Only what this person said.", metavar="NAME")
]
Session = Annotated[
    str | None, typer.Option("--session", help="Only from this conversation.", metavar="NAME")
]
Since = Annotated[
    str | None,
    typer.Option("--since", help="Only from this date, time, or time ago (7d) on.", metavar="WHEN"),
]
Until = Annotated[
    str | None,
    typer.Option("--until", help="Only before this date, time, or time ago.", metavar="WHEN"),
]
TimeField = Annotated[
    str,
    typer.Option(
        "--time-field",
        help="Which time counts: created, updated, event or valid.",
        metavar="FIELD",
    ),
]
Audience = Annotated[
    str | None,
    typer.Option(
        "--audience",
        help="Only what is shared with this team, project or agent, or with global; or private.",
        metavar="GRANT",
    ),
]
Pinned = Annotated[bool, typer.Option("--pinned", help="Only what is pinned.")]
All = Annotated[bool, typer.Option("--all", help="Also what has expired.")]
Back = Annotated[bool, typer.Option("--back", help="Only what was moved from TO before.")]
DropGrants = Annotated[
    bool,
    typer.Option(
        "--drop-grants", help="Also where TO cannot share it with all who read it, who lose it."
    ),
]
Keep = Annotated[bool, typer.Option("--keep", help="FROM goes on reading them, too.")]
_LONGEST = 1000


def agent(  # noqa: PLR0913 - one parameter an option
    desk: Desk,
    source: From,
    target: To,
    *,
    types: Types = [],  # noqa: B006 - Typer reads it
    tags: Tags = [],  # noqa: B006 - the same
    author: Author = None,
    session: Session = None,
    since: Since = None,
    until: Until = None,
    time_field: TimeField = "created",
    audience: Audience = None,
    pinned: Pinned = False,
    expired_too: All = False,
    back: Back = False,
    drop_grants: DropGrants = False,
    yes: Yes = False,
    dry_run: DryRun = False,
) -> None:
    """Move an agent's memories to another agent of yours: the operator alone.

    They are written anew for TO, and supersede what they were, which is offered no longer. It shows
    what would be moved and who would lose it, and asks. Repeated, it moves nothing twice; --back
    brings back what was moved.

    Example: agent-memory agent move-memories codex claude --as-operator --dry-run
    """
    _check(desk)
    start, end = narrow.span(since, until, desk.now)
    wanted = Filter(
        types=tuple(types),
        tags=tuple(tags),
        author=author,
        session=session,
        pinned=True if pinned else None,
        since=start,
        until=end,
        time_field=narrow.time_field(time_field),
        state="all" if expired_too else "active",
    )
    chosen = Chosen(wanted, audience, back)
    moves = desk.node.moves
    plan = moves.preview(desk.principal, source, target, chosen)
    desk.say(*_told(plan, drops=drop_grants))
    moved = 0
    if plan.memories and not dry_run:
        count = _counted(plan.memories)
        lost = ", and end those grants" if plan.lost and drop_grants else ""
        if drop_grants or not plan.lost:
            question = f"Move {count} of {plan.source_name} to {plan.target_name}{lost}?"
            desk.confirm(question, yes=yes)
        both = (plan.source, plan.target)
        steps = moves.run(desk.principal, *both, chosen, drops=drop_grants)
        moved = _done(desk, steps, plan.memories)
        desk.say(f"Moved {_counted(moved)} to {plan.target_name}.")
    reached = {"kept": plan.kept, "lost": plan.lost}
    shapes = {name: [_shape(one) for one in some] for name, some in reached.items()}
    desk.give(_shape_of(plan, moved) | shapes)


def team(
    desk: Desk,
    source: FromTeam,
    target: ToTeam,
    *,
    keep: Keep = False,
    yes: Yes = False,
    dry_run: DryRun = False,
) -> None:
    """Share with one team what is shared with another: the operator alone.

    Of two teams that came to have one name: what your agents share with FROM is shared with TO
    instead, or with --keep as well, where they are in it. It shows what that is, and asks.

    Example: agent-memory team move-memories apollo apollo@sam --as-operator --dry-run
    """
    _check(desk)
    moves = desk.node.moves
    plan = moves.preview_team(desk.principal, source, target, keep=keep)
    desk.say(*_told_team(plan, keep=keep))
    moved = 0
    if plan.memories and not dry_run:
        count, instead = _counted(plan.memories), "too" if keep else f"not {plan.source_name}"
        question = f"Share {count} with team {plan.target_name}, {instead}?"
        desk.confirm(question, yes=yes)
        both = (plan.source, plan.target)
        steps = moves.run_team(desk.principal, *both, keep=keep)
        moved = _done(desk, steps, plan.memories)
        desk.say(f"Shared {_counted(moved)} with team {plan.target_name}.")
    left = [{"agent": name, "memories": count} for name, count in plan.left]
    desk.give(_shape_of(plan, moved) | {"left": left})


def _check(desk: Desk) -> None:
    if not desk.principal.is_operator:
        raise NotAllowed("Only the operator moves memories: add --as-operator.")


def _counted(number: int) -> str:
    return render.counted(number, "memory", "memories")


def _told(plan: Plan, *, drops: bool) -> Iterator[str]:
    if not plan.memories:
        before = f"; {_counted(plan.skipped)} moved before" if plan.skipped else ""
        yield f"Nothing of {plan.source_name} is to be moved{before}."
        return
    yield f"From {plan.source_name} to {plan.target_name}, {_counted(plan.memories)}:"
    yield from _sampled(plan.sample, plan.memories)
    if plan.skipped:
        yield f"{_counted(plan.skipped)} moved before."
    if plan.kept:
        yield f"Shared as before: {_reached(plan.kept)}."
    if plan.lost:
        loses = "loses it" if drops else "would lose it"
        yield f"{plan.target_name} may not share with, and who {loses}: {_reached(plan.lost)}."


def _told_team(plan: TeamPlan, *, keep: bool) -> Iterator[str]:
    if plan.memories:
        how = "as well" if keep else "instead"
        yield (
            f"Shared with team {plan.source_name}, and with {plan.target_name} {how} then, "
            f"{_counted(plan.memories)}:"
        )
        yield from _sampled(plan.sample, plan.memories)
    else:
        yield f"Nothing that team {plan.source_name} reads is to be shared with {plan.target_name}."
    for name, count in plan.left:
        yield f"Left as shared, for {name} is not in team {plan.target_name}: {_counted(count)}."


def _sampled(sample: Iterable[Memory], count: int) -> Iterator[str]:
    shown = 0
    for memory in sample:
        shown += 1
        text = render.one_line(memory.text[:_LONGEST])
        yield f"  - {render.cut(text, render.width() - 4)}"
    if count > shown:
        yield f"  … and {count - shown:,} more"


def _reached(reaches: Iterable[Reach]) -> str:
    return ", ".join(f"{one.name} ({one.memories:,})" for one in reaches)


def _shape_of(plan: Plan | TeamPlan, moved: int) -> dict[str, object]:
    names = {"from": plan.source_name, "to": plan.target_name}
    return {**names, "memories": plan.memories, "moved": moved}


def _shape(one: Reach) -> dict[str, object]:
    return {"audience": one.name, "memories": one.memories}


def _done(desk: Desk, steps: Iterable[Step], total: int) -> int:
    """Go through the steps, and show how far they are; return how many were moved."""
    moved = 0
    with Bar("memories", is_shown=not desk.as_json) as bar:
        for step in steps:
            moved += step.moved
            bar.advance((step.moved + step.skipped) / total)
    return moved
