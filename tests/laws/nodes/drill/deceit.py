"""Drills of who does what it must not: it writes where it may not, and says what is not so."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from agent_memory_os.federation.exchange import told
from agent_memory_os.federation.exchange.serve import Server
from tests.laws.nodes.drill.stage import Stage

NO_ADD = "ab" * 32


def planted(stage: Stage) -> None:
    """Somebody who was taken out writes into the team by an add that there never was."""
    ann, bea = stage.node("ann1"), stage.node("bea1")
    stage.remove(ann, stage.agent(bea), stage.team)
    stage.sync(bea, ann)
    stage.plant(bea, ann, stage.agent(bea), NO_ADD)


def in_the_name_of_others(stage: Stage) -> None:
    """A device writes into the team as another account's agent, and by that one's add."""
    ann, bea, sibling = (stage.node(name) for name in ("ann1", "bea1", "bea2"))
    agent = stage.agent(ann)
    (add,) = ann.view().members.adds(stage.team, agent)
    for other in (ann, sibling):
        stage.plant(bea, other, agent, add)


def liar(stage: Stage) -> None:
    """A peer says that it knows whatever it is asked about."""
    ann, bea, cleo = (stage.node(name) for name in ("ann1", "bea1", "cleo1"))
    team = stage.found("artemis")
    stage.let_in(stage.agent(cleo), team)
    stage.write(ann, team)
    stage.sync(cleo, ann)

    def known(server: Server, _: list[str]) -> Iterable[bytes]:
        holds = server.want.holds
        return [told.of_known(dict.fromkeys(holds.hashes, 1))] if holds else []

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Server, "_known", known)
        stage.sync(cleo, bea)
