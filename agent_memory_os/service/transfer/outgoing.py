"""Exporting: what a principal may read, as JSON Lines that this system reads back.

The operator exports the organisation and every memory. An agent exports the memories that it may
read, each with as much of its audience and history as it may know. Forgotten memories are not
exported. The order is that of ids, so that one state has one export.

A value with what looks like a secret says that it was kept on purpose: it is put back as it is, and
whatever else looks like a secret in the file, for somebody changed it, is masked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from agent_memory_os.model.memory import Content, Memory, to_value
from agent_memory_os.service.memory import history
from agent_memory_os.service.memory.add import without_secrets
from agent_memory_os.store import links, memories, organisation
from agent_memory_os.store.database import Snapshot
from agent_memory_os.store.gate import Gate

_PAGE = 200

Record = Mapping[str, object]


def records(snapshot: Snapshot, gate: Gate) -> Iterator[Record]:
    """Yield the records of an export: agents, teams, projects, members, memories, links."""
    if gate.sight.principal.is_operator:
        yield from _organisation(snapshot)
    yield from _memories(snapshot, gate)
    for link in links.every(snapshot, gate):
        yield {
            "kind": "link",
            "src": link.src,
            "dst": link.dst,
            "relation": link.relation,
            "weight": link.weight,
            "by": link.by,
        }


def _organisation(snapshot: Snapshot) -> Iterator[Record]:
    for agent in sorted(organisation.agents(snapshot, None), key=lambda one: one.id):
        _, first_name = organisation.proof_of(snapshot, "agent", agent.id)
        fields = {
            "name": agent.name,
            "first_name": first_name,
            "agent_kind": agent.kind,
            "display_name": agent.display_name,
            "notes": agent.notes,
        }
        if agent.state != organisation.ACTIVE:
            # It acts no more, and what it remembered and shared is still here.
            fields["state"] = agent.state
        yield {"kind": "agent", "id": agent.id, **fields}
    teams = sorted(organisation.teams(snapshot), key=lambda one: one.id)
    projects = sorted(organisation.projects(snapshot), key=lambda one: one.id)
    for team in teams:
        founder, nonce = organisation.proof_of(snapshot, "team", team.id)
        fields = {"name": team.name, "nonce": nonce, "founder": founder, "notes": team.notes}
        yield {"kind": "team", "id": team.id, **fields}
    for project in projects:
        _, nonce = organisation.proof_of(snapshot, "project", project.id)
        fields = {
            "name": project.name,
            "nonce": nonce,
            "team": project.team,
            "notes": project.notes,
        }
        yield {"kind": "project", "id": project.id, **fields}
    scopes = [f"team:{team.id}" for team in teams] + [f"project:{one.id}" for one in projects]
    for scope in scopes:
        for member in sorted(organisation.members(snapshot, scope), key=lambda one: one.id):
            yield {"kind": "member", "scope": scope, "agent": member.id}


def _memories(snapshot: Snapshot, gate: Gate) -> Iterator[Record]:
    after = ""
    while page := memories.page_by_id(snapshot, gate, after, _PAGE):
        for memory, nonce in page:
            yield _memory(snapshot, gate, memory, nonce)
        after = page[-1][0].id


def _memory(snapshot: Snapshot, gate: Gate, memory: Memory, nonce: str) -> Record:
    earlier = history.versions(snapshot, gate, memory) if memory.version > 1 else ()
    return {
        "kind": "memory",
        "id": memory.id,
        "owner": memory.owner,
        "owner_name": memory.owner_name,
        "nonce": nonce,
        **_said(memory.content),
        "audience": sorted(memory.grants),
        "state": memory.state,
        "versions": [
            {
                "number": version.number,
                "since": version.since,
                "until": version.until,
                **_said(version.content),
            }
            for version in earlier
            if version.until is not None
        ],
    }


def _said(content: Content) -> Record:
    _, kinds = without_secrets(content)
    value: Record = {"value": to_value(content)}
    return {**value, "allow_secrets": True} if kinds else value
