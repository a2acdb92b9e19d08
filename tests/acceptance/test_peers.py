"""Nodes that exchange, through the command line alone: one's own devices, teammates, a stick."""

from __future__ import annotations

import fcntl
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.acceptance.nodes import NOBODY, card, device, further, killed, meet, node, settled, sync
from tests.acceptance.nodes import texts as texts_of
from tests.cli.program import Program
from tests.server.process import Server, serving


@pytest.fixture
def own(tmp_path: Path) -> tuple[Program, Program]:
    """Give two devices of one account that know each other, with a folder between them."""
    desk = node(tmp_path, "desk", "scout")
    lap = further(tmp_path, "lap", desk, "scout")
    between = tmp_path / "between"
    between.mkdir()
    assert meet(desk, "lap", lap, "--own", "--folder", str(between))["certified"]
    assert not meet(lap, "desk", desk, "--folder", str(between))["certified"]
    return desk, lap


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[Program, Program, Server]]:
    """Give a node that is served, and one of another account that has met it meanwhile."""
    hub, away = node(tmp_path, "hub", "ann"), node(tmp_path, "away", "mira")
    hub.do("team", "create", "apollo")
    hub.do("team", "add-member", "apollo", "ann")
    with serving(hub) as server:
        meet(hub, "away", away)
        meet(away, "hub", hub, "--url", server.url, "--introduce", "mira")
        yield hub, away, server


def test_two_devices_of_one_account_are_one_fleet(own: tuple[Program, Program]) -> None:
    """Everything is on both, the same agents act on both, and what either changes reaches both."""
    desk, lap = own
    desk.add("private to scout")
    lap.add("written before it was certified", "--share", "global")
    desk.do("agent", "add", "codex")
    desk.do("team", "create", "apollo")
    desk.do("team", "add-member", "apollo", "codex")
    shared = desk.add("of the team", "--share", "team:apollo", "--as", "codex")
    settled(desk, lap)
    assert texts_of(desk) == texts_of(lap)
    assert texts_of(lap, "--as", "codex") == texts_of(desk, "--as", "codex")
    assert len(texts_of(lap, "--as", "codex")) == 2
    assert [one["name"] for one in lap.json("agent", "list")["agents"]] == ["codex", "scout"]
    lap.do("edit", shared, "of the whole team", "--as", "codex")
    lap.do("forget", lap.add("forgotten at once"))
    settled(lap, desk)
    assert "of the whole team" in texts_of(desk, "--as", "codex")
    assert "forgotten at once" not in texts_of(desk)
    for one in own:
        assert one.run("check").status == 0
        assert "ok" in one.do("doctor")


def test_a_third_device_is_met_by_its_certificate(tmp_path: Path, own: tuple[Program, ...]) -> None:
    """Only who has the root key certifies; the others take the card that has the certificate."""
    desk, lap = own
    settled(desk, lap)
    third = further(tmp_path, "third", desk, "scout")
    told = lap.fails(1, "peers", "add", card(third), "--name", "third")
    assert "has not certified it yet" in told
    told = lap.fails(1, "peers", "add", card(third), "--name", "third", "--own")
    assert "The root key of this account is not in" in told
    assert "not certified" in third.do("doctor")
    meet(desk, "third", third, "--own", "--folder", str(tmp_path / "between"))
    meet(third, "desk", desk, "--folder", str(tmp_path / "between"))
    settled(desk, third)
    assert "not certified" not in third.do("doctor")
    meet(lap, "third", third)
    desk.add("for all three")
    settled(desk, lap, third)
    assert texts_of(desk) == texts_of(lap) == texts_of(third) == ["for all three"]


@pytest.mark.measured
def test_a_teammate_gets_the_team_and_nothing_else(served: tuple[Program, Program, Server]) -> None:
    """A peer that is added while a node is served works at once; what is revoked is gone."""
    hub, away, server = served
    sync(away)
    hub.do("team", "add-member", "apollo", "mira@away")
    hub.add("private to ann")
    hub.add("for all of ann's", "--share", "global")
    told = hub.add("releases on Tuesdays", "--share", "team:apollo")
    settled(away)
    assert texts_of(away) == ["releases on Tuesdays"]
    away.add("and on Fridays", "--share", "team:apollo")
    settled(away)
    assert "and on Fridays" in texts_of(hub)
    hub.do("revoke", told)
    settled(away)
    assert texts_of(away) == ["and on Fridays"]
    hub.do("peers", "remove", "away", "--yes")
    assert "does not know this device" in away.run("sync", "pull").out
    meet(hub, "away", away)
    assert sync(away)["hub"]["state"] == "done"
    assert server.is_on


