"""A file that lies: what an agent imports gives it no right that it does not have already."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from agent_memory_os import MemoryClient
from agent_memory_os.model.identifier import memory_id
from agent_memory_os.model.principal import Principal
from agent_memory_os.service.transfer.report import ImportReport

AT = 1_700_000_000_000
Line = dict[str, Any]


class Stage(NamedTuple):
    """A node with a team and its project, a member of both, and an intruder."""

    member: MemoryClient
    intruder: MemoryClient
    folder: Path
    export: list[Line]

    def take(self, *lines: Line, dry_run: bool = False) -> ImportReport:
        """Import lines, behind the header of this account, as the intruder."""
        file = self.folder / "crafted.jsonl"
        text = "".join(json.dumps(line) + "\n" for line in (self.export[0], *lines))
        file.write_text(text, encoding="utf-8")
        client = self.intruder
        return client.node.transfer.import_path(client.principal, str(file), dry_run=dry_run)

    def line(self, nonce: int, owner: MemoryClient, **fields: object) -> Line:
        """Return the line of a memory that its owner never wrote, with an id that is proven."""
        agent, text = str(owner.principal.agent), f"{nonce:032x}"
        value = {"content": "planted kestrel", "type": "note", "created_at": AT, "updated_at": AT}
        return {
            "kind": "memory",
            "id": memory_id(self.export[0]["account"], agent, text),
            "owner": agent,
            "nonce": text,
            "value": value,
            **fields,
        }

    def scopes(self) -> list[str]:
        """Return the team and the project, as grants name them."""
        kinds = ("team", "project")
        found = [line for line in self.export if line.get("kind") in kinds]
        return [f"{line['kind']}:{line['id']}" for line in found]


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    """A stage on a new home."""
    home = str(tmp_path / "home")
    member, intruder = MemoryClient(home, agent="member"), MemoryClient(home, agent="intruder")
    fleet = member.node.organisation
    fleet.add_team("red")
    fleet.add_project("red", "site")
    fleet.join("member", "team:red")
    fleet.join("member", "project:red/site")
    lines = member.node.transfer.export(Principal.operator())
    return Stage(member, intruder, tmp_path, [json.loads(line) for line in lines])


def test_nothing_is_planted_in_a_team_of_others(stage: Stage) -> None:
    """An export that grants to a team or project of others comes back private, and says so."""
    report = stage.take(stage.line(1, stage.intruder, audience=stage.scopes()))
    assert report.added == 1
    assert report.masked
    assert stage.member.search("kestrel") == ()
    assert stage.intruder.search("kestrel")[0].memory.audience == ()


def test_what_one_may_share_is_shared_again(stage: Stage) -> None:
    """A member's own memory comes back to its team, and one for an agent or all to them."""
    stage.intruder.node.organisation.join("intruder", "team:red")
    team = next(scope for scope in stage.scopes() if scope.startswith("team:"))
    wanted = sorted([team, "global", f"agent:{stage.member.principal.agent}"])
    stage.take(stage.line(1, stage.intruder, audience=wanted))
    assert sorted(stage.member.search("kestrel")[0].memory.grants) == wanted


def test_nothing_is_planted_for_another_owner(stage: Stage) -> None:
    """A line of another owner is skipped, however well its id is proven."""
    report = stage.take(stage.line(1, stage.member))
    assert (report.added, report.skipped_count) == (0, 1)
    assert stage.member.list().memories == ()


def test_nobody_joins_by_a_file(stage: Stage) -> None:
    """Members, teams and agents in an agent's import change nothing."""
    agent = str(stage.intruder.principal.agent)
    joins = [{"kind": "member", "scope": scope, "agent": agent} for scope in stage.scopes()]
    assert stage.take(*joins).restored == 0
    assert stage.intruder.node.organisation.whoami(stage.intruder.principal).teams == ()


@pytest.mark.parametrize("fate", ["there", "forgotten", "erased", "never there"])
def test_a_dry_run_tells_nothing_of_others(stage: Stage, fate: str) -> None:
    """What would become of another's memory reads the same, whether it is there or not."""
    line = stage.line(1, stage.member)
    if fate != "never there":
        held = stage.member.add("secret kestrel", key="guess").memory
        proven = [
            json.loads(text) for text in stage.member.node.transfer.export(stage.member.principal)
        ]
        line = next(one for one in proven if one.get("id") == held.id)
    if fate in ("forgotten", "erased"):
        stage.member.forget(line["id"], erase=fate == "erased")
    dry, real = stage.take(line, dry_run=True), stage.take(line)
    for report in (dry, real):
        told = (report.added, report.known, report.forgotten, report.skipped_count, report.sample)
        assert told == (0, 0, 0, 1, ())
    assert [one.reason.split(":")[1] for one in dry.skipped] == [
        one.reason.split(":")[1] for one in real.skipped
    ]


def test_a_dry_run_goes_on_behind_a_bad_record(stage: Stage) -> None:
    """A record that cannot be taken is skipped in a dry run too, and the next one is counted."""
    bad = {**stage.line(1, stage.intruder), "nonce": "another than the id proves"}
    report = stage.take(bad, stage.line(2, stage.intruder), dry_run=True)
    assert (report.added, report.skipped_count) == (1, 1)


def _version(number: object, since: object, until: object, **fields: object) -> Line:
    value = {"content": "before", "type": "note", "created_at": AT, "updated_at": AT}
    return {"number": number, "since": since, "until": until, "value": value, **fields}


@pytest.mark.parametrize(
    "versions",
    [
        [_version(0, 1, 2)],
        [_version(-5, 1, 2)],
        [_version(2**63 - 1, 1, 2)],
        [_version(True, 1, 2)],
        [_version(1, 2, 2)],
        [_version(1, 5, 2)],
        [_version(1, -(10**18), 2)],
        [_version(1, 1, 10**18)],
        [_version(1, 1, 2), _version(1, 2, 3)],
        [_version(2, 1, 2), _version(1, 2, 3)],
        [_version(1, 1, 9), _version(2, 5, 12)],
        [_version(1, 1, 2, value=5)],
        [{"number": 1, "since": 1, "until": 2}],
        [{}],
    ],
)
def test_a_history_that_cannot_be_is_skipped(stage: Stage, versions: list[Line]) -> None:
    """Versions without a value, out of order, or of impossible numbers and times are no history."""
    bad = stage.line(1, stage.intruder, versions=versions)
    report = stage.take(bad, stage.line(2, stage.intruder))
    assert (report.added, report.skipped_count) == (1, 1)
    assert len(stage.intruder.list().memories) == 1


def test_a_life_without_end_is_skipped(stage: Stage) -> None:
    """A memory whose life is the last number of all could never be forgotten, and is not taken."""
    lines = [stage.line(1, stage.intruder), stage.line(2, stage.intruder)]
    lines[0]["value"]["life"] = 2**63 - 1
    lines[1]["value"]["life"] = 2**31 - 1
    assert stage.take(*lines).added == 1
    stage.intruder.forget(lines[1]["id"])
    assert stage.intruder.bring_back(lines[1]["id"]).state == "active"
    stage.intruder.forget(lines[1]["id"])
    assert stage.intruder.list().memories == ()
