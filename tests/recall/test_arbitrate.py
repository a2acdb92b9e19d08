"""What hits say about each other."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory_os.model.memory import Memory
from agent_memory_os.model.recall import Hit, RecallState, Supersession
from agent_memory_os.recall.arbitrate import arbitrate, with_mark
from tests.recall.sample import hit, memory, row_of, state


def judged(*hits: Hit, found: tuple[tuple[int, int, bool], ...] = ()) -> RecallState:
    """Return the state after arbitration; a supersession is newer, older, by the owner."""
    supersessions = [
        Supersession(memory(newer).id, memory(older).id, by_owner=own)
        for newer, older, own in found
    ]
    return arbitrate(state(hits=hits, supersessions=supersessions))


def rows(judgement: RecallState) -> list[int]:
    """Return the rows of the hits in order."""
    return [row_of(one.memory.id) for one in judgement.hits]


def marks(judgement: RecallState) -> dict[int, tuple[str, ...]]:
    """Return the marks of the hits by row."""
    return {row_of(one.memory.id): one.marks for one in judgement.hits}


def claiming(row: int, key: object, claim: object) -> Memory:
    """Return a memory whose source claims something."""
    return memory(row, source={"claim_key": key, "claim": claim})


def test_three_copies_leave_one() -> None:
    """Of identical memories the best stays, and the notes tell of the others."""
    judgement = judged(*(hit(memory(row, "Deploy on Tuesday."), 1 - row / 10) for row in (1, 2, 3)))
    assert rows(judgement) == [1]
    assert [note.split(" ")[0] for note in judgement.notes] == [memory(2).id, memory(3).id]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Use C++", "Use C#"),
        ("load > 5", "load < 5"),
        ("👍", "👎"),
        ("Use Go", "use go"),
        ("10²", "102"),
        ("Deploy.", "Deploy"),
    ],
)
def test_what_differs_is_kept_apart(one: str, other: str) -> None:
    """Texts that differ in any character that means something are two memories."""
    assert rows(judged(hit(memory(1, one)), hit(memory(2, other)))) == [1, 2]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Deploy  on\n\tTuesday.", " Deploy on Tuesday. "),
        (unicodedata.normalize("NFD", "café"), unicodedata.normalize("NFC", "café")),
    ],
)
def test_white_space_and_composition_make_no_difference(one: str, other: str) -> None:
    """Texts that read the same to the letter are one."""
    assert rows(judged(hit(memory(1, one)), hit(memory(2, other)))) == [1]


def test_a_private_copy_and_a_shared_one_are_two() -> None:
    """What one keeps private and another shares, in the same words, is kept apart."""
    mine = memory(1, "Tea.")
    theirs = memory(2, "Tea.", owner="agt_other", audience=["team:t"])
    assert rows(judged(hit(mine), hit(theirs))) == [1, 2]


def test_two_agents_private_copies_are_two() -> None:
    """The operator sees each agent's private copy."""
    judgement = judged(hit(memory(1, "Tea.")), hit(memory(2, "Tea.", owner="agt_other")))
    assert rows(judgement) == [1, 2]


def test_two_shared_copies_are_one() -> None:
    """Shared in different audiences, the same words are read once by who sees both."""
    one = memory(1, "Tea.", audience=["team:t"])
    other = memory(2, "Tea.", owner="agt_other", audience=["global"])
    assert rows(judged(hit(one), hit(other))) == [1]


def test_the_newer_stands_above_the_older() -> None:
    """What supersedes a hit is lifted to just above it, with that as a reason."""
    judgement = judged(
        hit(memory(1), 0.9),
        hit(memory(2), 0.8),
        hit(memory(3), 0.3),
        found=((3, 2, True),),
    )
    assert rows(judgement) == [1, 3, 2]
    assert marks(judgement) == {1: (), 3: ("supersedes",), 2: ("superseded",)}
    assert judgement.hits[1].score == 0.8
    assert judgement.hits[1].parts["supersedes"] == pytest.approx(0.5)
    assert judgement.notes == (f"{memory(3).id} supersedes {memory(2).id}.",)


def test_a_newer_one_that_already_stands_above_stays() -> None:
    """A newer memory that is the better hit gains nothing."""
    judgement = judged(hit(memory(1), 0.9), hit(memory(2), 0.8), found=((1, 2, True),))
    assert rows(judgement) == [1, 2]
    assert "supersedes" not in judgement.hits[0].parts


def test_a_chain_stands_newest_first() -> None:
    """Of memories that supersede each other in turn, the newest comes first."""
    judgement = judged(
        *(hit(memory(row), 1 - row / 10) for row in (1, 2, 3)),
        found=((2, 1, True), (3, 2, True)),
    )
    assert rows(judgement) == [3, 2, 1]


