"""Putting an organisation back from an export of this account: by the operator alone.

Agents, teams and projects that are there already stay as they are. An id that does not follow from
what the line says is refused: nobody comes in under another's id.
"""

from __future__ import annotations

from collections.abc import Mapping

from agent_memory_os.errors import InvalidInput
from agent_memory_os.model import register as group
from agent_memory_os.model.identifier import link_id, proves
from agent_memory_os.model.link import SUPERSEDES, check
from agent_memory_os.model.organisation import Agent, check_name
from agent_memory_os.service.charge import is_in_charge
from agent_memory_os.service.memory.right import check_supersession
from agent_memory_os.service.organisation import put_membership
from agent_memory_os.store import links, memories, organisation
from agent_memory_os.store.database import Snapshot
from agent_memory_os.store.gate import Gate
from agent_memory_os.store.registers import Draft
from agent_memory_os.store.write import Writer
from agent_memory_os.value import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

Data = Mapping[str, "Any"]


def put(writer: Writer, kind: str, data: Data) -> bool:
    """Put one record of the organisation back; say whether anything was new."""
    return _PUT[kind](writer, data) if kind in _PUT else False


def put_link(writer: Writer, gate: Gate, data: Data) -> bool:
    """Put a link back between two memories that may be read; say whether it was new.

    What others assert is left to them: only the operator puts that back.
    """
    by, principal = str(data.get("by", "operator")), gate.sight.principal
    if not principal.is_operator and by != principal.agent:
        return False
    src, dst, relation, weight = (data[name] for name in ("src", "dst", "relation", "weight"))
    check(src, dst, relation, weight)
    source, target = (memories.get(writer.transaction, gate, item) for item in (src, dst))
    if source is None or target is None:
        raise InvalidInput("one of its ends is not here")
    if relation == SUPERSEDES and not principal.is_operator:
        check_supersession(principal.agent, source, target)
    if by in links.asserted(writer.transaction, source.id, target.id, relation):
        return False
    proof = (src, dst, relation, by)
    writer.put(Draft(link_id(*proof), group.LINK, {"weight": weight}, proof))
    return True


def _agent(writer: Writer, data: Data) -> bool:
    if organisation.agent_row(writer.transaction, data["id"]) is not None:
        return False
    proof = (writer.account, str(data.get("first_name", data["name"])))
    _prove("agent", data["id"], proof)
    value = {
        "name": check_name("agent", data["name"]),
        "kind": data.get("agent_kind") or "custom",
        "display_name": data.get("display_name", ""),
        "notes": data.get("notes", ""),
        "state": _state(data),
    }
    writer.put(Draft(data["id"], group.AGENT, value, proof))
    return True


def _state(data: Data) -> str:
    is_removed = data.get("state") == organisation.REMOVED
    return organisation.REMOVED if is_removed else organisation.ACTIVE


def _team(writer: Writer, data: Data) -> bool:
    if organisation.proof_of(writer.transaction, "team", data["id"]):
        return False
    proof = (data["founder"], data["nonce"])
    _prove("team", data["id"], proof)
    value = {"name": check_name("team", data["name"]), "notes": data.get("notes", "")}
    writer.put(Draft(data["id"], group.TEAM_NAME, value, proof))
    return True


def _project(writer: Writer, data: Data) -> bool:
    if organisation.proof_of(writer.transaction, "project", data["id"]):
        return False
    proof = (data["team"], data["nonce"])
    _prove("project", data["id"], proof)
    if not organisation.proof_of(writer.transaction, "team", data["team"]):
        raise InvalidInput("its team is not known here")
    value = {"name": check_name("project", data["name"]), "notes": data.get("notes", "")}
    writer.put(Draft(data["id"], group.PROJECT_NAME, value, proof))
    return True


def _member(writer: Writer, data: Data) -> bool:
    snapshot = writer.transaction
    kind, _, object_id = data["scope"].partition(":")
    agent = _known_agent(snapshot, data["agent"])
    if agent is None or not organisation.proof_of(snapshot, kind, object_id):
        raise InvalidInput("its agent, team or project is not known here")
    if not is_in_charge(writer, data["scope"]):
        raise InvalidInput("another account is in charge of its team")
    return put_membership(writer, data["scope"], agent, on=True)


def _known_agent(snapshot: Snapshot, agent_id: str) -> Agent | None:
    found = organisation.agents_named(snapshot, agent_id)
    return found[0] if found else None


def _prove(kind: str, object_id: str, proof: tuple[str, ...]) -> None:
    if not proves(kind, proof, object_id):
        raise InvalidInput("its id does not follow from what it says")


_PUT = {"agent": _agent, "team": _team, "project": _project, "member": _member}
