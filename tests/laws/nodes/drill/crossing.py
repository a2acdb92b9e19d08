"""Drills of what two devices of an account do without having heard of each other."""

from __future__ import annotations

from tests.laws.nodes.drill.stage import AHEAD_MS, Stage

SLOW_MS = 40_000


def edit_and_share(stage: Stage) -> None:
    """One device edits, the other shares what was there before."""
    ann, sibling = stage.node("ann1"), stage.node("ann2")
    memory = stage.write(ann, stage.team)
    stage.sync(ann, sibling)
    stage.edit(ann, memory)
    stage.share(sibling, memory, stage.project)


def forget_and_edit(stage: Stage) -> None:
    """One device forgets, the other edits later."""
    ann, sibling = stage.node("ann1"), stage.node("ann2")
    memory = stage.write(ann, stage.team)
    stage.sync(ann, sibling)
    stage.forget(ann, memory)
    stage.pass_by(1)
    stage.edit(sibling, memory)


def slow_clock(stage: Stage) -> None:
    """A device whose clock is slow calls a team otherwise than it was brought."""
    ann, sibling = stage.node("ann1"), stage.node("ann2")
    team = stage.team.partition(":")[2]
    ann.node.organisation.rename_team(team, "athena")
    sibling.skew = -SLOW_MS
    stage.sync(sibling, ann)
    sibling.node.organisation.rename_team(team, "atlas")
    stage.acts.note(ann)
    stage.acts.note(sibling)


def for_two_scopes(stage: Stage) -> None:
    """A memory is shared with two scopes at once."""
    ann = stage.node("ann1")
    stage.write(ann, stage.team, stage.project)


def taken_back_and_ahead(stage: Stage) -> None:
    """A memory is taken back and shared again by a clock that is ahead, before anybody heard."""
    ann, bea = stage.node("ann1"), stage.node("bea1")
    memory = stage.write(ann, stage.team)
    stage.sync(bea, ann)
    stage.revoke(ann, memory, stage.team)
    ann.skew = AHEAD_MS
    stage.share(ann, memory, stage.team)
    stage.sync(bea, ann)
