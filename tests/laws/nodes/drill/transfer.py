"""Drills of what is carried: how far it was taken in, what waits, and what goes again."""

from __future__ import annotations

from tests.laws.nodes.drill.stage import AHEAD_MS, LOST, Stage


def lost_on_the_way(stage: Stage) -> None:
    """What was left for a peer gets lost, and what was left after it arrives."""
    ann, bea = stage.node("ann1"), stage.node("bea1")
    stage.write(ann, stage.team)
    stage.sync(ann, bea, LOST, by_post=True)
    stage.write(ann, stage.team)
    stage.sync(ann, bea, by_post=True)
    stage.sync(bea, ann, by_post=True)


def ahead(stage: Stage) -> None:
    """Somebody shares by a clock that is ahead of another's."""
    ann, bea = stage.node("ann1"), stage.node("bea1")
    ann.skew = AHEAD_MS
    stage.write(ann, stage.team)
    stage.sync(bea, ann)


def numbers_again(stage: Stage) -> None:
    """A restored device gives out numbers again that a peer is past."""
    ann, bea = stage.node("ann1"), stage.node("bea1")
    memory = stage.write(ann, stage.team)
    ann.back_up()
    for _ in range(9):
        stage.edit(ann, memory)
    stage.sync(bea, ann)
    ann.restore(ann.backups[0], is_lost=True)
    stage.write(ann, stage.team)


def shared_again(stage: Stage) -> None:
    """One device edits, another takes back and shares again, and breaks when it has said so."""
    ann, sibling, bea = (stage.node(name) for name in ("ann1", "ann2", "bea1"))
    memory = stage.write(ann, stage.team)
    stage.sync(ann, sibling)
    stage.edit(ann, memory)
    stage.sync(bea, ann)
    stage.revoke(sibling, memory, stage.team)
    stage.sync(bea, sibling)
    stage.share(sibling, memory, stage.team)
    stage.sync(ann, sibling)
    stage.breaks(sibling)


def link_before_its_end(stage: Stage) -> None:
    """A link comes before one of its ends, and others ask in between."""
    ann, cleo, other = (stage.node(name) for name in ("ann1", "cleo1", "cleo2"))
    one, end = stage.write(ann, stage.team), stage.write(ann, stage.team)
    stage.link(ann, one, end)
    stage.write(ann, stage.team)
    stage.edit(ann, end)
    for _ in stage.drip(ann, cleo):
        stage.sync(other, cleo)
    stage.breaks(ann)
