"""Values that are none: each is refused with one of our errors, and changes nothing."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from agent_memory_os import MemoryClient
from agent_memory_os.errors import AgentMemoryError, BadSettings, InvalidInput

ODD: tuple[object, ...] = (
    "\ud800",
    "a\0b",
    2**70,
    -(2**70),
    1.5,
    float("nan"),
    float("inf"),
    None,
    True,
    b"x",
    [],
    {},
    [5],
    [None],
    (2**70, 2**70),
    ("\ud800",),
    "x" * 100_000,
)
FIELDS = (
    "content type tags summary importance confidence source author session position event_at "
    "pinned expires_at valid_from valid_to half_life_days key allow_secrets"
).split()
NARROWING = "types tags owner author session since until time_field".split()


@pytest.fixture
def client(tmp_path: Path) -> Iterator[MemoryClient]:
    """A client on a new home."""
    with MemoryClient(str(tmp_path / "home"), agent="planner") as opened:
        yield opened


def _attempt(act: Callable[[], object]) -> None:
    with suppress(AgentMemoryError):
        act()


@pytest.mark.parametrize("value", ODD, ids=lambda value: repr(value)[:12])
def test_odd_fields_are_stored_or_refused(client: MemoryClient, value: object) -> None:
    """Whatever stands in a field of a memory, adding and editing end well or with our error."""
    odd: Any = value
    held = client.add("The kestrel.").memory
    for field in FIELDS:
        fields: dict[str, Any] = {"content": f"With {field}.", field: value}
        _attempt(partial(client.add_many, [fields]))
        if field not in ("key", "allow_secrets"):
            changes: dict[str, Any] = {field: value}
            _attempt(partial(client.update, held.id, **changes))
    _attempt(lambda: client.add("Shared.", share=odd))
    assert client.list(limit=1000).memories
    assert client.node.upkeep.check().ok


@pytest.mark.parametrize("value", ODD, ids=lambda value: repr(value)[:12])
def test_odd_arguments_are_answered_or_refused(client: MemoryClient, value: object) -> None:
    """Whatever stands in an argument of a read or an act, it ends well or with our error."""
    held, other = client.add("The kestrel.").memory.id, client.add("The heron.").memory.id
    odd: Any = value
    acts: list[Callable[[], object]] = [
        lambda: client.search(odd),
        lambda: client.pack(odd),
        lambda: client.search("kestrel", limit=odd),
        lambda: client.search("kestrel", span=odd),
        lambda: client.search("kestrel", pinned=odd),
        lambda: client.pack("kestrel", max_tokens=odd),
        lambda: client.list(limit=odd),
        lambda: client.list(cursor=odd),
        lambda: client.list(pinned=odd),
        lambda: client.list(state=odd),
        lambda: client.timeline(odd),
        lambda: client.timeline(held, limit=odd),
        lambda: client.as_of(held, odd),
        lambda: client.link(held, other, odd),
        lambda: client.link(held, other, weight=odd),
        lambda: client.unlink(held, other, odd),
        lambda: client.share(held, odd),
        lambda: client.revoke(held, odd),
        lambda: client.update(held, content="More.", reason=odd),
    ]
    for name in NARROWING:
        narrow: dict[str, Any] = {name: odd}
        acts.append(partial(client.search, "kestrel", **narrow))
        acts.append(partial(client.list, **narrow))
        acts.append(partial(client.timeline, held, **narrow))
    for act in acts:
        _attempt(act)


@pytest.mark.parametrize("value", ODD, ids=lambda value: repr(value)[:12])
def test_what_is_no_id_finds_nothing(client: MemoryClient, value: object) -> None:
    """Every method that takes an id refuses what is none."""
    held = client.add("The kestrel.").memory.id
    bad: Any = value
    acts: tuple[Callable[[], object], ...] = (
        lambda: client.get(bad),
        lambda: client.update(bad, content="Mine."),
        lambda: client.share(bad, "global"),
        lambda: client.revoke(bad),
        lambda: client.forget(bad),
        lambda: client.forget(bad, erase=True),
        lambda: client.bring_back(bad),
        lambda: client.pin(bad),
        lambda: client.links(bad),
        lambda: client.link(held, bad),
        lambda: client.supersede(bad, held),
        lambda: client.history(bad),
        lambda: client.as_of(bad, 0),
    )
    for act in acts:
        with pytest.raises(AgentMemoryError):
            act()


@pytest.mark.parametrize("empty", ["", " ", "\t\n"])
def test_an_empty_name_is_not_the_usual_one(tmp_path: Path, empty: str) -> None:
    """Who names an empty agent or home is not taken for the default agent, or led to its home."""
    with pytest.raises(BadSettings, match="agent"):
        MemoryClient(str(tmp_path / "home"), agent=empty)
    with pytest.raises(BadSettings, match="home"):
        MemoryClient(empty, agent="planner")


def test_a_name_is_one_however_its_accents_are_typed(tmp_path: Path) -> None:
    """An agent, a team and a project are found in the composed and in the decomposed spelling."""
    home, name = str(tmp_path / "home"), "éve"
    apart = unicodedata.normalize("NFD", name)
    first, again = MemoryClient(home, agent=apart), MemoryClient(home, agent=name)
    assert first.principal == again.principal
    fleet = first.node.organisation
    fleet.add_team(apart)
    fleet.add_project(name, apart)
    fleet.join(apart, f"team:{name}")
    fleet.join(name, f"project:{apart}/{name}")
    shared = f"team:{apart},project:{name}/{apart},agent:{apart}"
    memory = first.add("The kestrel.", share=shared).memory
    assert len(memory.audience) == 3
    assert first.list(owner=apart).memories == (memory,)
    fleet.rename_team(name, unicodedata.normalize("NFD", "équipe"))
    assert fleet.teams()[0].team.name == "équipe"


def test_a_fleet_file_makes_a_team_once(tmp_path: Path) -> None:
    """A team in the decomposed spelling is not made anew whenever the fleet file changes."""
    home = tmp_path / "home"
    with MemoryClient(str(home), agent="planner") as client:
        for notes in ("one", "two", "three"):
            file = f'[agents.bot]\nteams = ["équipe"]\nnotes = "{notes}"\n'
            (home / "agents.toml").write_text(unicodedata.normalize("NFD", file), encoding="utf-8")
            MemoryClient(str(home), agent="bot").close()
        assert [view.team.name for view in client.node.organisation.teams()] == ["équipe"]


def test_an_error_does_not_repeat_a_long_name(tmp_path: Path) -> None:
    """A name of ten thousand letters is refused in a sentence that a person can read."""
    with pytest.raises(InvalidInput) as refused:
        MemoryClient(str(tmp_path / "home"), agent="x" * 10_000)
    assert len(str(refused.value)) < 300
