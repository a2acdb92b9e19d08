"""What writes much does a little in each transaction, and all of it in the end."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from agent_memory_os.store.database import Transaction
from agent_memory_os.store.upkeep import turn
from tests.store.sample import Fleet


@pytest.mark.parametrize(("seconds", "turns"), [(0.0, 7), (60.0, 1)])
def test_each_item_is_done_once_in_order(
    fleet: Fleet, monkeypatch: pytest.MonkeyPatch, seconds: float, turns: int
) -> None:
    """A turn takes up items until its time is over, at least one, and the next one goes on."""
    monkeypatch.setattr(turn, "HELD_SECONDS", seconds)
    done: list[int] = []
    began = []

    def act(transaction: Transaction, items: Iterator[int]) -> None:
        began.append(transaction)
        done.extend(items)

    turn.in_turns(fleet.database, range(7), act)
    assert done == [*range(7)]
    assert len(began) == turns


def test_an_error_undoes_its_own_turn(fleet: Fleet, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was done in earlier turns stays, and what comes later is not begun."""
    monkeypatch.setattr(turn, "HELD_SECONDS", 0.0)

    def act(transaction: Transaction, items: Iterator[int]) -> None:
        for item in items:
            transaction.execute("UPDATE node SET unswept = ?", (item,))
            if item == 3:
                raise ValueError(item)

    with pytest.raises(ValueError, match="3"):
        turn.in_turns(fleet.database, range(7), act)
    assert fleet.ask("SELECT unswept FROM node") == [(2,)]


def test_nothing_to_do_takes_no_turn(fleet: Fleet) -> None:
    """Where there is nothing to do nobody is waited for."""

    def act(_transaction: Transaction, _items: Iterator[int]) -> None:
        raise AssertionError

    turn.in_turns(fleet.database, [], act)
