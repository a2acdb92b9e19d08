"""Who is in charge of a team, and what remains after a hand-over and a recovery."""

from __future__ import annotations

from agent_memory_os.model import register as group
from agent_memory_os.model.authority import write
from agent_memory_os.model.authority.team import HANDED_OVER, NOT_ADMIN, NOT_CHOSEN
from agent_memory_os.model.identifier import team_id
from tests.model.judging import ACCOUNTS, AGENTS, PROJECT, PROJECT_SCOPE, TEAM, TEAM_SCOPE, Small

ANN, BOB = ACCOUNTS["ann"], ACCOUNTS["bob"]


def handed_over(small: Small, *kept: str, step: str = "", by: str = "ann", to: str = BOB) -> str:
    """Hand the team over, with a list of what remains of the team."""
    value = {"to": to, "by": "admin", "turn": 0}
    lists = (small.keep(TEAM_SCOPE, *kept), small.keep(PROJECT_SCOPE))
    return small.chart(group.TEAM_ADMIN, value, by=by, step=step, lists=lists)


def recovered(small: Small, turn: int, *kept: str) -> str:
    """Take the team back, with a list of what remains of it."""
    value = {"to": ANN, "by": "recovery", "turn": turn}
    return small.chart(group.TEAM_ADMIN, value, lists=(small.keep(TEAM_SCOPE, *kept),))


def test_the_founder_is_in_charge() -> None:
    """A stranger's register of a team does not count, and of an unknown team nothing does."""
    small = Small()
    team, forged = small.team(), small.chart(group.TEAM_NAME, {"name": "x"}, by="bob")
    view = small.view()
    assert view.teams.admin(TEAM) == ANN
    assert view.teams.in_charge(TEAM) == ""
    assert (view.reason(team), view.reason(forged)) == ("", NOT_ADMIN)
    assert view.teams.admin("team_" + "a" * 32) == ""
    assert view.teams.in_charge("team_" + "a" * 32) == ""


def test_a_project_of_a_team_that_is_not_here_is_nobodys() -> None:
    """Without a register of the team, nobody is known to be in charge of its project."""
    small = Small()
    project = small.chart(group.PROJECT_NAME, {"name": "site"})
    assert small.view().reason(project) == NOT_ADMIN
    small.team()
    assert small.view().reason(project) == ""


def test_a_hand_over_leaves_what_its_list_has() -> None:
    """The old admin's registers count if they are listed, and the new one's if they name it."""
    small = Small()
    team, add = small.team(), small.member("add")
    step = handed_over(small, team)
    late, new = small.member("add"), small.member("add", by="bob", step=step)
    forged = small.member("add", step=step)
    view = small.view()
    assert view.teams.admin(TEAM) == BOB
    assert view.teams.admins(TEAM) == {ANN, BOB}
    assert [view.reason(name) for name in (team, add, late)] == ["", HANDED_OVER, HANDED_OVER]
    assert (view.reason(new), view.reason(forged)) == ("", NOT_ADMIN)


def test_of_two_hand_overs_the_earlier_counts() -> None:
    """The one with the lower stamp is in the line, in whatever order they came."""
    small = Small()
    small.team()
    one, two = handed_over(small), handed_over(small, to=ANN)
    view = small.view()
    assert [step.name for step in view.teams.line(TEAM)] == ["", one]
    assert (view.reason(one), view.reason(two)) == ("", NOT_CHOSEN)


def test_the_recovery_key_takes_a_team_back() -> None:
    """The highest turn begins the line anew, and only what it lists remains of before."""
    small = Small()
    team = small.team()
    step = handed_over(small, team)
    new = small.member("add", by="bob", step=step)
    late = small.member("remove", by="bob", step=step)
    recovered(small, 1)
    back = recovered(small, 2, team, new)
    mine = small.member("add", "ann", step=back)
    view = small.view()
    assert (view.teams.admin(TEAM), view.teams.turn(TEAM)) == (ANN, 2)
    assert [view.reason(name) for name in (team, new, mine)] == ["", "", ""]
    assert view.reason(late) == HANDED_OVER
    assert view.members.members(TEAM_SCOPE) == sorted([AGENTS["ann"], AGENTS["bob"]])