def test_several_newer_ones_keep_their_order() -> None:
    """Of two memories that supersede one, the better hit comes first."""
    judgement = judged(
        *(hit(memory(row), 1 - row / 10) for row in (1, 2, 3)),
        found=((3, 1, True), (2, 1, True)),
    )
    assert rows(judgement) == [2, 3, 1]


def test_a_circle_of_supersessions_ends() -> None:
    """Two memories that supersede each other both stay, once."""
    judgement = judged(hit(memory(1)), hit(memory(2)), found=((1, 2, True), (2, 1, True)))
    assert sorted(rows(judgement)) == [1, 2]


def test_a_proposal_marks_and_moves_nothing() -> None:
    """A supersession by anyone but the older one's owner is a mark on both, and no more."""
    judgement = judged(hit(memory(1), 0.9), hit(memory(2), 0.1), found=((2, 1, False),))
    assert rows(judgement) == [1, 2]
    assert marks(judgement) == {1: ("contested",), 2: ("proposal",)}
    assert judgement.notes == (f"{memory(2).id} is proposed to supersede {memory(1).id}.",)


def test_a_newer_one_that_was_not_found_is_not_named() -> None:
    """A superseded hit is marked though its successor is no hit, which no note mentions."""
    judgement = judged(hit(memory(1)), found=((9, 1, True), (1, 8, True)))
    assert marks(judgement) == {1: ("superseded", "supersedes")}
    assert judgement.notes == ()


def test_different_claims_about_one_thing_conflict() -> None:
    """Memories with one claim key and different claims are all marked, and the notes name them."""
    judgement = judged(
        hit(claiming(1, "port", 8443)),
        hit(claiming(2, "port", 9000)),
        hit(claiming(3, "host", "a")),
        hit(claiming(4, "host", "a")),
    )
    assert marks(judgement) == {1: ("conflict",), 2: ("conflict",), 3: (), 4: ()}
    assert judgement.notes == (
        f"{memory(1).id}, {memory(2).id} make different claims about 'port'.",
    )


@pytest.mark.parametrize("key", ["", 7, None])
def test_a_claim_needs_a_key(key: object) -> None:
    """Without a key that is text, claims are about nothing in common."""
    judgement = judged(hit(claiming(1, key, "a")), hit(claiming(2, key, "b")))
    assert marks(judgement) == {1: (), 2: ()}


def test_a_key_without_a_claim_says_nothing() -> None:
    """A memory that names a question and gives no answer conflicts with none."""
    silent = memory(1, source={"claim_key": "port"})
    assert marks(judged(hit(silent), hit(claiming(2, "port", 1)))) == {1: (), 2: ()}


def test_what_is_superseded_contradicts_nothing() -> None:
    """An older memory and the one that its owner put in its place are no conflict."""
    judgement = judged(
        hit(claiming(1, "port", 1)), hit(claiming(2, "port", 2)), found=((1, 2, True),)
    )
    assert marks(judgement) == {1: ("supersedes",), 2: ("superseded",)}


def test_the_limit_cuts_last() -> None:
    """Duplicates make room for others before the hits are cut."""
    same = [hit(memory(row, "Tea.")) for row in (1, 2, 3)]
    judgement = arbitrate(state(hits=[*same, hit(memory(4)), hit(memory(5))], limit=2))
    assert rows(judgement) == [1, 4]


def test_a_mark_comes_once() -> None:
    """A mark that is there is not added again."""
    one = hit(memory(1), 0.5, "conflict")
    assert with_mark(one, "conflict") is one


ROWS = st.integers(min_value=1, max_value=5)


@given(
    count=st.integers(min_value=0, max_value=5),
    found=st.lists(st.tuples(ROWS, ROWS, st.booleans()), max_size=8),
)
def test_arbitration_only_reorders(count: int, found: list[tuple[int, int, bool]]) -> None:
    """Distinct memories all stay, scores never rise, and without a circle no older one leads."""
    hits = [hit(memory(row), 1 - row / 10) for row in range(1, count + 1)]
    judgement = judged(*hits, found=tuple(found))
    assert sorted(rows(judgement)) == [row_of(one.memory.id) for one in hits]
    reached = [one.score for one in judgement.hits]
    assert reached == sorted(reached, reverse=True)
    own = [(newer, older) for newer, older, by_owner in found if by_owner]
    if all(newer > older for newer, older in own):
        places = {row: place for place, row in enumerate(rows(judgement))}
        held = [(newer, older) for newer, older in own if newer in places and older in places]
        assert all(places[newer] < places[older] for newer, older in held)


@given(count=st.integers(min_value=0, max_value=5), found=st.lists(st.tuples(ROWS, ROWS)))
def test_proposals_never_reorder(count: int, found: list[tuple[int, int]]) -> None:
    """Whatever others propose, the order of the hits is that of the ranking."""
    hits = [hit(memory(row), 1 - row / 10) for row in range(1, count + 1)]
    proposals = tuple((newer, older, False) for newer, older in found)
    assert rows(judged(*hits, found=proposals)) == [row_of(one.memory.id) for one in hits]
