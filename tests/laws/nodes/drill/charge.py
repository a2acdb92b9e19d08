"""Drills of who is in charge of a team, and of a device that was stolen."""

from __future__ import annotations

from contextlib import suppress

from agent_memory_os.errors import NotAllowed
from tests.laws.nodes.drill.stage import Stage


def handed_over(stage: Stage) -> None:
    """One device hands a team over, and another that has not heard of it lets somebody in."""
    ann, sibling, bea = (stage.node(name) for name in ("ann1", "ann2", "bea1"))
    stage.hand_over(ann, bea, stage.team)
    sibling.node.organisation.join(bea.agents()[1], stage.team)
    stage.acts.note(sibling)


def away(stage: Stage) -> None:
    """Somebody is taken out of a team, which is handed over before it hears of that."""
    ann, bea, cleo = (stage.node(name) for name in ("ann1", "bea1", "cleo1"))
    stage.write(ann, stage.team)
    stage.sync(bea, ann)
    stage.remove(ann, stage.agent(bea), stage.team)
    stage.hand_over(ann, cleo, stage.team)


def taken_back(stage: Stage) -> None:
    """A team is handed over, and taken back by its founder, who lets somebody in."""
    ann, bea = stage.node("ann1"), stage.node("bea1")
    stage.hand_over(ann, bea, stage.team)
    stage.sync(bea, ann)
    bea.node.organisation.leave(stage.agent(ann), stage.team)
    stage.acts.note(bea)
    stage.sync(bea, ann)
    stage.take_back(ann, stage.team)
    # Where a team cannot be taken back, the founder is refused.
    with suppress(NotAllowed):
        stage.let_in(stage.agent(ann), stage.team)


def stolen(stage: Stage) -> None:
    """A device is revoked, and somebody has what it wrote that nobody of its account had seen."""
    ann, sibling, bea = (stage.node(name) for name in ("ann1", "ann2", "bea1"))
    stage.write(sibling, stage.team)
    stage.sync(sibling, ann)
    stage.write(sibling, stage.team)
    stage.sync(sibling, bea)
    ann.node.peers.revoke_device(sibling.device.id)
    stage.acts.note(ann)
    stage.breaks(sibling)
