"""What was taken back since a backup stays so when the backup is restored.

A backup knows nothing of what came after it. What was erased since would be there again, and what
was forgotten or revoked would be shown again. So whatever takes away, and is known to the file that
is replaced, is said once more in the one that takes its place: by registers of the restored node,
with the causal lengths that were reached. What was added or shared since is not.

Only the memories that the backup holds come back, so only of those anything is taken; but a
tombstone is kept of all that was ever erased.
"""

from __future__ import annotations

from agent_memory_os.model import register as group
from agent_memory_os.model.view import next_length
from agent_memory_os.service.charge import is_in_charge
from agent_memory_os.service.memory.right import proof_of
from agent_memory_os.service.organisation import put_membership, set_agent_state
from agent_memory_os.store import memories, organisation
from agent_memory_os.store.registers import Draft
from agent_memory_os.store.upkeep import retraction
from agent_memory_os.store.upkeep.retraction import Ended, Erased, Known, Retractions
from agent_memory_os.store.write import Writer
from agent_memory_os.value import NamedTuple


class Carried(NamedTuple):
    """How much of what a backup holds was taken back again, and with how many peers."""

    erased: int = 0
    forgotten: int = 0
    revoked: int = 0
    left: int = 0
    peers: int = 0

    def plus(self, other: Carried) -> Carried:
        """Return how much both are."""
        return Carried(*(one + more for one, more in zip(self, other, strict=True)))


def carry(writer: Writer, said: Retractions) -> Carried:
    """Take back in one state of a node what another one says was taken back."""
    left = _leave(writer, said)
    left += sum(_end(writer, kind, object_id) for kind, object_id in said.groups)
    left += sum(_remove(writer, known) for known in said.agents)
    known = {one.agent.id: one for one in said.agents}
    erased = sum(_erase(writer, one, known, said.lives.get(one.id)) for one in said.erased)
    forgotten = sum(_forget(writer, *item) for item in said.lives.items())
    revoked = sum(_revoke(writer, *item) for item in said.grants.items())
    return Carried(erased, forgotten, revoked, left)


def _remove(writer: Writer, known: Known) -> bool:
    """Take an agent out of the fleet that was taken out after what is known of it here."""
    agent = known.agent
    held = organisation.agents_named(writer.transaction, agent.id)
    is_here = bool(held) and held[0].state == organisation.ACTIVE
    is_later = known.stamp > retraction.stamp_of(writer.transaction, agent.id)
    if agent.state == organisation.ACTIVE or not is_here or not is_later:
        return False
    set_agent_state(writer, held[0], organisation.REMOVED)
    return True


def _end(writer: Writer, kind: str, object_id: str) -> bool:
    """End a team or project, for good as it was."""
    snapshot = writer.transaction
    every = organisation.teams(snapshot) if kind == "team" else organisation.projects(snapshot)
    if not any(one.id == object_id for one in every):
        return False
    life = group.TEAM_LIFE if kind == "team" else group.PROJECT_LIFE
    proof = organisation.proof_of(snapshot, kind, object_id)
    writer.put(Draft(object_id, life, {"state": organisation.REMOVED}, proof))
    return True


def _leave(writer: Writer, said: Retractions) -> int:
    """Take out of teams and projects who was taken out by a removal that is not known here.

    Who is a member there again is one here by a new add: what stood on the old one is over.
    """
    unknown = said.removals - retraction.removals(writer.transaction)
    removed = {(scope, agent) for scope, agent, _ in unknown}
    count = 0
    for scope, agent in retraction.members(writer.transaction):
        if (scope, agent) in removed and is_in_charge(writer, scope):
            held = organisation.agents_named(writer.transaction, agent)[0]
            put_membership(writer, scope, held, on=False)
            is_again = (scope, agent) in said.members
            if is_again:
                put_membership(writer, scope, held, on=True)
            count += not is_again
    return count


def _erase(writer: Writer, erased: Erased, known: dict[str, Known], ended: Ended | None) -> bool:
    """Erase a memory that is here; keep the tombstone of one that is not."""
    snapshot = writer.transaction
    if organisation.agent_row(snapshot, erased.owner) is None:
        if erased.owner not in known:
            return False
        _make_known(writer, known[erased.owner])
    place = memories.place_of(snapshot, erased.id)
    held, _ = retraction.length_of(snapshot, erased.id, group.LIFE)
    over = next_length(max(held, place.life if place else 1), on=False)
    length = max(over, ended.length if ended else 0)
    if length > held:
        proof = (writer.account, erased.owner, erased.nonce)
        value = {"length": length, "by": ended.actor if ended else erased.owner}
        writer.put(Draft(erased.id, group.LIFE, value, proof))
    if place is None:
        retraction.bury(writer.transaction, erased)
        return False
    writer.erase(erased.id)
    return True


def _make_known(writer: Writer, known: Known) -> None:
    """Keep an agent that owned what was erased, as one that was removed."""
    agent = known.agent
    value = {"name": agent.name, "kind": agent.kind, "state": organisation.REMOVED}
    writer.put(Draft(agent.id, group.AGENT, value, (agent.account, known.first_name)))


def _forget(writer: Writer, memory_id: str, ended: Ended) -> bool:
    """Forget a memory whose life ended after what is known of it here."""
    place = memories.place_of(writer.transaction, memory_id)
    if place is None or place.state != "active":
        return False
    return _end_again(writer, place, (memory_id, group.LIFE), ended)


def _revoke(writer: Writer, grant: tuple[str, str], ended: Ended) -> bool:
    """Take a grant back that was taken back after what is known of it here."""
    place = memories.place_of(writer.transaction, grant[0])
    held, _ = retraction.length_of(writer.transaction, *grant)
    return place is not None and held % 2 == 1 and _end_again(writer, place, grant, ended)


def _end_again(
    writer: Writer, place: memories.Place, register: tuple[str, str], ended: Ended
) -> bool:
    """End what holds here and has ended there: at a greater length, or later by its stamp."""
    memory_id, name = register
    held, stamp = retraction.length_of(writer.transaction, memory_id, name)
    held = max(held, place.life if name == group.LIFE else 0)
    if ended.length < held and ended.stamp < stamp:
        return False
    memory = memories.by_row(writer.transaction, place.row)
    value = {"length": max(ended.length, next_length(held, on=False)), "by": ended.actor}
    writer.put(Draft(memory_id, name, value, proof_of(writer, memory)))
    return True
