"""What fails in published systems of this kind, one test for each."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent_memory_os.errors import NotAllowed, NotFound, UnknownDevice
from agent_memory_os.model.register import CONTENT
from tests.federation.exchange.conftest import Two
from tests.federation.exchange.party import Party, device_of, held_of, meet, settle

TOTALS = "SELECT route, count, total FROM routes WHERE route LIKE 'team:%'"


def test_the_same_agent_works_on_two_machines(tmp_path: Path) -> None:
    """Two devices of an account hold everything, both ways, and their agents are the same."""
    one = Party(tmp_path / "one", "one")
    kept = one.remember("scout", "the boiler code is 4711")
    other = device_of(one, tmp_path / "other", "other")
    assert other.account == one.account
    assert other.agent("scout") == one.agent("scout")
    meet(one, other)
    assert other.read("scout") == {kept: "the boiler code is 4711"}
    back = other.remember("scout", "the cellar key hangs on the left")
    other.node.memories.edit(other.agent("scout"), kept, {"content": "the boiler code is 4712"})
    one.sync(other)
    expected = {kept: "the boiler code is 4712", back: "the cellar key hangs on the left"}
    assert one.read("scout") == other.read("scout") == expected
    assert one.search("scout", "cellar key") == ["the cellar key hangs on the left"]


def test_a_team_peer_learns_of_nothing_but_its_team(two: Two) -> None:
    """Of another team, of private memories and of other agents nothing comes, not even an id."""
    ann, ben = two
    hermes = ann.node.organisation.add_team("hermes")
    ann.node.organisation.join("scout", "team:hermes")
    other = ann.agent("secretive")
    ann.node.organisation.join("secretive", "team:hermes")
    hidden = [
        ann.remember("scout", "private canary"),
        ann.remember("scout", "team canary", "team:hermes"),
        ann.remember("scout", "global canary", "global"),
        ann.remember("secretive", "other canary", "agent:scout"),
    ]
    shared = ann.remember("scout", "what apollo knows", "team:apollo")
    settle(ann, ben)
    assert ben.read("mira") == {shared: "what apollo knows"}
    held = "\n".join(str(row) for row in ben.rows("SELECT object, grp, value FROM registers"))
    for name in (*hidden, hermes.id, str(other.agent), "canary"):
        assert name not in held


def test_revoking_the_last_grant_reaches_the_peer(two: Two) -> None:
    """What is taken back is gone from the peer: from reads, search and the file."""
    ann, ben = two
    shared = ann.remember("scout", "the release is on Friday", "team:apollo")
    ben.sync(ann)
    assert ben.search("mira", "release Friday") == ["the release is on Friday"]
    ann.node.memories.revoke(ann.agent("scout"), shared, "team:apollo")
    ben.sync(ann)
    assert ben.read("mira") == {}
    assert ben.search("mira", "release Friday") == []
    with pytest.raises(NotFound):
        ben.memory("mira", shared)
    assert ben.rows("SELECT 1 FROM memories") == []
    assert ben.rows("SELECT 1 FROM registers WHERE grp = 'memory.content'") == []


def test_a_later_wider_share_converges(two: Two) -> None:
    """A memory that is shared long after it was written comes with its words."""
    ann, ben = two
    late = ann.remember("scout", "written in private")
    settle(ann, ben)
    ann.node.memories.share(ann.agent("scout"), late, "team:apollo")
    settle(ann, ben)
    assert ben.read("mira") == {late: "written in private"}


def test_what_was_shared_again_comes_back_with_its_words(two: Two) -> None:
    """A grant that is given again brings the memory back, edits since then included."""
    ann, ben = two
    scout = ann.agent("scout")
    shared = ann.remember("scout", "first words", "team:apollo")
    ben.sync(ann)
    ann.node.memories.revoke(scout, shared, "team:apollo")
    ben.sync(ann)
    ann.node.memories.edit(scout, shared, {"content": "edited in private"})
    ben.sync(ann)
    assert ben.read("mira") == {}
    ann.node.memories.share(scout, shared, "team:apollo")
    ben.sync(ann)
    assert ben.read("mira") == {shared: "edited in private"}


def test_who_is_out_gets_nothing_new_and_keeps_nothing(two: Two) -> None:
    """A removed member is told so, drops what it had of others, and is sent nothing more."""
    ann, ben = two
    ann.remember("scout", "before", "team:apollo")
    mine = ben.remember("mira", "what mira knows", "team:apollo")
    settle(ann, ben)
    ann.node.organisation.leave("mira@ben", "team:apollo")
    after = ann.remember("scout", "after", "team:apollo")
    settle(ann, ben)
    assert ben.read("mira") == {mine: "what mira knows"}
    assert after not in str(ben.rows("SELECT object FROM registers"))
    assert mine in ann.read("scout")


def test_what_a_removed_member_writes_counts_nowhere(two: Two) -> None:
    """What it wrote before stays; what it writes after its removal is for itself alone."""
    ann, ben = two
    mine = ben.remember("mira", "as it was", "team:apollo")
    settle(ann, ben)
    ann.node.organisation.leave("mira@ben", "team:apollo")
    ben.node.memories.edit(ben.agent("mira"), mine, {"content": "as I want it now"})
    late = ben.remember("mira", "one more", "team:apollo")
    settle(ann, ben)
    assert ann.read("scout") == {mine: "as it was"}
    assert late not in ann.read("scout")


def test_only_who_is_in_charge_changes_a_team(two: Two) -> None:
    """A member can neither add anybody nor take anybody out, and is told who can."""
    _, ben = two
    ben.agent("stranger")
    for act in (ben.node.organisation.join, ben.node.organisation.leave):
        with pytest.raises(NotAllowed, match="Another account is in charge of team apollo"):
            act("stranger" if act == ben.node.organisation.join else "mira", "team:apollo")


def test_nobody_is_an_agent_of_another_account_by_its_name(two: Two) -> None:
    """Two agents of one name are two; nobody here acts as the other, and each keeps its own."""
    ann, ben = two
    ben.agent("scout")
    theirs = ben.remember("scout", "from the other scout")
    mine = ann.remember("scout", "from scout", "team:apollo")
    settle(ann, ben)
    assert ben.read("scout") == {theirs: "from the other scout"}
    assert ben.memory("mira", mine).owner_name == "scout@ann"
    with pytest.raises(NotAllowed, match="another account"):
        ben.node.organisation.agent("scout@ann")


def test_only_the_owner_changes_a_memory(two: Two) -> None:
    """Whoever reads another account's memory, the operator too, cannot change it."""
    from agent_memory_os.model.principal import Principal

    ann, ben = two
    shared = ann.remember("scout", "mine alone to change", "team:apollo")
    ben.sync(ann)
    for who in (ben.agent("mira"), Principal.operator()):
        with pytest.raises(NotAllowed):
            ben.node.memories.edit(who, shared, {"content": "changed"})
        with pytest.raises(NotAllowed):
            ben.node.memories.forget(who, shared)


