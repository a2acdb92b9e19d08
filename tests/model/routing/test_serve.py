"""Who is offered, served, told and answered what, and what it then drops."""

from __future__ import annotations

from agent_memory_os.model import register as group
from agent_memory_os.model.authority import kept, write
from agent_memory_os.model.routing import ask, purge, serve
from tests.model.judging import ACCOUNTS, AGENTS, DEVICES, PROJECT, TEAM, TEAM_SCOPE, Small

ANN, BOB = ACCOUNTS["ann"], ACCOUNTS["bob"]
TO_BOB = f"agent:{AGENTS['bob']}"


def shared() -> tuple[Small, dict[str, str]]:
    """Give a team of both with a memory of ann's and one of bob's, linked; and some names."""
    small = Small()
    names = {"team": small.team(), "project": small.chart(group.PROJECT_NAME, {"name": "p"})}
    for who in ("ann", "bob"):
        names[who] = add = small.member("add", who)
        names[f"{who} said"] = small.say(who, who, TEAM_SCOPE, add)
        names[f"{who} grant"] = small.grant(who, TEAM_SCOPE, add)
    names["link"] = small.link("bob", 300, TEAM_SCOPE, names["bob"])
    return small, names


def test_what_is_offered() -> None:
    """The scopes of its agents, what it wrote, and what it founded; to one's own, everything."""
    small, _ = shared()
    view = small.view()
    assert serve.offered(view, BOB) == ["back:" + BOB, TEAM_SCOPE, TO_BOB]
    mine = serve.offered(view, ANN, is_own=True)
    assert mine == ["own:" + ANN, "charge:" + TEAM, TEAM_SCOPE, f"agent:{AGENTS['ann']}"]


def test_the_frame_of_a_scope() -> None:
    """The organisation of the team and of nothing else, with the people who are or were in it."""
    small, names = shared()
    view = small.view()
    frame = serve.frame(view, TEAM_SCOPE)
    assert {names["team"], names["ann"], names["bob"]} <= set(frame)
    assert names["project"] not in frame
    assert len(frame) == 3 + 2 * 3
    assert set(serve.frame(view, "charge:" + TEAM)) == {*frame, names["project"]}
    assert set(serve.frame(view, "own:" + ANN)) == {*frame, names["project"]}
    assert len(serve.frame(view, "back:" + BOB)) == 3
    assert serve.frame(view, TO_BOB) == []
    small.say("ann", "x", TO_BOB, number=1)
    small.grant("ann", TO_BOB, number=1)
    assert len(serve.frame(small.view(), TO_BOB)) == 3
    assert serve.token(frame) == serve.token(reversed(frame)) != serve.token(frame[1:])


def test_the_lists_of_a_scope() -> None:
    """Lists go where their scope goes, and a device's with its certificate."""
    small, _ = shared()
    small.member("remove", lists=tuple(write.frozen(small.view(), TEAM, AGENTS["bob"])))
    spared = small.keep(BOB)
    small.certify("bob", 1, state="revoked", lists=(spared,))
    view = small.view()
    names = {one.scope: name for name, one in small.lists.items()}
    frame = serve.frame(view, TEAM_SCOPE)
    assert set(serve.lists(view, TEAM_SCOPE, frame)) == {names[TEAM_SCOPE], names[BOB]}
    assert serve.lists(view, "", serve.frame(view, "back:" + BOB)) == [names[BOB]]
    for scope in ("charge:" + TEAM, "own:" + ANN):
        assert set(serve.lists(view, scope, [])) == {names[TEAM_SCOPE], names[f"project:{PROJECT}"]}


