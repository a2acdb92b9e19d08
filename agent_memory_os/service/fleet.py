"""The fleet file, ``agents.toml``: the account's own agents, declared.

It is authoritative for the agents that it lists: their kind, names, teams and projects are brought
to what it says, and a team that is taken out of an agent's list is left. Agents that it does not
list, and teams without members, stay as they are. A file with a fault changes nothing: the fault
is kept, and reads go on with the last good state.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from agent_memory_os.errors import BadFleetFile, InvalidInput
from agent_memory_os.model import register as group
from agent_memory_os.model.identifier import agent_id
from agent_memory_os.model.organisation import AGENT_KINDS, Agent, Project, Team, check_name, spelt
from agent_memory_os.service.charge import is_in_charge
from agent_memory_os.service.organisation import (
    put_agent,
    put_membership,
    put_project,
    put_team,
)
from agent_memory_os.store import organisation
from agent_memory_os.store.registers import Draft
from agent_memory_os.store.write import Writer
from agent_memory_os.value import NamedTuple, cast

_TEXT_FIELDS = ("kind", "display_name", "notes")
_LIST_FIELDS = ("teams", "projects")


class Declared(NamedTuple):
    """One agent as the file declares it; projects are ``team/name``."""

    name: str
    kind: str
    display_name: str
    notes: str
    teams: tuple[str, ...]
    projects: tuple[str, ...]


class Fleet(NamedTuple):
    """A whole file: its agents, and the notes of teams and projects that it names."""

    agents: tuple[Declared, ...]
    teams: Mapping[str, str]
    projects: Mapping[str, str]


def parse(text: str, path: str) -> Fleet:
    """Read a fleet file; raise :class:`BadFleetFile` with the line of its first fault."""
    import tomllib

    text = spelt(text)
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadFleetFile(f"{path} is no TOML: {error}.") from error
    fault = _Fault(path, text)
    for table in data:
        if table not in ("agents", "teams", "projects"):
            raise fault.at(
                table, f"there is no table {table!r}; the tables are agents, teams, projects"
            )
    sections = {
        name: _tables(data.get(name, {}), name, fault) for name in ("agents", "teams", "projects")
    }
    agents = tuple(
        _agent(name, fields, fault.inside("agents", name))
        for name, fields in sections["agents"].items()
    )
    for name in sections["projects"]:
        _project_name(name, fault)
    teams, projects = (
        {
            name: _notes(name, fields, fault.inside(kind, name))
            for name, fields in sections[kind].items()
        }
        for kind in ("teams", "projects")
    )
    return Fleet(agents, teams, projects)


class _Fault(NamedTuple):
    path: str
    text: str
    start: int = 0

    def inside(self, section: str, name: str) -> _Fault:
        """Return the same, to look for words from the table of this name on."""
        key = rf"[\"']?{re.escape(name)}[\"']?"
        for opening in (
            rf"\s*\[\s*{section}\s*\.\s*{key}\s*\]",
            rf"\s*(?:{section}\s*\.\s*)?{key}\s*[.=]",
        ):
            found = self._first(re.compile(opening), 0)
            if found is not None:
                return self._replace(start=found)
        return self

    def at(self, word: str, reason: str) -> BadFleetFile:
        """Return the error for the first line on which a word stands: as a key, else at all."""
        plain = re.escape(word)
        as_key = re.compile(rf"\s*[\"']?{plain}[\"']?\s*=")
        # A word that stands alone is meant before one that is a part of a table's name.
        alone = re.compile(rf".*?(?<![\w.-]){plain}(?![\w.-])")
        part = re.compile(rf".*?(?<![\w-]){plain}(?![\w-])")
        here, top = self.start, 0
        for pattern, start in (
            (as_key, here),
            (alone, here),
            (part, here),
            (alone, top),
            (part, top),
        ):
            found = self._first(pattern, start)
            if found is not None:
                return BadFleetFile(f"{self.path}, line {found + 1}: {reason}.")
        return BadFleetFile(f"{self.path}: {reason}.")

    def _first(self, pattern: re.Pattern[str], start: int) -> int | None:
        lines = self.text.splitlines()
        numbers = range(start, len(lines))
        return next((n for n in numbers if pattern.match(lines[n].partition("#")[0])), None)


def _tables(value: object, name: str, fault: _Fault) -> dict[str, dict[str, object]]:
    if not isinstance(value, dict) or not all(isinstance(item, dict) for item in value.values()):
        raise fault.at(name, f"{name} is a table of tables, such as [{name}.NAME]")
    return value


def _agent(name: str, fields: dict[str, object], fault: _Fault) -> Declared:
    _checked(name, "agent", fault)
    for field, value in fields.items():
        if field in _TEXT_FIELDS and not isinstance(value, str):
            raise fault.at(field, f"{field} of agent {name} is text, in quotes")
        if field in _LIST_FIELDS and not _is_text_list(value):
            raise fault.at(field, f"{field} of agent {name} is a list of names")
        if field not in (*_TEXT_FIELDS, *_LIST_FIELDS):
            known = ", ".join((*_TEXT_FIELDS, *_LIST_FIELDS))
            raise fault.at(field, f"an agent has no {field!r}; it has {known}")
    kind = str(fields.get("kind", "custom"))
    if kind not in AGENT_KINDS:
        raise fault.at("kind", f"there is no kind {kind!r}; the kinds are {', '.join(AGENT_KINDS)}")
    teams, projects = (cast("list[str]", fields.get(field, [])) for field in _LIST_FIELDS)
    for team in teams:
        _checked(team, "team", fault)
    for project in projects:
        team = _project_name(project, fault)
        if team not in teams:
            raise fault.at(
                project, f"agent {name} is in project {project!r} but not in team {team!r}"
            )
    display_name, notes = (str(fields.get(field, "")) for field in _TEXT_FIELDS[1:])
    joined = (tuple(dict.fromkeys(teams)), tuple(dict.fromkeys(projects)))
    return Declared(name, kind, display_name, notes, *joined)


def _is_text_list(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _project_name(text: str, fault: _Fault) -> str:
    team, slash, name = text.partition("/")
    if not slash:
        raise fault.at(text, f"project {text!r} is written team/project")
    _checked(team, "team", fault)
    _checked(name, "project", fault)
    return team


def _notes(name: str, fields: dict[str, object], fault: _Fault) -> str:
    for field, value in fields.items():
        if field != "notes" or not isinstance(value, str):
            raise fault.at(field, f"{name} may have notes, as text, and nothing else")
    return str(fields.get("notes", ""))


def _checked(name: str, kind: str, fault: _Fault) -> None:
    try:
        check_name(kind, name)
    except InvalidInput as error:
        raise fault.at(name, str(error).rstrip(".")) from error


def refuse_old_names(writer: Writer, fleet: Fleet, text: str, path: str) -> None:
    """Raise :class:`BadFleetFile` where a file names an agent that is called otherwise by now."""
    for declared in fleet.agents:
        if organisation.agents_named(writer.transaction, declared.name):
            continue
        first = agent_id(writer.account, declared.name)
        for held in organisation.agents_named(writer.transaction, first):
            fault = _Fault(path, spelt(text)).inside("agents", declared.name)
            reason = f"agent {declared.name} is called {held.name} now, and so it is to be here"
            raise fault.at(declared.name, reason)


def apply(writer: Writer, fleet: Fleet, nonce: Callable[[], str]) -> list[str]:
    """Bring the organisation to what a fleet file says; return what was done, a line each."""
    done: list[str] = []
    teams = _teams(writer, fleet, nonce, done)
    projects = _projects(writer, fleet, teams, nonce, done)
    for declared in fleet.agents:
        agent = _put_agent(writer, declared, done)
        wanted = {f"team:{teams[name].id}": f"team {name}" for name in declared.teams}
        wanted |= {f"project:{projects[name].id}": f"project {name}" for name in declared.projects}
        _memberships(writer, agent, wanted, done)
    return done


def _teams(
    writer: Writer, fleet: Fleet, nonce: Callable[[], str], done: list[str]
) -> dict[str, Team]:
    names = dict(fleet.teams)
    for agent in fleet.agents:
        names |= {team: names.get(team, "") for team in agent.teams}
    names |= {p.partition("/")[0]: names.get(p.partition("/")[0], "") for p in fleet.projects}
    held = {team.name: team for team in organisation.teams(writer.transaction)}
    for name, notes in names.items():
        if name not in held:
            held[name] = put_team(writer, name, notes, nonce())
            done.append(f"team {name} was made")
        elif name in fleet.teams and held[name].notes != notes:
            proof = organisation.proof_of(writer.transaction, "team", held[name].id)
            value = {"name": name, "notes": notes}
            writer.put(Draft(held[name].id, group.TEAM_NAME, value, proof))
    return held


def _projects(
    writer: Writer,
    fleet: Fleet,
    teams: Mapping[str, Team],
    nonce: Callable[[], str],
    done: list[str],
) -> dict[str, Project]:
    names = dict(fleet.projects)
    for agent in fleet.agents:
        names |= {project: names.get(project, "") for project in agent.projects}
    known = organisation.projects(writer.transaction)
    held = {f"{project.team_name}/{project.name}": project for project in known}
    for full, notes in names.items():
        if full not in held:
            team, _, name = full.partition("/")
            held[full] = put_project(writer, teams[team], name, notes, nonce())
            done.append(f"project {full} was made")
    return held


def _put_agent(writer: Writer, declared: Declared, done: list[str]) -> Agent:
    held = organisation.agents_named(writer.transaction, declared.name)
    if held:
        agent = held[0]
        wanted = (declared.kind, declared.display_name, declared.notes, organisation.ACTIVE)
        if (agent.kind, agent.display_name, agent.notes, agent.state) == wanted:
            return agent
    done.append(f"agent {declared.name} was {'changed' if held else 'added'}")
    return put_agent(writer, declared.name, declared.kind, declared.display_name, declared.notes)


def _memberships(writer: Writer, agent: Agent, wanted: Mapping[str, str], done: list[str]) -> None:
    snapshot = writer.transaction
    scopes = {f"team:{team.id}": f"team {team.name}" for team in organisation.teams(snapshot)}
    for project in organisation.projects(snapshot):
        scopes[f"project:{project.id}"] = f"project {project.team_name}/{project.name}"
    # Who is in the teams of other accounts is said by those.
    charged = {scope: name for scope, name in scopes.items() if is_in_charge(writer, scope)}
    for scope, name in charged.items():
        if put_membership(writer, scope, agent, on=scope in wanted):
            done.append(f"{agent.name} {'joined' if scope in wanted else 'left'} {name}")
