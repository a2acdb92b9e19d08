"""The bundled fleet: complete, in the agents' own formats, and fit for what the demo shows."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import NamedTuple

import pytest

import agent_memory_os
from agent_memory_os.importers import recognise
from agent_memory_os.importers.base import Found, Skipped
from agent_memory_os.model import audience

FLEET = Path(agent_memory_os.__file__).parent / "examples" / "fleet"
PLAN = tomllib.loads((FLEET / "fleet.toml").read_text(encoding="utf-8"))
AGENTS = tomllib.loads((FLEET / "agents.toml").read_text(encoding="utf-8"))

WORD = re.compile(r"[a-z0-9]+|[\u4e00-\u9fff]{2}")
COMMON = frozenset("a an and the is are of in on at to for how what do we it with by".split())


class Held(NamedTuple):
    """A memory of the fleet, with its owner and its audience."""

    owner: str
    audience: str
    format: str
    content: str


def memories() -> list[Held]:
    """Return what the plan imports."""
    held = []
    for step in PLAN["imports"]:
        path = str(FLEET / step["path"])
        for finding in recognise(path).read(path, lambda _: None):
            assert not isinstance(finding, Skipped)
            if isinstance(finding, Found):
                format_ = str(finding.source["format"])
                held.append(Held(step["agent"], step["audience"], format_, finding.content))
    return held


MEMORIES = memories()


def may_read(agent: str, memory: Held) -> bool:
    """Say whether an agent of the fleet may read a memory."""
    about = AGENTS["agents"][agent]
    scopes = {"global", *(f"team:{team}" for team in about.get("teams", ()))}
    scopes |= {f"project:{project}" for project in about.get("projects", ())}
    return memory.owner == agent or memory.audience in scopes


def words(text: str) -> set[str]:
    """Return the words of a text, and each two characters of Chinese, roughly stemmed."""
    plain = text.casefold()
    pairs = {plain[place : place + 2] for place in range(len(plain))}
    found = {word for word in WORD.findall(plain) if word.isascii()} - COMMON
    found |= {pair for pair in pairs if WORD.fullmatch(pair) and not pair.isascii()}
    return {word[:5] for word in found}


def matching(agent: str, question: str) -> list[str]:
    """Return what an agent may read that shares a word with a question."""
    asked = words(question)
    return [
        memory.content
        for memory in MEMORIES
        if may_read(agent, memory) and asked & words(memory.content)
    ]


def test_the_fleet_is_as_large_as_a_demo_needs() -> None:
    """Four agents of at least three kinds, two teams, one project, and 40 to 80 memories."""
    assert len(AGENTS["agents"]) >= 4
    assert len({agent["kind"] for agent in AGENTS["agents"].values()}) >= 3
    assert len(AGENTS["teams"]) == 2
    assert len(AGENTS["projects"]) == 1
    assert 40 <= len(MEMORIES) <= 80
    assert len({memory.format for memory in MEMORIES}) == 4


def test_every_file_belongs_to_somebody() -> None:
    """No file of the fleet is left out of the plan, and none is in it twice."""
    covered: list[Path] = []
    for step in PLAN["imports"]:
        path = FLEET / step["path"]
        covered += [path] if path.is_file() else sorted(path.rglob("*.*"))
    files = [path for path in FLEET.rglob("*") if path.is_file() and path.suffix != ".toml"]
    assert sorted(covered) == sorted(files)


def test_every_agent_and_audience_of_the_plan_is_declared() -> None:
    """The plan names agents, teams and projects of agents.toml, and shares as its agents may."""
    for step in PLAN["imports"]:
        about = AGENTS["agents"][step["agent"]]
        for grant in audience.parse(step["audience"]):
            assert grant.kind == "global" or grant.name in about[f"{grant.kind}s"]
    for agent in AGENTS["agents"].values():
        assert set(agent["teams"]) <= set(AGENTS["teams"])
        for project in agent.get("projects", ()):
            assert project in AGENTS["projects"]
            assert project.partition("/")[0] in agent["teams"]


def test_private_team_project_and_global_memories_are_there() -> None:
    """Each kind of audience has something in it."""
    kinds = {step["audience"].partition(":")[0] for step in PLAN["imports"]}
    assert kinds == {"private", "team", "project", "global"}


@pytest.mark.parametrize("name", ["recall", "recall_zh"])
def test_a_question_has_an_answer_for_one_team_only(name: str) -> None:
    """The agent who asks may read an answer; the outsider may read nothing that shares a word."""
    shown = PLAN[name]
    assert matching(shown["agent"], shown["question"])
    assert not matching(shown["outsider"], shown["question"])


def test_what_is_revoked_is_there_once_and_is_the_only_answer() -> None:
    """Before, the reader finds it by the question; after, nothing else shares a word with it."""
    shown = PLAN["revoke"]
    held = [memory for memory in MEMORIES if memory.content == shown["content"]]
    assert [(memory.owner, memory.audience) for memory in held] == [
        (shown["owner"], shown["audience"])
    ]
    assert matching(shown["reader"], shown["question"]) == [shown["content"]]


def test_the_pack_has_more_to_say_than_room() -> None:
    """What matches the task is more than the budget holds, so that reasons are seen."""
    shown = PLAN["pack"]
    told = "".join(matching(shown["agent"], shown["task"]))
    assert len(told) / 4 > shown["tokens"]


def test_nothing_in_it_is_a_secret_or_a_real_place() -> None:
    """Addresses are of reserved names, and no text looks like a key or a mailbox."""
    for path in FLEET.rglob("*"):
        if path.is_file():
            text = path.read_text(encoding="utf-8")
            hosts = re.findall(r"https?://([\w.-]+)", text)
            assert all(host == "localhost" or host.endswith(".example") for host in hosts)
            assert not re.search(r"@[\w-]+\.\w|sk-|ghp_|AKIA|BEGIN ", text)