def test_only_the_founders_recovery_key_counts() -> None:
    """A recovery by another account is none."""
    small = Small()
    small.team()
    value = {"to": BOB, "by": "recovery", "turn": 9, "lists": []}
    forged = small.chart(group.TEAM_ADMIN, value, by="bob")
    view = small.view()
    assert view.teams.admin(TEAM) == ANN
    assert view.reason(forged) == NOT_CHOSEN
    assert not view.teams.may_have_been(small.registers[forged])


def test_who_may_have_been_in_charge_follows_the_steps() -> None:
    """A line of steps back to the founder or its recovery key may have been, and nothing else."""
    small = Small()
    small.team()
    step, other = handed_over(small), handed_over(small, to=ANN)
    seized = small.chart(
        group.TEAM_ADMIN, {"to": BOB, "by": "admin", "turn": 0, "lists": []}, by="bob"
    )
    back = recovered(small, 1)
    view = small.view()

    def may(by: str, step: str) -> bool:
        name = small.member("remove", by=by, step=step)
        return view.teams.may_have_been(small.registers[name])

    assert [may("ann", ""), may("bob", step), may("ann", other), may("ann", back)] == [True] * 4
    assert [may("bob", ""), may("ann", step), may("bob", seized), may("bob", "ab" * 32)] == [
        False
    ] * 4


def test_the_steps_of_another_team_put_nobody_in_charge() -> None:
    """Who hands a team of its own over to itself has no say, and no agent in, in any other."""
    small = Small(("ann", "bob", "eve"))
    small.team()
    proof = (ACCOUNTS["eve"], "ef" * 16)
    own = team_id(*proof)
    value = {"to": ACCOUNTS["eve"], "by": "admin", "turn": 0, "lists": []}
    steps = [
        small.put("eve", own, group.TEAM_ADMIN, value, proof),
        small.put("eve", own, group.TEAM_NAME, {"name": "x", "to": ACCOUNTS["eve"]}, proof),
    ]
    recovered(small, 1)
    small.lists.clear()
    forged = [
        small.member(act, "eve", by="eve", step=step) for step in steps for act in ("add", "remove")
    ]
    view = small.view()
    assert [view.reason(name) for name in forged] == [NOT_ADMIN] * 4
    assert view.members.ever(TEAM_SCOPE) == []
    assert view.members.entries(TEAM_SCOPE, AGENTS["eve"]) == []


def test_a_line_of_any_length_is_followed() -> None:
    """Somebody who hands a team over to itself again and again stops nobody who judges it."""
    small = Small()
    small.team()
    value = {"to": ANN, "by": "admin", "turn": 0, "lists": []}
    step = ""
    for _ in range(2000):
        step = small.chart(group.TEAM_ADMIN, value, step=step)
    last = small.member("add", step=step)
    view = small.view()
    assert view.teams.in_charge(TEAM) == step
    assert view.reason(last) == ""
    assert view.members.ever(TEAM_SCOPE) == [AGENTS["bob"]]


def test_a_project_that_nobody_in_charge_made_is_none_of_the_teams() -> None:
    """A stranger's project gets no list, and is in no frame."""
    small = Small(("ann", "bob", "eve"))
    small.team()
    small.chart(group.PROJECT_NAME, {"name": "site"}, by="eve")
    view = small.view()
    assert view.held.projects(TEAM) == [PROJECT]
    assert view.teams.projects(TEAM) == []
    assert [one.scope for one in write.remaining(view, TEAM)] == [TEAM_SCOPE]
    small.chart(group.PROJECT_NAME, {"name": "site"})
    view = small.view()
    assert [one.scope for one in write.remaining(view, TEAM)] == [TEAM_SCOPE, PROJECT_SCOPE]


def test_a_team_and_its_projects_live_until_they_are_removed() -> None:
    """The newest life that counts decides, and a project goes with its team."""
    small = Small()
    small.team()
    small.chart(group.PROJECT_NAME, {"name": "site"})
    small.chart(group.TEAM_LIFE, {"state": "removed"}, by="bob")
    assert small.view().teams.is_alive(PROJECT)
    small.chart(group.PROJECT_LIFE, {"state": "removed"})
    assert not small.view().teams.is_alive(PROJECT)
    small.chart(group.PROJECT_LIFE, {"state": "active"})
    small.chart(group.TEAM_LIFE, {"state": "removed"})
    view = small.view()
    assert not view.teams.is_alive(PROJECT)
    assert not view.teams.is_alive(TEAM)
