"""Drills of who comes in and goes out, and of what is kept and dropped by it."""

from __future__ import annotations

from tests.laws.nodes.drill.stage import AHEAD_MS, Stage


def withheld(stage: Stage) -> None:
    """What somebody was sent is taken back after a ceiling came between."""
    ann, bea = stage.node("ann1"), stage.node("bea1")
    memory = stage.write(ann, stage.team)
    stage.sync(bea, ann)
    stage.limit(ann, bea, stage.project)
    stage.revoke(ann, memory, stage.team)


def out(stage: Stage) -> None:
    """Somebody is taken out of a team."""
    ann, bea = stage.node("ann1"), stage.node("bea1")
    stage.write(ann, stage.team)
    stage.sync(bea, ann)
    stage.remove(ann, stage.agent(bea), stage.team)


def out_and_in(stage: Stage) -> None:
    """Somebody is taken out of a team, hears of it, and is let in again."""
    out(stage)
    ann, bea = stage.node("ann1"), stage.node("bea1")
    stage.sync(bea, ann)
    stage.let_in(stage.agent(bea), stage.team)


def edits_on(stage: Stage) -> None:
    """Somebody is taken out of a team, and edits there before it hears of it."""
    ann, bea = stage.node("ann1"), stage.node("bea1")
    memory = stage.write(bea, stage.team)
    stage.sync(bea, ann)
    stage.remove(ann, stage.agent(bea), stage.team)
    stage.edit(bea, memory)


def waiting(stage: Stage) -> None:
    """Somebody is let in by a clock that is ahead, and served before that is due, and not after."""
    ann, bea = stage.node("ann1"), stage.node("bea1")
    team = stage.found("artemis")
    stage.write(ann, team)
    ann.skew = AHEAD_MS
    stage.let_in(stage.agent(bea), team)
    stage.sync(bea, ann)
    stage.limit(ann, bea, stage.project)


def out_above(stage: Stage) -> None:
    """One device lets somebody into a new project, another takes it out of the team above."""
    ann, sibling, bea = (stage.node(name) for name in ("ann1", "ann2", "bea1"))
    other = bea.agents()[1]
    stage.let_in(other, stage.team)
    stage.sync(ann, sibling)
    project = stage.found_below("stand")
    stage.let_in(other, project)
    stage.let_in(stage.agent(ann), project)
    stage.write(ann, project)
    stage.remove(sibling, other, stage.team)


def edit_unseen(stage: Stage) -> None:
    """Somebody edits twice, and is taken out by who has not seen the second edit; others have."""
    ann, bea, cleo = (stage.node(name) for name in ("ann1", "bea1", "cleo1"))
    memory = stage.write(bea, stage.team)
    stage.sync(bea, ann)
    stage.edit(bea, memory)
    stage.sync(bea, cleo)
    stage.remove(ann, stage.agent(bea), stage.team)


def two_removals(stage: Stage) -> None:
    """Two devices take somebody out, and the second has seen what was edited in between."""
    ann, sibling, bea = (stage.node(name) for name in ("ann1", "ann2", "bea1"))
    memory = stage.write(bea, stage.team)
    stage.meet(bea, ann, sibling)
    stage.remove(ann, stage.agent(bea), stage.team)
    stage.edit(bea, memory)
    stage.sync(bea, sibling)
    stage.remove(sibling, stage.agent(bea), stage.team)


def removed_beside(stage: Stage) -> None:
    """One device takes somebody out and lets it in again, beside another that takes it out."""
    ann, sibling, bea = (stage.node(name) for name in ("ann1", "ann2", "bea1"))
    stage.remove(sibling, stage.agent(bea), stage.team)
    stage.pass_by(1)
    stage.remove(ann, stage.agent(bea), stage.team)
    stage.let_in(stage.agent(bea), stage.team)


def left(stage: Stage) -> None:
    """Somebody is taken out of a team, and edits what is shared with others besides."""
    ann, bea, cleo = (stage.node(name) for name in ("ann1", "bea1", "cleo1"))
    memory = stage.write(bea, stage.team, f"agent:{stage.agent(ann)}")
    stage.meet(bea, ann, cleo)
    stage.remove(ann, stage.agent(bea), stage.team)
    stage.sync(bea, ann)
    stage.edit(bea, memory)


def restored_in_charge(stage: Stage) -> None:
    """Who is in charge of a team, and not in it, is restored to before it let somebody in."""
    ann, bea = stage.node("ann1"), stage.node("bea1")
    team = stage.found("artemis")
    stage.remove(ann, stage.agent(ann), team)
    stage.let_in(bea.agents()[0], team)
    ann.back_up()
    stage.let_in(bea.agents()[1], team)
    stage.sync(bea, ann)
    ann.restore(ann.backups[0], is_lost=True)