@pytest.mark.measured
def test_three_nodes_by_way_of_a_hub(tmp_path: Path) -> None:
    """Two devices that never meet have what the other wrote, by the one that is served."""
    hub = node(tmp_path, "hub", "scout")
    ends = [further(tmp_path, name, hub, "scout") for name in ("one", "two")]
    with serving(hub) as server:
        for name, end in zip(("one", "two"), ends, strict=True):
            meet(hub, name, end, "--own")
            meet(end, "hub", hub, "--url", server.url)
            end.add(f"written on {name}")
        settled(*ends)
        assert texts_of(ends[0]) == texts_of(ends[1]) == texts_of(hub)
        assert len(texts_of(hub)) == 2
        states = hub.json("sync", "status")["peers"]
        assert [one["behind"] for one in states] == [0, 0]
        assert all(one["clock_offset_ms"] is not None for one in states)


@pytest.mark.measured
def test_one_that_cannot_be_reached_fails_alone(own: tuple[Program, Program]) -> None:
    """There is a line for each peer, the others are done, and the status tells."""
    desk, lap = own
    sync(desk), sync(lap)
    stranger = node(desk.folder.parent, "stranger", "eve")
    meet(desk, "a-stranger", stranger, "--url", NOBODY)
    desk.add("news")
    done = desk.run("sync", "auto", "--jitter", "0")
    assert done.status == 1
    first, second = done.out.splitlines()
    assert first.startswith("a-stranger: failed: The peer at http://127.0.0.1:9 does not answer")
    assert second.startswith("lap: took")
    assert "It failed with a-stranger" in done.err
    assert "does not answer" in desk.json("peers", "show", "a-stranger")["peer"]["fault"]
    sync(lap)
    assert texts_of(lap) == ["news"]
    assert "no peer called 'lab'; did you mean lap" in desk.fails(1, "sync", "auto", "lab")
    gone = desk.json("peers", "show", "lap")["peer"]["folder"]
    Path(gone).rename(f"{gone}.away")
    assert "is not there now" in desk.run("sync", "push", "lap").out
    assert not Path(gone).exists()


@pytest.mark.measured
def test_two_at_once_pass_each_other_over(own: tuple[Program, Program]) -> None:
    """While one process exchanges with a peer, another one says so, and that is no failure."""
    desk, lap = own
    sync(desk)
    path = desk.home / "locks" / f"{device(lap)}.lock"
    with path.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert sync(desk)["lap"]["state"] == "busy"
        assert "another process is at it" in desk.do("sync", "pull")
        out = str(desk.folder / "x")
        assert "Another process" in desk.fails(1, "sync", "export", "lap", "--out", out)
    assert sync(desk)["lap"]["state"] == "waits"


@pytest.mark.parametrize("first", [1, 2])
def test_whoever_is_killed_goes_on_later(own: tuple[Program, Program], first: int) -> None:
    """Killed by -9 within and between its transactions, a node loses nothing, and both agree."""
    desk, lap = own
    settled(desk, lap)
    points = range(first, 60, 2)
    for done, point in enumerate(points, 1):
        desk.add(f"desk {point}", "--share", "global")
        lap.add(f"lap {point}")
        sync(desk)
        words = ("sync", "auto", "--jitter", "0")
        if not killed(lap, point, *words, within=bool(done % 2)):
            break
    assert 2 < done < len(points)
    settled(desk, lap)
    assert texts_of(desk) == texts_of(lap)
    assert len(texts_of(lap)) == 2 * done
    assert lap.run("check").status == desk.run("check").status == 0


