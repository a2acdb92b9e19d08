"""What a set of registers means: membership and life, in any order of arrival."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agent_memory_os.model.view import (
    ADD,
    REMOVE,
    Entry,
    is_alive,
    next_length,
    standing_adds,
    standing_project_adds,
)

NAMES = [f"r{number}" for number in range(4)]
REMOVALS = [Entry(name, REMOVE) for name in NAMES]


@st.composite
def entries(draw: st.DrawFn) -> list[Entry]:
    """Draw entries on one member: adds that name some removals, removals, strangers' writes."""
    adds = [
        Entry(
            f"a{number}",
            ADD,
            frozenset(draw(st.sets(st.sampled_from(NAMES)))),
            draw(st.sampled_from(["", "t0", "t1"])),
            draw(st.booleans()),
        )
        for number in range(draw(st.integers(0, 4)))
    ]
    removals = [
        Entry(name, REMOVE, by_admin=draw(st.booleans()))
        for name in draw(st.sets(st.sampled_from(NAMES)))
    ]
    return draw(st.permutations([*adds, *removals]))


def test_an_add_holds_until_it_is_removed() -> None:
    """An add alone holds, and a removal that it does not name ends it."""
    add = Entry("a", ADD)
    assert standing_adds([]) == frozenset()
    assert standing_adds([add]) == {"a"}
    assert standing_adds([add, REMOVALS[0]]) == frozenset()


def test_a_concurrent_removal_wins() -> None:
    """An add that names one removal does not hold beside another that it had not seen."""
    again = Entry("a", ADD, frozenset({"r0"}))
    assert standing_adds([REMOVALS[0], again]) == {"a"}
    assert standing_adds([REMOVALS[0], again, REMOVALS[1]]) == frozenset()


def test_adding_again_must_name_the_removal() -> None:
    """A new add that names no removal does not bring a removed member back."""
    assert standing_adds([Entry("a", ADD), REMOVALS[0], Entry("b", ADD)]) == frozenset()
    assert standing_adds([Entry("a", ADD), REMOVALS[0], Entry("b", ADD, frozenset({"r0"}))]) == {
        "b"
    }


def test_an_add_may_name_a_removal_that_is_not_here_yet() -> None:
    """An add holds before the removal that it names has arrived, and after."""
    add = Entry("a", ADD, frozenset({"r0"}))
    assert standing_adds([add]) == standing_adds([add, REMOVALS[0]]) == {"a"}


def test_who_is_no_admin_adds_and_removes_nobody() -> None:
    """The add of a stranger does not hold, and its removal ends nothing."""
    stranger = Entry("s", ADD, by_admin=False)
    assert standing_adds([stranger]) == frozenset()
    assert standing_adds([Entry("a", ADD), Entry("r", REMOVE, by_admin=False)]) == {"a"}


@given(entries(), st.randoms(use_true_random=False))
def test_the_order_of_arrival_changes_nothing(found: list[Entry], chance: object) -> None:
    """Entries give the same members in any order, and when some come twice."""
    shuffled = [*found, *found[:2]]
    chance.shuffle(shuffled)  # type: ignore[attr-defined]
    assert standing_adds(shuffled) == standing_adds(found)
    teams = frozenset({"t0"})
    assert standing_project_adds(shuffled, teams) == standing_project_adds(found, teams)


@given(entries(), st.sampled_from(REMOVALS))
def test_a_removal_never_makes_a_member(found: list[Entry], removal: Entry) -> None:
    """One more removal only ever ends adds."""
    kept = [entry for entry in found if entry.digest != removal.digest]
    assert standing_adds([*kept, removal]) <= standing_adds(kept)


@given(entries())
def test_an_add_that_names_every_removal_holds(found: list[Entry]) -> None:
    """Whatever happened, an admin that has seen all removals can add the member again."""
    seen = frozenset(entry.digest for entry in found if entry.act == REMOVE)
    assert "new" in standing_adds([*found, Entry("new", ADD, seen)])


@given(entries(), st.frozensets(st.sampled_from(["", "t0", "t1"])))
def test_a_projects_add_ends_with_its_teams(found: list[Entry], teams: frozenset[str]) -> None:
    """An add to a project holds exactly if it holds by itself and its team's add holds."""
    by_digest = {entry.digest: entry for entry in found}
    expected = {name for name in standing_adds(found) if by_digest[name].under in teams}
    assert standing_project_adds(iter(found), teams) == expected


def test_life_is_the_same_in_any_order_of_arrival() -> None:
    """A tombstone ends its life and all before it; later content implies its own life."""
    assert is_alive(1, 0)
    assert is_alive(1, 1)
    assert not is_alive(1, 2)
    assert not is_alive(1, 3)
    assert is_alive(3, 2)
    assert is_alive(3, 3)
    assert not is_alive(3, 4)


@given(st.lists(st.booleans(), max_size=8))
def test_lives_alternate(acts: list[bool]) -> None:
    """Forgetting and bringing back in any order: the length tells the last act, and never sinks."""
    length, alive = 1, True
    for on in acts:
        following = next_length(length, on=on)
        assert following - length == (1 if on != alive else 0)
        length, alive = following, on
        content_life = length if length % 2 == 1 else length - 1
        assert is_alive(content_life, length) == alive


@given(st.integers(0, 5).map(lambda n: 2 * n + 1), st.integers(0, 12), st.integers(0, 12))
def test_a_tombstone_beats_content_of_its_life(life: int, tombstone: int, later: int) -> None:
    """Content of a life that was ended is shown by no later ending, whatever the clocks say."""
    ended = 2 * tombstone
    if life <= ended:
        assert not is_alive(life, max(ended, later))
