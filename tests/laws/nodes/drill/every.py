"""Every drill, by its name, and how one is played."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from agent_memory_os.value import NamedTuple
from tests.laws.nodes.drill import charge, crossing, deceit, removal, transfer
from tests.laws.nodes.drill.stage import Stage
from tests.laws.nodes.run import Result, opened

TWO = {"ann": 1, "bea": 1}
SIBLINGS = {"ann": 2, "bea": 1}
THREE = {"ann": 1, "bea": 1, "cleo": 1}
ALL = {"ann": 2, "bea": 1, "cleo": 1}


class Drill(NamedTuple):
    """A course of events, and how many devices each account has.

    ``is_alone``: it leaves behind what no other events are judged with, as a device that broke, a
    ceiling or a device that was restored.
    """

    course: Callable[[Stage], None]
    sizes: dict[str, int]
    is_alone: bool = False


DRILLS = {
    "lost on the way": Drill(transfer.lost_on_the_way, TWO, is_alone=True),
    "ahead": Drill(transfer.ahead, TWO),
    "numbers again": Drill(transfer.numbers_again, TWO, is_alone=True),
    "shared again": Drill(transfer.shared_again, SIBLINGS, is_alone=True),
    "link before its end": Drill(
        transfer.link_before_its_end, {"ann": 1, "cleo": 2}, is_alone=True
    ),
    "withheld": Drill(removal.withheld, TWO, is_alone=True),
    "out": Drill(removal.out, TWO),
    "out and in": Drill(removal.out_and_in, TWO),
    "edits on": Drill(removal.edits_on, TWO),
    "waiting": Drill(removal.waiting, TWO, is_alone=True),
    "out above": Drill(removal.out_above, SIBLINGS),
    "edit unseen": Drill(removal.edit_unseen, THREE),
    "two removals": Drill(removal.two_removals, SIBLINGS),
    "removed beside": Drill(removal.removed_beside, SIBLINGS),
    "left": Drill(removal.left, THREE),
    "restored in charge": Drill(removal.restored_in_charge, TWO, is_alone=True),
    "handed over": Drill(charge.handed_over, SIBLINGS),
    "away": Drill(charge.away, THREE),
    "taken back": Drill(charge.taken_back, TWO),
    "stolen": Drill(charge.stolen, SIBLINGS, is_alone=True),
    "planted": Drill(deceit.planted, TWO, is_alone=True),
    "in the name of others": Drill(
        deceit.in_the_name_of_others, {"ann": 1, "bea": 2}, is_alone=True
    ),
    "liar": Drill(deceit.liar, THREE, is_alone=True),
    "edit and share": Drill(crossing.edit_and_share, SIBLINGS),
    "forget and edit": Drill(crossing.forget_and_edit, SIBLINGS),
    "slow clock": Drill(crossing.slow_clock, SIBLINGS),
    "for two scopes": Drill(crossing.for_two_scopes, TWO),
    "taken back and ahead": Drill(crossing.taken_back_and_ahead, TWO),
}


def play(name: str, off: str = "") -> Result:
    """Play a drill, with all rules on or with one off."""
    drill = DRILLS[name]
    with opened(0, drill.sizes, off, is_small=False, mends=False) as nodes:
        nodes.pair()
        drill.course(Stage(nodes))
        nodes.heal()
        nodes.judge()
        return Result(nodes.problems, nodes.figures)


def play_amid(name: str, seed: int, steps: int) -> Result:
    """Play a drill amid what else happens from a seed, before it and after."""
    chance = Random(f"amid {seed}")
    is_small, mends = chance.random() < 0.7, chance.random() >= 0.5
    with opened(seed, ALL, "", is_small=is_small, mends=mends) as nodes:
        nodes.begin()
        for _ in range(steps):
            nodes.step()
        DRILLS[name].course(Stage(nodes))
        for _ in range(steps):
            nodes.step()
        nodes.heal()
        nodes.judge()
        return Result(nodes.problems, nodes.figures)
