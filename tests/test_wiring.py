"""Opening a node: a new home, one that is another's, one that was copied, and who acts."""

from __future__ import annotations

import getpass
import os
import shutil
import stat
from pathlib import Path

import pytest

from agent_memory_os import settings, wiring
from agent_memory_os.errors import ForeignHome, NotFound, ReadOnlyHome, Refused, UnknownName
from agent_memory_os.model.principal import Principal
from agent_memory_os.model.recall import Filter
from agent_memory_os.model.register import Chain, Register, digest
from agent_memory_os.service.memory.add import NewMemory
from agent_memory_os.service.node import LocalNode
from tests.store.sample import open_home


def mode_of(path: Path) -> int:
    """Return the permissions of a file or folder."""
    return stat.S_IMODE(path.stat().st_mode)


def identity_of(node: LocalNode) -> tuple[str, str, str]:
    """Return the account, device and incarnation of a node."""
    with node.context.database.read() as snapshot:
        account, device, incarnation = snapshot.rows(
            "SELECT account, device, incarnation FROM node"
        )[0]
    return str(account), str(device), str(incarnation)


def acting(home: Path, agent: str | None = None) -> tuple[str, tuple[str, ...]]:
    """Return the name of who acts in a home, and what a person is told."""
    chosen = settings.read(str(home), agent, {})
    node = wiring.open_node(chosen)
    principal, notes = wiring.acting(node, chosen)
    return node.organisation.whoami(principal).agent.name, notes


def test_the_first_use_makes_a_home_that_is_ones_own(tmp_path: Path) -> None:
    """The folder, the file and the keys are made, and nobody else may read them."""
    home = tmp_path / "deep" / "home"
    node = open_home(home)
    assert node.warnings == ()
    assert (mode_of(home), mode_of(home / "node.db")) == (0o700, 0o600)
    keys = sorted(path.name for path in (home / "keys").iterdir())
    assert keys == ["device-seal.key", "device-sign.key", "recovery.key", "root.key"]
    assert {mode_of(home / "keys" / name) for name in keys} == {0o600}
    assert identity_of(open_home(home)) == identity_of(node)


def test_an_empty_folder_becomes_a_home(tmp_path: Path) -> None:
    """A folder that is there is closed to others if it is empty, and left as it is if it is not."""
    empty, used = tmp_path / "empty", tmp_path / "used"
    for folder in (empty, used):
        folder.mkdir(mode=0o755)
    (used / "mine.txt").write_text("mine", encoding="utf-8")
    open_home(empty)
    open_home(used)
    assert (mode_of(empty), mode_of(used)) == (0o700, 0o755)
    assert (used / "mine.txt").read_text(encoding="utf-8") == "mine"


def test_a_folder_with_the_files_of_a_home_is_closed(tmp_path: Path) -> None:
    """Who writes agents.toml first, and then uses the home, has one that is closed to others."""
    home = tmp_path / "home"
    home.mkdir(mode=0o755)
    (home / "agents.toml").write_text("[agents.ann]\n")
    (home / "node.toml").write_text('default_agent = "ann"\n')
    open_home(home).close()
    assert mode_of(home) == 0o700


@pytest.mark.skipif(os.geteuid() != 0, reason="only the superuser can give a folder away")
def test_a_folder_of_somebody_else_stays_as_it_is(tmp_path: Path) -> None:
    """What is not one's own is not closed to its owner."""
    home = tmp_path / "home"
    home.mkdir(mode=0o777)
    home.chmod(0o777)
    os.chown(home, 12345, -1)
    open_home(home).close()
    assert mode_of(home) == 0o777


def test_the_home_of_an_earlier_system_is_left_alone(tmp_path: Path) -> None:
    """A folder with its database is recognised, and not a byte of it is touched."""
    home = tmp_path / "home"
    home.mkdir()
    (home / "memories.db").write_bytes(b"theirs")
    before = (home.stat().st_mtime_ns, sorted(os.listdir(home)))
    with pytest.raises(ForeignHome, match="left untouched") as told:
        open_home(home)
    assert told.value.remedy == "other_home"
    assert (home.stat().st_mtime_ns, sorted(os.listdir(home))) == before
    assert (home / "memories.db").read_bytes() == b"theirs"


