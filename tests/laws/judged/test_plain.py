"""A plain memory is what the rules say of it, and most that honest people write are plain."""

from __future__ import annotations

from hypothesis import given

from agent_memory_os.model.authority import write
from agent_memory_os.model.routing import serve
from agent_memory_os.model.routing.shown import Shown, shown
from tests.laws.judged.drawn import SCOPES, Drawn, worlds
from tests.laws.judged.test_about import TEAMS, alone, organisation
from tests.model.judging import ACCOUNTS


@given(worlds)
def test_a_plain_memory_is_as_the_rules_judge_it(world: Drawn) -> None:
    """What it shows to whom, what is served of it, and that all of it counts, is the same."""
    view, ground = world.view(), organisation(world)
    for memory in view.held.objects("mem_"):
        judged = alone(world, ground, memory)
        registers = dict(judged.held.everything)
        plain = ground.plains.of(registers)
        if plain is None:
            continue
        names, audience = sorted(registers), [plain.scope] if plain.scope else []
        assert view.memories.scopes(memory) == view.memories.audience(memory) == audience
        assert [view.devices.reason(*one) for one in registers.items()] == [""] * len(names)
        assert sorted(serve.written(view, memory)) == names
        for scope in audience:
            assert sorted(serve.record(view, scope, memory)) == names
        assert write.again(view, memory) == {}
        for account in ACCOUNTS.values():
            for trusts in (False, True):
                is_own = account == plain.content.author
                found = shown(view, account, memory, trusts=trusts)
                if is_own or ground.plains.reaches(account, plain.scope, trusts=trusts):
                    said = (plain.name, plain.content)
                    expected = Shown(said, frozenset(audience), is_dead=False, is_spent=False)
                    assert found == expected
                else:
                    assert found.content is None


@given(worlds)
def test_who_is_reached_is_who_is_in_the_scope(world: Drawn) -> None:
    """An account is reached in the teams and projects of its agents, and by what is for these."""
    view = world.view()
    for account in ACCOUNTS.values():
        for scope in TEAMS:
            is_in = any(view.members.adds(scope, agent) for agent in view.agents(account))
            assert view.plains.reaches(account, scope) == is_in
        own = {f"agent:{agent}" for agent in view.agents(account)}
        assert {one for one in SCOPES if one.startswith("agent:")} & own == {
            one for one in SCOPES if one.startswith("agent:") and view.plains.reaches(account, one)
        }


def test_what_honest_people_share_is_plain() -> None:
    """A content with the grant that it came with is plain, in whatever order they are given."""
    view = Drawn([(0, 0, 0), (0, 1, 1)]).view()
    memories = view.held.objects("mem_")
    assert len(memories) == 2
    for memory in memories:
        registers = dict(view.held.about(memory))
        plain = view.plains.of(registers)
        assert plain is not None
        assert plain == view.plains.of(dict(reversed(registers.items())))