def test_a_node_that_was_restored_has_all_again(own: tuple[Program, Program]) -> None:
    """What it wrote and took since its backup comes back, and what was taken back stays so."""
    desk, lap = own
    kept, gone = desk.add("kept"), desk.add("soon forgotten")
    settled(desk, lap)
    lap.do("backup", "backup.db")
    lap.add("written after the backup")
    desk.add("taken after the backup")
    desk.do("forget", gone)
    settled(desk, lap)
    lap.do("restore", "backup.db", "--force")
    assert texts_of(lap) == ["kept"]
    settled(desk, lap)
    expected = ["kept", "taken after the backup", "written after the backup"]
    assert texts_of(lap) == texts_of(desk) == expected
    lap.do("edit", kept, "kept, and edited after all")
    settled(desk, lap)
    assert texts_of(desk)[0] == "kept, and edited after all"
    assert lap.run("check").status == desk.run("check").status == 0


@pytest.mark.measured
def test_a_bundle_is_carried_by_hand(own: tuple[Program, Program]) -> None:
    """As a file or in a folder: what comes twice is there once, and only the peer opens it."""
    desk, lap = own
    stick = desk.folder / "stick"
    stick.mkdir()
    desk.add("on a stick")
    bundle = str(stick / "lap.bundle")
    assert desk.json("sync", "export", "lap", "--out", bundle)["bundle"]["registers"] > 2
    assert "is there already. To replace it" in desk.fails(
        1, "sync", "export", "lap", "--out", bundle
    )
    desk.do("sync", "export", "lap", "--out", bundle, "--yes")
    assert (Path(bundle).stat().st_mode & 0o777) == 0o600
    assert "on a stick" not in Path(bundle).read_text()
    for _ in range(2):
        lap.do("sync", "import", bundle)
        assert texts_of(lap) == ["on a stick"]
    lap.add("and back")
    lap.do("sync", "export", "desk", "--out", str(stick))
    assert "Took" in desk.do("sync", "import", str(stick))
    assert texts_of(desk) == ["and back", "on a stick"]
    assert "nothing of a peer" in desk.fails(1, "sync", "import", str(stick))
    stranger = node(desk.folder.parent, "stranger", "eve")
    assert "no peer of this node" in stranger.fails(1, "sync", "import", bundle)
    meet(stranger, "desk", desk)
    assert "for other devices" in stranger.fails(1, "sync", "import", bundle)
    assert "no bundle at" in desk.fails(2, "sync", "import", "nowhere")
    assert "no bundle of a node" in desk.fails(2, "sync", "import", str(desk.home / "node.toml"))


def test_a_copied_home_exchanges_nothing(own: tuple[Program, Program]) -> None:
    """Two nodes that would write as one device are refused until one is a device of its own."""
    desk, lap = own
    settled(desk, lap)
    lap.add("never sent by the old one")
    lap.home.rename(lap.folder / "moved")
    shutil.copytree(lap.folder / "moved", lap.home)
    assert "init --new-device" in lap.fails(1, "sync", "auto", "--jitter", "0")
    made = lap.json("init", "--new-device")
    assert made["device"] == device(lap)
    lap.add("by the new one")
    meet(desk, "lap2", lap, "--own", "--folder", str(desk.folder.parent / "between"))
    settled(desk, lap)
    assert texts_of(desk) == texts_of(lap) == ["by the new one", "never sent by the old one"]


@pytest.mark.measured
def test_what_edits_lose_is_kept_and_put_back(own: tuple[Program, Program]) -> None:
    """Two devices edit one memory: the later one holds, the other is shown and can be put back."""
    desk, lap = own
    memory = desk.add("it is green")
    settled(desk, lap)
    desk.do("edit", memory, "it is blue")
    lap.do("edit", memory, "it is red")
    settled(desk, lap)
    assert texts_of(desk) == texts_of(lap) == ["it is red"]
    (lost,) = desk.json("conflicts", "--sync")["conflicts"]
    assert (lost["lost"]["content"], lost["memory"]["content"]) == ("it is blue", "it is red")
    assert "it is blue" in desk.do("conflicts", "--show", str(lost["number"]))
    desk.do("agent", "add", "eve")
    assert desk.json("conflicts", "--sync", "--as", "eve")["conflicts"] == []
    assert "that you may see" in desk.fails(1, "conflicts", "--swap", "1", "--as", "eve")
    desk.do("conflicts", "--swap", str(lost["number"]))
    settled(desk, lap)
    assert texts_of(lap) == ["it is blue"]
    assert "No edit was lost" in desk.do("conflicts", "--sync")
    assert "Say which conflicts" in desk.fails(2, "conflicts")
