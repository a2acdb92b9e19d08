"""The grammar of audiences, and the one rule of the gate."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory_os.errors import UnknownAudience
from agent_memory_os.model.audience import Grant, is_scope, may_read, parse, visible_grants
from agent_memory_os.model.identifier import derive
from agent_memory_os.model.principal import Principal, Sight

ME, OTHER = derive("agent", "me"), derive("agent", "other")
SCOPES = [
    "global",
    f"agent:{ME}",
    f"agent:{OTHER}",
    f"team:{derive('team', 'a')}",
    f"project:{derive('project', 'b')}",
]
SETS = st.frozensets(st.sampled_from(SCOPES))


@pytest.mark.parametrize(
    ("text", "grants"),
    [
        ("private", ()),
        ("global", (Grant("global", ""),)),
        ("agent:scout", (Grant("agent", "scout"),)),
        ("team:apollo", (Grant("team", "apollo"),)),
        ("project:apollo/site", (Grant("project", "apollo/site"),)),
        (" team:a , agent:b,team:a ", (Grant("team", "a"), Grant("agent", "b"))),
        (f"team:{derive('team', 'x')}", (Grant("team", derive("team", "x")),)),
    ],
)
def test_what_people_write_is_read(text: str, grants: tuple[Grant, ...]) -> None:
    """An audience is private, or grants with commas between, each once."""
    assert parse(text) == grants


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        ",",
        "globl",
        "Global",
        "Team:x",
        "teams:x",
        "team",
        "team:",
        "team: x",
        "team :x",
        "*",
        "%",
        "team:a,",
        "private,team:a",
        "team:a,private",
        "agent",
        ":",
        ":x",
        "all",
        "nobody",
    ],
)
def test_what_is_misspelt_is_refused(text: str) -> None:
    """Whatever is no audience is refused, and the message says what is one."""
    with pytest.raises(UnknownAudience, match=r"write private, global, agent:NAME"):
        parse(text)


@given(st.text())
def test_any_text_is_an_audience_or_refused(text: str) -> None:
    """No text raises anything else, and what is read has a kind of the grammar."""
    try:
        grants = parse(text)
    except UnknownAudience:
        return
    assert {grant.kind for grant in grants} <= {"global", "agent", "team", "project"}


@pytest.mark.parametrize("scope", SCOPES)
def test_a_scope_holds_an_id(scope: str) -> None:
    """Registers hold scopes with ids."""
    assert is_scope(scope)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "private",
        "team:apollo",
        f"agent:{derive('team', 'a')}",
        f"memory:{derive('memory')}",
        f"team:{derive('team', 'a')} ",
        f"team{derive('team', 'a')}",
        "global:",
        "account:",
    ],
)
def test_what_has_no_id_of_its_kind_is_no_scope(text: str) -> None:
    """A name, an id of another kind and a kind that is no audience are no scopes."""
    assert not is_scope(text)


@given(SETS, SETS)
def test_the_owner_and_the_operator_read_everything(
    scopes: frozenset[str], held: frozenset[str]
) -> None:
    """The owner reads its memory whatever its audience, and the operator reads every memory."""
    assert may_read(Sight(Principal.of_agent(ME), scopes), ME, held)
    assert may_read(Sight(Principal.operator(), frozenset()), ME, held)


@given(SETS, SETS)
def test_others_read_through_a_grant_that_reaches_them(
    scopes: frozenset[str], held: frozenset[str]
) -> None:
    """Whoever is not the owner reads exactly if one of its scopes is granted."""
    assert may_read(Sight(Principal.of_agent(OTHER), scopes), ME, held) == bool(scopes & held)


@given(SETS)
def test_nobody_reads_nothing(held: frozenset[str]) -> None:
    """An agent that is not known or may not act reads nothing, not even with everybody."""
    assert not may_read(Sight.of_nobody(), ME, held)
    assert visible_grants(Sight.of_nobody(), ME, held) == ()


@given(SETS, SETS)
def test_a_reader_knows_of_the_grants_that_reach_it(
    scopes: frozenset[str], held: frozenset[str]
) -> None:
    """The owner and the operator see every grant, others those that reach them, in order."""
    everything = tuple(sorted(held))
    assert visible_grants(Sight(Principal.of_agent(ME), scopes), ME, held) == everything
    assert visible_grants(Sight(Principal.operator(), frozenset()), ME, held) == everything
    mine = visible_grants(Sight(Principal.of_agent(OTHER), scopes), ME, held)
    assert mine == tuple(sorted(scopes & held))


@given(SETS, SETS, SETS)
def test_more_grants_never_show_less(
    scopes: frozenset[str], held: frozenset[str], more: frozenset[str]
) -> None:
    """Adding grants or memberships never takes a memory away from a reader."""
    sight = Sight(Principal.of_agent(OTHER), scopes)
    wider = Sight(Principal.of_agent(OTHER), scopes | more)
    if may_read(sight, ME, held):
        assert may_read(sight, ME, held | more)
        assert may_read(wider, ME, held)
