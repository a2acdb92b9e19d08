"""Five nodes over ways that lose, delay, break off, listen in, keep back and say all again."""

from __future__ import annotations

from collections.abc import Iterator
from random import SystemRandom

import pytest

from tests.acceptance.between.five import Five
from tests.acceptance.between.found import kept, leaked, misled, readable, unlike
from tests.acceptance.between.machine import Here
from tests.acceptance.between.replay import Replayer
from tests.acceptance.between.run import healed, problems
from tests.laws.removed.parts import switch_off

SEED = 1


@pytest.fixture(scope="module")
def five() -> Iterator[Five]:
    """Give five machines after all that happened to them was healed."""
    with healed(SEED, 30, Here) as found:
        yield found


@pytest.fixture(scope="module")
def between(five: Five) -> Iterator[Replayer]:
    """Give somebody who stands between all of them and kept what was said."""
    found = Replayer(five)
    yield found
    found.close()


def test_all_agree_once_it_is_healed(five: Five) -> None:
    """Everybody reads what was written for them, and nothing that was taken back or forgotten."""
    assert list(unlike(five)) == []


def test_nobody_holds_what_was_not_for_them(five: Five) -> None:
    """No word, tag or id of others lies in any file of a machine, its log included."""
    assert list(leaked(five)) == []


def test_nobody_keeps_what_was_taken_back(five: Five) -> None:
    """What was revoked or forgotten, or came by what somebody is out of, is in no row any more."""
    assert list(kept(five)) == []


def test_whoever_listens_reads_nothing(five: Five) -> None:
    """In no encoding does a word, tag, name, id or code stand in what went over a way."""
    assert readable(five) == set()


def test_nobody_is_sent_what_is_not_for_them(five: Five) -> None:
    """Opened as its recipient opens it, no bundle has a word that was not written for that one."""
    assert list(misled(five)) == []


def test_what_is_asked_again_changes_nothing(between: Replayer) -> None:
    """At every node, at once and later, as it was and changed, it is refused as it must be."""
    before = between.digests()
    assert list(between.replays()) == []
    assert between.digests() == before
    assert between.sent > 300


def test_what_is_answered_again_is_not_believed(between: Replayer) -> None:
    """An answer that was given before, here or elsewhere, is none to another question."""
    before = between.digests()
    assert list(between.answers()) == []
    assert between.digests() == before


def test_nobody_is_talked_into_speaking_openly(between: Replayer) -> None:
    """No peer and nobody between gets a node to take what is open, unsigned, or older."""
    before = between.digests()
    assert list(between.downgrades()) == []
    assert between.digests() == before


def test_what_was_kept_back_is_taken_once(between: Replayer) -> None:
    """Whoever keeps a request back can do no more than hand it in later, to whom it was for."""
    assert list(between.kept_back()) == []


@pytest.mark.soak
@pytest.mark.parametrize("part", ["purge", "told"])
def test_each_part_is_needed(part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a node drops nothing, or is not told that it is out, that is found."""
    switch_off(part, monkeypatch)
    assert problems(SEED, 30, Here)


@pytest.mark.soak
def test_real_processes_agree_and_leak_nothing() -> None:
    """So it is through the command line and servers of processes of their own, by drawn seeds."""
    first = SystemRandom().randrange(10**6)
    seeds = range(first, first + 5)
    assert {seed: found for seed in seeds if (found := problems(seed, 60))} == {}