def test_edit_sync_and_delete_within_a_second_stay_deleted(tmp_path: Path) -> None:
    """A deletion ends the life that it has seen, whatever the clocks say."""
    one = Party(tmp_path / "one", "one")
    other = device_of(one, tmp_path / "other", "other")
    meet(one, other)
    gone = one.remember("scout", "soon gone")
    one.sync(other)
    other.time = one.time + 900
    other.node.memories.edit(other.agent("scout"), gone, {"content": "edited by a fast clock"})
    one.sync(other)
    one.node.memories.forget(one.agent("scout"), gone)
    settle(one, other)
    assert one.read("scout") == other.read("scout") == {}


def test_an_unlink_is_not_undone(two: Two) -> None:
    """A link comes with its two ends, and is taken back for good."""
    ann, ben = two
    scout = ann.agent("scout")
    first, second = (ann.remember("scout", text, "team:apollo") for text in ("one", "two"))
    ann.node.memories.link(scout, first, second)
    settle(ann, ben)
    assert [link.dst for link in ben.node.memories.links(ben.agent("mira"), first)] == [second]
    ann.node.memories.unlink(scout, first, second)
    settle(ann, ben)
    assert ben.node.memories.links(ben.agent("mira"), first) == ()


def test_a_link_of_who_was_removed_is_gone_where_it_was(two: Two, tmp_path: Path) -> None:
    """A link that a removal did not list is void, also on a node that had shown it before."""
    ann, ben = two
    cyd = Party(tmp_path / "cyd", "cyd")
    meet(ann, cyd, ["scout"], ["nox"])
    meet(ben, cyd, ["mira", "spy"], ["nox"])
    ben.introduce(ann, "spy")
    for name in ("nox@cyd", "spy@ben"):
        ann.node.organisation.join(name, "team:apollo")
    first, second = (ann.remember("scout", text, "team:apollo") for text in ("one", "two"))
    settle(ann, ben, cyd)
    mira, nox = ben.agent("mira"), cyd.agent("nox")
    ben.node.memories.link(mira, first, second)
    ben.sync(cyd)
    assert [link.dst for link in cyd.node.memories.links(nox, first)] == [second]
    ann.node.organisation.leave("mira@ben", "team:apollo")
    settle(ann, cyd, ben)
    assert cyd.node.memories.links(nox, first) == ()
    totals = {str(one.rows(TOTALS)) for one in (ann, ben, cyd)}
    assert len(totals) == 1
    cyd.node.close()


