"""The schema of who is here: agents, teams and projects."""

from __future__ import annotations

from typing import Annotated

from pydantic import ConfigDict, Field

from agent_memory_os.wire.schema.memory import Body, Memory, Shown


class NewName(Body):
    """Another name."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"name": "planner-2"}]})
    name: str


class NewAgent(Body):
    """An agent to make."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"name": "planner"}]})
    name: str
    kind: str = "custom"
    display_name: str = ""
    notes: str = ""


class NewTeam(Body):
    """A team or a project to make."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"name": "apollo"}]})
    name: str
    notes: str = ""


class HandOver(Body):
    """Whom a team is handed over to."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"to": "mira@mira"}]})
    to: str


class Agent(Shown):
    """An agent, with its memberships where they are asked for."""

    id: str
    name: str
    kind: str
    display_name: str
    notes: str
    state: str
    account: str
    teams: list[str] | None = None
    projects: list[str] | None = None


class Agents(Shown):
    """The agents of a node."""

    agents: list[Agent]


class WhoAmI(Shown):
    """Who acts, and what it may do."""

    agent: Agent | None
    operator: bool
    rights: list[str]
    scopes: list[str]


class Project(Shown):
    """A project of a team."""

    id: str
    name: str
    team: str
    team_id: str
    notes: str
    state: str
    members: list[str] | None = None


class Team(Shown):
    """A team, with its members and projects where they are asked for."""

    id: str
    name: str
    founder: str
    admin: str
    notes: str
    state: str
    members: list[str] | None = None
    projects: list[Project] | None = None


class Teams(Shown):
    """The teams of a node."""

    teams: list[Team]


class Membership(Shown):
    """An agent and what it joined or left, and whether that changed anything."""

    agent: str
    scope: str
    changed: bool


class ToMove(Body):
    """A team, and the team with which its memories are to be shared."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"team": "apollo", "to": "artemis"}]})
    team: str
    to: str
    keep: bool = False


class TeamMove(ToMove):
    """The same, to do it."""

    cursor: Annotated[str, Field(json_schema_extra={"pattern": r"^(mem_[a-z2-7]{32})?$"})] = ""


class Reach(Shown):
    """An audience, and how many memories it reads."""

    scope: str
    audience: str
    memories: int


class MovePlan(Shown):
    """What a move from one agent to another would do."""

    agent: str
    agent_id: str
    to: str
    to_id: str
    memories: int
    skipped: int
    kept: list[Reach]
    lost: list[Reach]
    sample: list[Memory]


class Left(Shown):
    """An agent whose memories stay as they are, and how many."""

    agent: str
    memories: int


class TeamMovePlan(Shown):
    """What a move from one team to another would do."""

    team: str
    team_id: str
    to: str
    to_id: str
    memories: int
    left: list[Left]
    sample: list[Memory]


class Moved(Shown):
    """What was moved, and the cursor to go on with; `null` where that was all."""

    moved: int
    skipped: int
    cursor: str | None