def test_the_records_of_a_scope() -> None:
    """Grants and lives are served for good, and contents while the grant holds."""
    small, names = shared()
    kinds = {"ann said", "ann grant", "bob said", "bob grant", "link"}
    assert set(serve.records(small.view(), TEAM_SCOPE)) == {names[kind] for kind in kinds}
    small.say("bob", "private")
    revoked = small.grant("bob", TEAM_SCOPE, length=2)
    ended = small.end("ann")
    view = small.view()
    served = set(serve.records(view, TEAM_SCOPE))
    assert served == {names["ann grant"], names["bob grant"], names["link"], revoked, ended}
    assert serve.records(view, "charge:" + TEAM) == []
    mine = {name for name, one in small.registers.items() if one.author == BOB}
    assert set(serve.records(view, "back:" + BOB)) == mine
    assert serve.records(view, TO_BOB) == []


def test_a_link_goes_where_both_its_ends_go() -> None:
    """An end that was never shared with the team keeps a link out of it."""
    small, names = shared()
    del small.registers[names["ann grant"]]
    assert names["link"] not in serve.records(small.view(), TEAM_SCOPE)


def test_who_is_out_is_told() -> None:
    """Its removal, hand-overs, narrowings of its own records, and the devices that signed them."""
    small, _ = shared()
    assert serve.told(small.view(), BOB) == []
    removal = small.member("remove")
    narrow = {
        who: small.chart(
            group.TEAM_NARROW, {"record": kept.place_of(small.memory(who)[0]), "length": 2}
        )
        for who in ("ann", "bob")
    }
    step = small.chart(group.TEAM_ADMIN, {"to": ANN, "by": "admin", "turn": 0, "lists": []})
    told = serve.told(small.view(), BOB)
    assert {removal, narrow["bob"], step} <= set(told)
    assert narrow["ann"] not in told
    assert len([name for name in told if DEVICES["ann"][0][0] in small.registers[name].group]) == 1


def test_who_was_never_in_is_told_nothing() -> None:
    """A stranger's add makes nobody one who was let in."""
    small = Small()
    small.team()
    small.member("add", by="bob")
    assert serve.told(small.view(), BOB) == []


def test_who_is_not_served_asks() -> None:
    """It names the grants and contents that it holds, and is answered how those records ended."""
    small, names = shared()
    view = small.view()
    assert ask.asks(view, BOB, ANN, {TEAM_SCOPE}) == []
    asked = ask.asks(view, BOB, ANN, set())
    assert asked == [names["ann grant"], names["ann said"]]
    revoked, ended = small.grant("ann", TEAM_SCOPE, length=2), small.end("ann")
    narrow = small.chart(
        group.TEAM_NARROW, {"record": kept.place_of(small.memory("ann")[0]), "length": 2}
    )
    found = ask.answers(small.view(), asked)
    assert {names["ann grant"], revoked, ended, narrow} <= set(found)
    assert names["ann said"] not in found
    assert ask.answers(small.view(), ["ab" * 32, names["team"]]) == []
    assert narrow not in ask.answers(small.view(), [names["bob grant"]])


def test_a_node_without_contents_asks_nothing() -> None:
    """What was purged is not asked about."""
    small, names = shared()
    del small.registers[names["ann said"]]
    assert ask.asks(small.view(), BOB, ANN, set()) == []


def test_what_is_spent() -> None:
    """A tombstone, a revocation of every scope, or the removal of all its agents; not its own."""
    small, names = shared()
    mine, other = small.memory("bob")[0], small.memory("ann")[0]
    assert not purge.is_spent(small.view(), BOB, other)
    removal = small.member("remove")
    assert purge.is_spent(small.view(), BOB, other)
    assert not purge.is_spent(small.view(), BOB, mine)
    small.say("ann", "x", TO_BOB)
    small.grant("ann", TO_BOB)
    assert not purge.is_spent(small.view(), BOB, other)
    small.grant("ann", TO_BOB, length=2)
    assert purge.is_spent(small.view(), BOB, other)
    small.member("add", sees=[removal])
    assert not purge.is_spent(small.view(), BOB, other)
    small.grant("ann", TEAM_SCOPE, length=2)
    assert purge.is_spent(small.view(), BOB, other)
    small.grant("ann", TEAM_SCOPE, names["ann"], length=3)
    small.end("ann")
    assert purge.is_spent(small.view(), BOB, other)


