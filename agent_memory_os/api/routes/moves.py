"""Moving memories between agents and between teams: the operator's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response
from starlette.concurrency import run_in_threadpool

from agent_memory_os.api.access import Caller, door_of, operating
from agent_memory_os.api.answer import answer
from agent_memory_os.api.request.narrow import Choosing, Moving, to_chosen
from agent_memory_os.service.moves import Step
from agent_memory_os.wire import fleet
from agent_memory_os.wire.schema import organisation as schema

router = APIRouter(prefix="/v1/moves", tags=["moves"])
Operator = Annotated[Caller, Depends(operating)]

MOST = 500
"""After so many memories a request is answered; whoever asks goes on with the cursor."""


@router.post("/preview", response_model=schema.MovePlan)
async def preview(request: Request, caller: Operator, body: Choosing) -> Response:
    """Tell what a move from one agent to another would do, and who would lose what."""
    door = door_of(request)
    plan = await run_in_threadpool(
        door.node.moves.preview, caller.principal, body.agent, body.to, to_chosen(body)
    )
    return answer(fleet.of_plan(plan, door.clock()))


@router.post("", response_model=schema.Moved)
async def move(request: Request, caller: Operator, body: Moving) -> Response:
    """Move some of an agent's memories to another agent of the account, as new ones.

    Each new one supersedes the old one, which is no longer offered. Some hundred are moved; where
    there are more, the answer has a `cursor` to go on with. Nothing is moved twice.
    """
    steps = door_of(request).node.moves.run(
        caller.principal,
        body.agent,
        body.to,
        to_chosen(body),
        drops=body.drop_grants,
        cursor=body.cursor,
    )
    return answer(fleet.of_step(await run_in_threadpool(_some, steps)))


@router.post("/team/preview", response_model=schema.TeamMovePlan)
async def preview_team(request: Request, caller: Operator, body: schema.ToMove) -> Response:
    """Tell what would be shared with one team that is shared with another."""
    door = door_of(request)
    moves, both = door.node.moves, (body.team, body.to)
    plan = await run_in_threadpool(
        lambda: moves.preview_team(caller.principal, *both, keep=body.keep)
    )
    return answer(fleet.of_team_plan(plan, door.clock()))


@router.post("/team", response_model=schema.Moved)
async def move_team(request: Request, caller: Operator, body: schema.TeamMove) -> Response:
    """Share with one team what this account's agents share with another, instead or as well.

    Some hundred are shared; where there are more, the answer has a `cursor` to go on with.
    """
    moves, both = door_of(request).node.moves, (body.team, body.to)
    steps = moves.run_team(caller.principal, *both, keep=body.keep, cursor=body.cursor)
    return answer(fleet.of_step(await run_in_threadpool(_some, steps)))


def _some(steps: Iterator[Step]) -> Step:
    """Return what some steps did together."""
    moved = skipped = 0
    for step in steps:
        moved, skipped = moved + step.moved, skipped + step.skipped
        if not step.cursor or moved + skipped >= MOST:
            return Step(moved, skipped, step.cursor)
    raise AssertionError("the last step has no cursor")
