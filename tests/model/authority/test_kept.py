"""Lists of what remains: their entries, their bytes, and what is looked up in them."""

from __future__ import annotations

from agent_memory_os.model import register as group
from agent_memory_os.model.authority import kept
from agent_memory_os.model.authority.kept import Entry, Index, Kept, place_of
from tests.model.judging import ACCOUNTS, AGENTS, TEAM_SCOPE, Small


def test_a_list_has_its_entries_in_order() -> None:
    """What goes into a list twice, or in another order, makes the same bytes and digest."""
    small = Small()
    names = [small.say("bob", text, number=number) for number, text in enumerate("abc")]
    listed = small.keep(TEAM_SCOPE, *names)
    assert small.keep(TEAM_SCOPE, *reversed(names), names[0]) == listed
    assert list(listed.entries) == sorted(listed.entries)
    assert kept.entries_bytes(listed) in kept.to_bytes(listed)
    assert kept.digest(listed) != kept.digest(listed._replace(scope="global"))


def test_an_index_has_what_its_list_has() -> None:
    """All digests, and the entries of each place; of any other place nothing."""
    here, there = place_of("a"), place_of("a", "b")
    entries = (Entry(here, 1, "x"), Entry(here, 2, "y"), Entry(there, 3, "z"))
    index = Index(Kept(TEAM_SCOPE, entries))
    assert index.names == {"x", "y", "z"}
    assert (index.at(here), index.at(there)) == ([*entries[:2]], [entries[2]])
    assert index.at(place_of("b")) == []


def test_a_digest_in_another_place_admits_nothing() -> None:
    """A list that names a register under the place of another one does not admit it."""
    small = Small()
    name = small.say("bob", "a")
    register = small.registers[name]
    place = place_of(register.object, register.group)
    other = Entry(place_of("mem_other", group.CONTENT), register.stamp, name)
    held = Entry(place, register.stamp, "ab" * 32)
    assert not kept.admits([Index(Kept("", (other, held)))], name, register)
    assert kept.admits([Index(Kept("", (Entry(place, 0, name), held)))], name, register)


def test_an_index_is_made_once_for_each_list() -> None:
    """Whatever is judged by a list, of one memory too, looks it up in the same index."""
    small = Small()
    small.team()
    small.member("add")
    removal = small.registers[small.member("remove", lists=(small.keep(TEAM_SCOPE),))]
    held = small.view().held
    index = held.remains(removal, TEAM_SCOPE)
    assert index is not None
    assert held.remains(removal, TEAM_SCOPE) is index
    assert held.remains(removal, "global") is None
    about = small.view().about({}).held
    first = about.remains(removal, TEAM_SCOPE)
    assert small.view().about({}).held.remains(removal, TEAM_SCOPE) is not first
    view = small.view()
    assert view.about({}).held.remains(removal, TEAM_SCOPE) is view.held.remains(
        removal, TEAM_SCOPE
    )


class Counted(tuple[Entry, ...]):
    """Entries of a list that count how often somebody goes through all of them."""

    __slots__ = ()
    walks = 0

    def __iter__(self) -> object:  # type: ignore[override]
        """Go through the entries."""
        type(self).walks += 1
        return super().__iter__()


def test_a_long_list_is_gone_through_once() -> None:
    """However many registers a removal, a hand-over and a theft judge, each list is read once."""
    small = Small()
    small.team()
    add = small.member("add")
    said = [small.say("bob", "a", TEAM_SCOPE, add, number=number) for number in range(50)]
    for name in said:
        small.grant("bob", TEAM_SCOPE, add, number=said.index(name))
    lists = (small.keep(TEAM_SCOPE, *said), small.keep(ACCOUNTS["bob"], *said, add))
    small.member("remove", lists=lists[:1])
    small.certify("bob", 0, state="revoked", lists=lists[1:])
    steps = (small.keep(TEAM_SCOPE, *small.registers),)
    small.chart(group.TEAM_ADMIN, {"to": ACCOUNTS["bob"], "by": "admin", "turn": 0}, lists=steps)
    small.lists = {name: Kept(one.scope, Counted(one.entries)) for name, one in small.lists.items()}
    Counted.walks = 0
    view = small.view()
    assert set(view.void()).isdisjoint(said)
    assert view.reads(AGENTS["ann"]) == {}
    assert Counted.walks <= 3 * len(small.lists)
