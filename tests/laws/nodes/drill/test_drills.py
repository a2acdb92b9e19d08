"""Each rule of the nodes on real stores is needed: without it a drill fails that holds with it."""

from __future__ import annotations

from functools import cache

import pytest

from tests.laws.nodes.drill.every import DRILLS, play, play_amid
from tests.laws.nodes.rules import RULES

WITNESS = {
    "ever audience": "withheld",
    "asks": "withheld",
    "asks who may know": "liar",
    "told": "out",
    "names an add": "planted",
    "whole record": "shared again",
    "cursor with chunk": "lost on the way",
    "parked": "ahead",
    "awaited": "taken back and ahead",
    "new index": "numbers again",
    "new number": "link before its end",
    "asked anew": "out and in",
    "unknown hides": "waiting",
    "freeze lists": "edits on",
    "add names removals": "removed beside",
    "lowest of highest": "two removals",
    "pinned versions": "edit unseen",
    "version for each add": "for two scopes",
    "names its scopes": "left",
    "agent of account": "in the name of others",
    "causal length": "forget and edit",
    "stamp after seen": "slow clock",
    "signed again": "edit and share",
    "charge": "restored in charge",
    "under the team": "out above",
    "device list": "stolen",
    "hand-over list": "handed over",
    "unlisted takes away": "away",
    "recovery": "taken back",
}
"""For each rule a drill that fails without it."""

NOT_HERE = {
    "log by digest": "no number comes again: a restored log goes on from the time",
}
"""The rules that nothing needs which happens on real stores, and why."""


@cache
def problems(name: str) -> list[str]:
    """Return what fails in a drill with all rules on."""
    return play(name).problems


@pytest.mark.parametrize("name", DRILLS)
def test_with_all_rules_no_drill_fails(name: str) -> None:
    """With all rules on, all agree after each drill, and what was taken back is gone."""
    assert problems(name) == []


@pytest.mark.parametrize("rule", WITNESS)
def test_each_rule_is_needed(rule: str) -> None:
    """With one rule off, a drill fails that holds with all rules on."""
    assert play(WITNESS[rule], rule).problems
    assert not problems(WITNESS[rule])


def test_each_rule_has_a_witness() -> None:
    """No rule is left out, and no drill is without use."""
    assert {*WITNESS, *NOT_HERE} == set(RULES)
    assert set(WITNESS.values()) == set(DRILLS)


@pytest.mark.soak
@pytest.mark.parametrize("first", range(0, 100, 10))
@pytest.mark.parametrize("name", [name for name, drill in DRILLS.items() if not drill.is_alone])
def test_no_drill_fails_amid_other_events(name: str, first: int) -> None:
    """With all rules on, none fails with acts and faults of all kinds before and after."""
    seeds = range(first, first + 10)
    assert {s: found for s in seeds if (found := play_amid(name, s, 4).problems)} == {}
