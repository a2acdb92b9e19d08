"""A node shows nobody anything that the rules do not show."""

from __future__ import annotations

from hypothesis import given

from agent_memory_os.model.authority.memory import is_shared
from agent_memory_os.model.routing.shown import shown, shown_link
from tests.laws.judged.drawn import Drawn, worlds
from tests.model.judging import ACCOUNTS


@given(worlds)
def test_a_scope_is_shown_what_counts_there_or_nothing(world: Drawn) -> None:
    """What a node shows to a scope says what the scope's own newest content says."""
    view = world.view()
    for memory in view.held.objects("mem_"):
        for account in ACCOUNTS.values():
            for trusts in (False, True):
                found = shown(view, account, memory, trusts=trusts)
                for scope in found.scopes:
                    right = view.memories.shown(memory, [scope])
                    assert right is not None
                    assert found.content is not None
                    assert right[1].value == found.content[1].value
                    assert right[1].stamp == found.content[1].stamp


@given(worlds)
def test_whoever_is_shown_a_memory_may_read_it(world: Drawn) -> None:
    """An agent that sees a memory on its node, by a scope it is in, reads that very text."""
    view = world.view()
    for memory in view.held.objects("mem_"):
        owner = view.held.proof(memory)
        for account in ACCOUNTS.values():
            found = shown(view, account, memory)
            for agent in view.agents(account):
                known = {*view.scopes_of(agent), *({"global"} if owner[0] == account else ())}
                if found.content is None or not (known & found.scopes or owner[1] == agent):
                    continue
                name = view.reads(agent)[memory]
                assert view.held.registers[name].value == found.content[1].value


@given(worlds)
def test_who_is_out_of_all_scopes_is_shown_nothing(world: Drawn) -> None:
    """To an account that no agent reads by, and that is not the owner's, nothing is shown."""
    view = world.view()
    for memory in view.held.objects("mem_"):
        for account in set(ACCOUNTS.values()) - {view.held.proof(memory)[0]}:
            joined = {
                scope
                for scope in view.memories.audience(memory)
                for agent in view.agents(account)
                if scope == f"agent:{agent}"
                or (is_shared(scope) and view.members.adds(scope, agent))
            }
            if not joined:
                assert shown(view, account, memory).content is None


@given(worlds)
def test_a_link_is_shown_by_its_own_word_or_by_others_who_may(world: Drawn) -> None:
    """A node that asserts a link itself shows what it says; else what counts where it is."""
    view = world.view()
    for link in view.held.objects("lnk_"):
        for account in ACCOUNTS.values():
            found = shown_link(view, account, link)
            if found is not None:
                assert found[1].value["weight"] > 0
                assert not view.devices.reason(*found)
                if found[1].author != account:
                    scope = next(iter(found[1].relies))
                    assert not view.memories.reason_in(scope, *found)