def test_a_concurrent_removal_wins_and_nobody_else_is_lost(tmp_path: Path) -> None:
    """Members that two devices add at once are both in; one that either removes is out."""
    one = Party(tmp_path / "one", "one")
    for name in ("ada", "bob", "cyd"):
        one.agent(name)
    one.node.organisation.add_team("apollo")
    one.node.organisation.join("cyd", "team:apollo")
    other = device_of(one, tmp_path / "other", "other")
    meet(one, other)
    one.node.organisation.join("ada", "team:apollo")
    other.node.organisation.join("bob", "team:apollo")
    other.node.organisation.leave("cyd", "team:apollo")
    settle(one, other)
    for party in (one, other):
        (team,) = party.node.organisation.teams()
        assert team.members == ("ada", "bob")


def test_a_clock_that_is_years_ahead_pins_nothing(tmp_path: Path) -> None:
    """What is dated into the future waits until it is due, and moves nobody's clock."""
    one = Party(tmp_path / "one", "one")
    other = device_of(one, tmp_path / "other", "other")
    meet(one, other)
    text = one.remember("scout", "today")
    settle(one, other)
    present, other.time = other.time, other.time + 5 * 365 * 86_400_000
    other.node.memories.edit(other.agent("scout"), text, {"content": "from 2031"})
    other.time = present
    one.sync(other)
    assert one.read("scout") == {text: "today"}
    assert [row[0] for row in one.rows("SELECT count(*) FROM parked")] == [1]
    later = one.remember("scout", "tomorrow")
    assert one.memory("scout", later).content.updated_at < present + 86_400_000
    one.time += 5 * 365 * 86_400_000
    one.sync(other)
    assert one.read("scout")[text] == "from 2031"


def test_a_slow_clock_loses_no_later_edit(tmp_path: Path) -> None:
    """An edit of what was seen lies above it, however slow the clock is."""
    one = Party(tmp_path / "one", "one")
    other = device_of(one, tmp_path / "other", "other")
    meet(one, other)
    text = one.remember("scout", "first")
    one.sync(other)
    other.time -= 3_600_000
    other.node.memories.edit(other.agent("scout"), text, {"content": "second"})
    settle(one, other)
    assert one.read("scout") == other.read("scout") == {text: "second"}


def test_what_a_concurrent_edit_lost_is_on_the_shelf(tmp_path: Path) -> None:
    """Two edits that have not seen each other: the later one shows, the other can be put back."""
    one = Party(tmp_path / "one", "one")
    other = device_of(one, tmp_path / "other", "other")
    meet(one, other)
    text = one.remember("scout", "first")
    one.sync(other)
    one.node.memories.edit(one.agent("scout"), text, {"content": "from one"})
    other.time = one.time + 5_000
    other.node.memories.edit(other.agent("scout"), text, {"content": "from other"})
    settle(one, other)
    assert one.read("scout") == other.read("scout") == {text: "from other"}
    for party in (one, other):
        (lost,) = party.rows("SELECT memory, value FROM shelf")
        assert lost[0] == text
        assert "from one" in str(lost[1])
    other.node.memories.edit(other.agent("scout"), text, {"content": "and on"})
    settle(one, other)
    assert len(one.rows("SELECT 1 FROM shelf")) == 1