def test_what_a_waiting_grant_opens_is_not_spent() -> None:
    """A revocation drops nothing while a longer grant of that scope waits until it is due."""
    small, names = shared()
    memory = small.memory("ann")[0]
    small.grant("ann", TEAM_SCOPE, length=2)
    again = small.registers.pop(small.grant("ann", TEAM_SCOPE, names["ann"], length=3))
    said = small.registers[names["ann said"]]
    view = small.view()
    assert purge.is_spent(view, BOB, memory)
    assert purge.is_spent(view, BOB, memory, [said, again._replace(value={"length": 1})])
    assert not purge.is_spent(view, BOB, memory, [again])
    other = again._replace(group=f"{group.GRANT}project:{PROJECT}")
    assert purge.is_spent(view, BOB, memory, [other])
    small.member("remove")
    assert purge.is_spent(small.view(), BOB, memory, [again])


def test_what_is_not_known_is_not_spent() -> None:
    """An add that is not here drops nothing; being named by others' agents alone keeps nothing."""
    small, names = shared()
    del small.registers[names["bob"]]
    assert not purge.is_spent(small.view(), BOB, small.memory("ann")[0])
    small.registers.pop(names["ann said"])
    small.registers.pop(names["ann grant"])
    small.say("ann", "x", f"agent:{AGENTS['ann']}")
    small.grant("ann", f"agent:{AGENTS['ann']}")
    assert purge.is_spent(small.view(), BOB, small.memory("ann")[0])


def test_a_content_without_its_grant_is_spent() -> None:
    """A content that came without any grant is dropped, unless a grant waits until it is due."""
    small, names = shared()
    memory = small.memory("ann")[0]
    grant = small.registers.pop(names["ann grant"])
    assert purge.is_spent(small.view(), BOB, memory)
    assert not purge.is_spent(small.view(), BOB, memory, [grant])
    assert not purge.is_spent(small.view(), small.view().held.proof(memory)[0], memory)


def test_a_project_comes_with_the_hand_overs_of_its_team() -> None:
    """Who is served a project alone is told who is in charge of it; no forged step goes along."""
    small, names = shared()
    lists = tuple(write.remaining(small.view(), TEAM))
    step = small.chart(group.TEAM_ADMIN, {"to": BOB, "by": "admin", "turn": 0}, lists=lists)
    forged = small.chart(
        group.TEAM_ADMIN, {"to": BOB, "by": "admin", "turn": 0, "lists": []}, by="bob"
    )
    frame = serve.frame(small.view(), f"project:{PROJECT}")
    assert {step, names["project"]} <= {*frame}
    assert forged not in frame


def test_what_takes_away_is_believed_where_the_list_is_not_here() -> None:
    """A narrowing and a removal that a hand-over left out count for who has no list, and no add."""
    small, _ = shared()
    lists = tuple(write.remaining(small.view(), TEAM))
    small.chart(group.TEAM_ADMIN, {"to": BOB, "by": "admin", "turn": 0}, lists=lists)
    memory = small.memory("ann")[0]
    small.chart(group.TEAM_NARROW, {"record": kept.place_of(memory), "length": 2})
    small.member("remove", by="bob", step="ab" * 32)
    view = small.view()
    assert not purge.is_spent(view, BOB, memory)
    assert view.members.adds(TEAM_SCOPE, AGENTS["bob"])
    small.lists.clear()
    view = small.view()
    assert purge.is_spent(view, BOB, memory)
    assert not view.members.adds(TEAM_SCOPE, AGENTS["bob"])
    assert not view.members.was_removed(TEAM_SCOPE, AGENTS["bob"])
    small.member("remove")
    assert small.view().members.was_removed(TEAM_SCOPE, AGENTS["bob"])
