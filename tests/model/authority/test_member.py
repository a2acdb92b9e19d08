"""Members, removals, and what remains of what they wrote."""

from __future__ import annotations

from agent_memory_os.model import register as group
from agent_memory_os.model.authority import kept, write
from agent_memory_os.model.authority.member import NO_ADD, REMOVED
from tests.model.judging import AGENTS, PROJECT, PROJECT_SCOPE, TEAM, TEAM_SCOPE, Small

ANN, BOB = AGENTS["ann"], AGENTS["bob"]


def with_project() -> tuple[Small, str, str]:
    """Give a team and a project with bob in both, and the two adds."""
    small = Small()
    small.team()
    small.chart(group.PROJECT_NAME, {"name": "site"})
    add = small.member("add")
    return small, add, small.insider("add", under=add)


def test_members_come_and_go() -> None:
    """An add holds until a removal that it does not name, and a project's ends with the team's."""
    small, add, inside = with_project()
    view = small.view()
    assert view.members.members(TEAM_SCOPE) == view.members.members(PROJECT_SCOPE) == [BOB]
    assert view.scopes_of(BOB) == [TEAM_SCOPE, PROJECT_SCOPE, f"agent:{BOB}"]
    removal = small.member("remove")
    view = small.view()
    assert view.members.members(PROJECT_SCOPE) == []
    assert view.members.was_removed(TEAM_SCOPE, BOB)
    assert view.members.was_removed(PROJECT_SCOPE, BOB)
    small.member("add", sees=[removal])
    view = small.view()
    assert view.members.members(TEAM_SCOPE) == [BOB]
    assert not view.members.was_removed(TEAM_SCOPE, BOB)
    assert not view.members.is_member(PROJECT_SCOPE, BOB)
    assert view.members.unnamed(PROJECT_SCOPE, BOB, inside) == [small.registers[removal]]
    assert add != inside


def test_who_is_not_known_was_not_removed() -> None:
    """An add that is not here hides, and is no removal; a stranger's removal is none either."""
    small = Small()
    small.team()
    small.member("remove", by="bob")
    view = small.view()
    assert not view.members.was_removed(TEAM_SCOPE, BOB)
    assert view.members.known(TEAM_SCOPE) == [BOB]
    assert view.members.ever(TEAM_SCOPE) == []


def test_a_removal_leaves_what_its_list_has() -> None:
    """What is listed stays, what is dated back does not count, and a new add lifts nothing."""
    small, add, _ = with_project()
    said, grant = small.say("bob", "a", TEAM_SCOPE, add), small.grant("bob", TEAM_SCOPE, add)
    view = small.view()
    lists = tuple(write.frozen(view, TEAM, BOB))
    assert [entry.digest for entry in lists[0].entries] == sorted(
        [said, grant], key=lambda name: lists[0].entries[0].digest != name
    )
    removal = small.member("remove", lists=lists)
    back = small.say("bob", "b", TEAM_SCOPE, add, stamp=small.registers[said].stamp - 1)
    late = small.say("bob", "c", TEAM_SCOPE, add)
    view = small.view()
    reasons = [view.reason(name, TEAM_SCOPE) for name in (said, grant, back, late)]
    assert reasons == ["", "", REMOVED, REMOVED]
    again = small.member("add", sees=[removal])
    new = small.say("bob", "d", TEAM_SCOPE, again)
    view = small.view()
    assert [view.reason(name, TEAM_SCOPE) for name in (said, late, new)] == ["", REMOVED, ""]


def test_a_write_names_an_add_of_its_own_agent() -> None:
    """An add that is not there, of another agent, or on no add of the team, admits nothing."""
    small, add, inside = with_project()
    stray = small.insider("add", under="ab" * 32)
    names = [
        small.say("bob", "a", TEAM_SCOPE, "ab" * 32),
        small.say("ann", "b", TEAM_SCOPE, add),
        small.say("bob", "c", PROJECT_SCOPE, stray),
    ]
    good = small.say("bob", "d", PROJECT_SCOPE, inside)
    view = small.view()
    scopes = [TEAM_SCOPE, TEAM_SCOPE, PROJECT_SCOPE]
    assert [view.reason(*one) for one in zip(names, scopes, strict=True)] == [NO_ADD] * 3
    assert view.reason(good, PROJECT_SCOPE) == ""


def test_several_removals_admit_what_all_had_seen() -> None:
    """The highest stamp that every removal lists is the last that is admitted."""
    small, add, _ = with_project()
    names = [small.say("bob", text, TEAM_SCOPE, add) for text in "abc"]
    whole, part = small.keep(TEAM_SCOPE, *names), small.keep(TEAM_SCOPE, names[1])
    empty = small.keep(TEAM_SCOPE)

    def admitted(*lists: kept.Kept | None) -> list[bool]:
        found = [one and kept.Index(one) for one in lists]
        return [kept.admits(found, name, small.registers[name]) for name in names]

    assert admitted() == [True, True, True]
    assert admitted(whole) == [True, True, True]
    assert admitted(part) == [False, True, False]
    assert admitted(whole, part) == admitted(part, whole) == [True, True, False]
    assert admitted(whole, empty) == admitted(whole, None) == [False, False, False]


def test_a_project_hears_of_the_teams_removals() -> None:
    """A removal from the team has a list for the project, and what is on neither is void there."""
    small, _, inside = with_project()
    said = small.say("bob", "a", PROJECT_SCOPE, inside)
    lists = tuple(write.frozen(small.view(), TEAM, BOB))
    assert [one.scope for one in lists] == [TEAM_SCOPE, PROJECT_SCOPE]
    small.member("remove", lists=lists)
    late = small.say("bob", "b", PROJECT_SCOPE, inside)
    view = small.view()
    assert [view.reason(name, PROJECT_SCOPE) for name in (said, late)] == ["", REMOVED]
    assert write.frozen(view, PROJECT, BOB)[0].entries == lists[1].entries


def test_what_an_add_names() -> None:
    """All removals that are held, in a team and in a project."""
    small, _, _ = with_project()
    out, inner = small.member("remove"), small.insider("remove")
    view = small.view()
    assert write.sees(view, TEAM_SCOPE, BOB) == [out]
    assert write.sees(view, PROJECT_SCOPE, BOB) == [inner]
    assert write.sees(view, TEAM_SCOPE, ANN) == []