def test_an_idle_exchange_ships_nothing(two: Two) -> None:
    """Where nothing has changed, some kilobytes go, however much both hold."""
    ann, ben = two
    for number in range(200):
        ann.remember(
            "scout", f"memory number {number} of many, with some more words", "team:apollo"
        )
    settle(ann, ben)
    report, size = ben.sync(ann)
    assert (report.taken, report.sent) == (0, 0)
    assert size < 8_000
    ann.remember("scout", "one more", "team:apollo")
    report, size = ben.sync(ann)
    assert report.taken == 2
    assert size < 16_000


def test_who_is_added_again_gets_everything_again(two: Two) -> None:
    """A member that was removed and dropped what it had has it all again when it is back."""
    ann, ben = two
    first = ann.remember("scout", "before", "team:apollo")
    settle(ann, ben)
    ann.node.organisation.leave("mira@ben", "team:apollo")
    settle(ann, ben)
    assert ben.read("mira") == {}
    ann.node.organisation.join("mira@ben", "team:apollo")
    settle(ann, ben)
    assert ben.read("mira") == {first: "before"}


def test_a_new_member_costs_nothing_of_what_others_have(two: Two, tmp_path: Path) -> None:
    """When somebody joins, who was there is sent the organisation and no record again."""
    ann, ben = two
    for number in range(100):
        ann.remember("scout", f"memory {number} of many, with some more words", "team:apollo")
    settle(ann, ben)
    cyd = Party(tmp_path / "cyd", "cyd")
    meet(ann, cyd, ["scout"], ["pat"])
    ann.node.organisation.join("pat@cyd", "team:apollo")
    cyd.sync(ann)
    assert len(cyd.read("pat")) == 50
    report, size = ben.sync(ann)
    assert report.taken < 40
    assert size < 24_000
    cyd.node.close()


def test_who_is_a_peer_no_more_gets_nothing(two: Two) -> None:
    """A node that was removed from the peers is a stranger, whatever it was let into before."""
    ann, ben = two
    ann.remember("scout", "before", "team:apollo")
    settle(ann, ben)
    ann.node.peers.remove("ben")
    ann.remember("scout", "after", "team:apollo")
    for _ in range(2):
        with pytest.raises(UnknownDevice):
            ben.sync(ann)
    assert list(ben.read("mira").values()) == ["before"]


def test_stamps_are_numbers_and_no_text(tmp_path: Path) -> None:
    """A later edit holds whose stamp would come first by its digits."""
    one = Party(tmp_path / "one", "one", 15_100_000_000_000)
    other = device_of(one, tmp_path / "other", "other", 15_100_000_000_000)
    meet(one, other)
    made = one.remember("scout", "first")
    settle(one, other)
    texts: list[str] = []
    for party, time in ((one, 15_200_000_000_000), (other, 15_300_000_000_000)):
        party.time = time
        party.node.memories.edit(party.agent("scout"), made, {"content": f"at {time}"})
        texts += [str(one.stamp) for one in held_of(party, made) if one.group == CONTENT]
    assert texts == sorted(texts, reverse=True)
    one.time = other.time
    settle(one, other)
    assert one.read("scout") == other.read("scout") == {made: "at 15300000000000"}


def test_an_edit_and_a_share_that_crossed_come_to_the_same(two: Two, tmp_path: Path) -> None:
    """One device shares what another one edits: the team gets the edit, signed for it."""
    ann, ben = two
    other = device_of(ann, tmp_path / "other", "other")
    meet(ann, other)
    made = ann.remember("scout", "first")
    settle(ann, other)
    ann.node.memories.share(ann.agent("scout"), made, "team:apollo")
    other.node.memories.edit(other.agent("scout"), made, {"content": "edited meanwhile"})
    settle(ann, other)
    ben.sync(ann)
    assert ben.read("mira") == {made: "edited meanwhile"}