def test_a_file_is_no_home(tmp_path: Path) -> None:
    """A file in the place of a home, or on the way to it, is told and left."""
    path = tmp_path / "file"
    path.write_text("text", encoding="utf-8")
    for home in (path, path / "home"):
        with pytest.raises(ReadOnlyHome) as told:
            open_home(home)
        assert told.value.remedy == "other_home"
    assert path.read_text(encoding="utf-8") == "text"


def copied(home: Path) -> Path:
    """Copy a home as a whole, and return the copy."""
    other = home.parent / "copy"
    shutil.copytree(home, other)
    return other


def test_a_copied_home_is_noticed(tmp_path: Path) -> None:
    """A copy warns each time, works, and the original is silent."""
    home = tmp_path / "home"
    node = open_home(home)
    agent = node.organisation.add_agent("ann")
    ann = Principal.of_agent(agent.id)
    node.memories.add(ann, NewMemory("words"))
    node.close()
    other = copied(home)
    assert "copied or moved" in open_home(other).warnings[0]
    copy = open_home(other)
    assert copy.warnings == (wiring.COPIED,)
    assert len(copy.memories.list(ann, Filter()).memories) == 1
    assert open_home(home).warnings == ()


def test_a_copy_becomes_a_device_of_its_own(tmp_path: Path) -> None:
    """It has keys and a log of its own, of the same account, and goes on with what it holds."""
    home = tmp_path / "home"
    node = open_home(home)
    ann = Principal.of_agent(node.organisation.add_agent("ann").id)
    bob = Principal.of_agent(node.organisation.add_agent("bob").id)
    memory = node.memories.add(ann, NewMemory("words"), "agent:bob").memory
    node.close()
    other = copied(home)
    chosen = settings.read(str(other), None, {})
    device = wiring.become_new_device(chosen)
    copy = wiring.open_node(chosen)
    first, second = identity_of(node), identity_of(copy)
    assert copy.warnings == ()
    assert (second[0], second[1]) == (first[0], device)
    assert second[1] != first[1]
    assert second[2] != first[2]
    copy.memories.edit(ann, memory.id, {"content": "other words"})
    copy.memories.revoke(ann, memory.id)
    with pytest.raises(NotFound):
        copy.memories.get(bob, memory.id)
    copy.memories.forget(ann, memory.id)
    assert copy.memories.bring_back(ann, memory.id).text == "other words"
    assert copy.upkeep.check().ok
    with copy.context.database.read() as snapshot:
        rows = snapshot.rows(
            "SELECT seq, chain, d.device FROM registers AS r JOIN devices AS d ON d.id = r.device"
            " WHERE d.device = ? ORDER BY seq",
            (device,),
        )
    assert rows[0][:2] == (1, "")
    assert {row[2] for row in rows} == {device}


def test_two_devices_of_an_account_make_the_same_agent(tmp_path: Path) -> None:
    """An agent that is made under one name on both is one agent, and teams are two."""
    home = tmp_path / "home"
    open_home(home).close()
    other = copied(home)
    wiring.become_new_device(settings.read(str(other), None, {}))
    nodes = [open_home(home), open_home(other)]
    agents = [node.organisation.add_agent("ann") for node in nodes]
    teams = [node.organisation.add_team("apollo") for node in nodes]
    assert agents[0].id == agents[1].id
    assert teams[0].id != teams[1].id


def test_no_device_is_made_without_the_accounts_keys(tmp_path: Path) -> None:
    """Where the account's own keys are not in the home, nothing is changed."""
    home = tmp_path / "home"
    node = open_home(home)
    before = identity_of(node)
    (home / "keys" / "root.key").unlink()
    with pytest.raises(Refused, match="put them back"):
        wiring.become_new_device(settings.read(str(home), None, {}))
    assert identity_of(open_home(home)) == before


def test_who_acts_is_named_or_the_usual_one(tmp_path: Path) -> None:
    """The named agent acts, else the one in node.toml, else one called like the user, said once."""
    home = tmp_path / "home"
    node = open_home(home)
    node.organisation.add_agent("ann")
    bob = node.organisation.add_agent("bob")
    name, notes = acting(home)
    assert name == wiring.user_name()
    assert "Acting as agent" in notes[0]
    assert acting(home) == (name, ())
    assert f'default_agent = "{name}"' in (home / "node.toml").read_text(encoding="utf-8")
    assert acting(home, "ann") == ("ann", ())
    assert acting(home, bob.id) == ("bob", ())
    with pytest.raises(UnknownName, match="did you mean ann"):
        acting(home, "an")


def test_the_settings_are_taken_up_when_they_change(tmp_path: Path) -> None:
    """An edited node.toml counts with the next command; a fault in it warns, and the last holds."""
    home = tmp_path / "home"
    node = open_home(home)
    node.organisation.add_agent("ann")
    path = home / "node.toml"
    path.write_text('default_agent = "ann"\n', encoding="utf-8")
    assert acting(home) == ("ann", ())
    faults = {
        'default_agent = "a': "no TOML",
        "colour = 'red'\n": "no setting 'colour'",
        "default_agent = 5\n": "default_agent is text",
        'default_agent = "a b"\n': "'a b' cannot be the name",
    }
    for text, words in faults.items():
        path.write_text(text, encoding="utf-8")
        assert words in open_home(home).warnings[0]
        assert acting(home) == ("ann", ())
    path.write_text('default_agent = "zoe"\n', encoding="utf-8")
    assert acting(home)[0] == "zoe"
    path.unlink()
    assert acting(home)[0] == wiring.user_name()


@pytest.mark.parametrize(
    ("user", "name"),
    [
        ("sam", "sam"),
        ("DOMAIN\\sam smith", "DOMAIN-sam-smith"),
        ("root.", "root"),
        ("名前", "名前"),
        ("global", "me"),
        ("...", "me"),
        ("", "me"),
    ],
)
def test_the_users_own_agent_has_a_legal_name(
    monkeypatch: pytest.MonkeyPatch, user: str, name: str
) -> None:
    """What the system calls the user becomes a name as far as it can be one."""
    monkeypatch.setattr(getpass, "getuser", lambda: user)
    assert wiring.user_name() == name


def test_a_user_without_a_name_is_me(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the system has no name for the user, there is one."""

    def nobody() -> str:
        raise OSError

    monkeypatch.setattr(getpass, "getuser", nobody)
    assert wiring.user_name() == "me"


def test_the_chain_of_a_device_can_be_followed(tmp_path: Path) -> None:
    """Each register of the organisation names the digest of the one before it."""
    node = open_home(tmp_path / "home")
    node.organisation.add_team("apollo")
    node.organisation.add_agent("ann")
    node.organisation.join("ann", "team:apollo")
    with node.context.database.read() as snapshot:
        rows = snapshot.rows(
            "SELECT digest, chain FROM registers WHERE chain IS NOT NULL ORDER BY seq"
        )
    names = [row[0].hex() for row in rows]
    assert [row[1] for row in rows] == ["", *names[:-1]]
    assert len(names) == 3
    assert digest(Register("o", "g", "a", "d", 1, 1, {}, (), {}, Chain(names[0])))


def test_a_faulty_settings_file_is_never_written_over(tmp_path: Path) -> None:
    """Where nobody is named to act, a node.toml with a fault is left for its writer to correct."""
    home = tmp_path / "home"
    home.mkdir()
    (home / "node.toml").write_text("default_agent = ann\n")
    acting(home)
    assert (home / "node.toml").read_text() == "default_agent = ann\n"
