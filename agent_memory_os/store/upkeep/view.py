"""Whether the tables that are read are what the registers say, and how they are made so again.

The row of a memory is the value of its content register, which holds its digest: that is verified,
and cannot be made anew. Everything else follows from the registers. The organisation and the links
are shown once more in an empty database of our schema, by the same functions that show them as they
are written, and compared; lives and grants are compared where they are.

Made anew, a row keeps its number, for other rows name it, and its past: a grant that holds again
begins a new span, and one that does not hold any more ends its last.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing

from agent_memory_os.errors import InvalidInput
from agent_memory_os.model.canonical import digest
from agent_memory_os.model.identifier import kind_of, proves
from agent_memory_os.model.memory import Content, from_value, to_value
from agent_memory_os.model.merge import fault_of
from agent_memory_os.model.register import Chain, Register, rule_of, time_of
from agent_memory_os.model.register import digest as register_digest
from agent_memory_os.store import memories, organisation
from agent_memory_os.store.database import Database, Row, Snapshot, Transaction
from agent_memory_os.store.file.value import VALUE_ERRORS, WrongValue
from agent_memory_os.store.memory import history
from agent_memory_os.store.queries import Queries
from agent_memory_os.store.upkeep import judged
from agent_memory_os.store.upkeep.progress import Progress, each, unwatched
from agent_memory_os.store.upkeep.structure import fresh
from agent_memory_os.store.upkeep.turn import in_turns
from agent_memory_os.store.write import show
from agent_memory_os.value import NamedTuple

_sql = Queries("upkeep")

_SHOWN = ("agents", "teams", "projects", "scopes", "devices", "memberships", "links")
_GROUND = ("accounts", "devices", "registers", "ends")
_BEFORE = (
    "drop_memberships",
    "drop_stray_links",
    "drop_stray_projects",
    "drop_stray_teams",
    "drop_stray_agents",
    "revive_agents",
    "revive_teams",
    "revive_projects",
    "open_teams",
    "open_projects",
)
_AFTER = (
    "prove_agents",
    "prove_teams",
    "prove_projects",
    "unname_scopes",
)
_MOST_NAMED = 3
_FIRST_FIELD = 4
_AFTER_FIELDS = _FIRST_FIELD + len(Content._fields)
_AFTER_COLUMNS = _AFTER_FIELDS + 2


class Fault(NamedTuple):
    """One thing that is wrong, what it is wrong with, and whether it can be made right."""

    sentence: str
    ids: tuple[str, ...]
    is_mendable: bool


def content_faults(snapshot: Snapshot, progress: Progress = unwatched) -> list[Fault]:
    """Compare each memory with its id, and with the digest in its register.

    What differs cannot be made anew: the row is the only place that holds the value.
    """
    # A content that is in several scopes has a register for each, and is named once.
    altered: dict[str, None] = {}
    claimed: dict[str, None] = {}
    count: int = snapshot.value(_sql["memory_count"])
    for row in each(snapshot.each(_sql["contents"]), count, progress):
        account, nonce, held, value = row[_AFTER_COLUMNS:]
        if held is None or _digest(row[_FIRST_FIELD:_AFTER_FIELDS], value) != held:
            altered[row[1]] = None
        if not proves("memory", (account, row[2], nonce.hex()), row[1]):
            claimed[row[1]] = None
    lost = [row[0] for row in snapshot.rows(_sql["lost_contents"])]
    past = {name for name, value in snapshot.each(_sql["past_contents"]) if not _is_content(value)}
    return [
        *_fault([*altered], "memories that are not what their registers say", is_mendable=False),
        *_fault([*claimed], "memories with another owner than their ids say", is_mendable=False),
        *_fault(lost, "memories with a register and no content", is_mendable=False),
        *_fault(sorted(past), "memories with an earlier version that is none", is_mendable=False),
    ]


def _is_content(value: str) -> bool:
    try:
        history.content_of(value)
    except WrongValue:
        return False
    return True


def _digest(fields: Row, value: str | None) -> bytes | None:
    """Return the digest of a content's value; nothing for fields that hold none."""
    try:
        said = to_value(memories.content_of(fields))
        if value is None:
            return digest(said)
        whole = json.loads(value)
        return digest(whole) if to_value(from_value(whole)[0]) == said else None
    except (*VALUE_ERRORS, InvalidInput):
        return None


def register_faults(snapshot: Snapshot) -> list[Fault]:
    """Check what each id commits to, and the digests of the organisation's registers."""
    unproven = [
        name for name, proof in snapshot.rows(_sql["all_proofs"]) if not _is_proven(name, proof)
    ]
    altered = [
        register.object
        for register, named in _organisation(snapshot)
        if fault_of(register) is not None
        or (register.chain is not None and named != register_digest(register))
    ]
    return [
        *_fault(unproven, "ids that commit to something else", is_mendable=False),
        *_fault(altered, "altered registers of the organisation", is_mendable=False),
    ]


def _is_proven(name: str, proof: str | None) -> bool:
    parts = json.loads(proof or "[]")
    return isinstance(parts, list) and proves(kind_of(name) or "account", parts, name)


def view_faults(snapshot: Snapshot) -> list[Fault]:
    """Compare lives, grants, the organisation and the links with the registers."""
    wrong = _wrong_memories(snapshot)
    return [
        *_fault(wrong.lives, "memories that are forgotten, or not, unlike their registers"),
        *_fault(wrong.grants, "memories with other grants than their registers"),
        *_fault(wrong.others, "memories and links that are not shown as the rules would have it"),
        *_organisation_faults(snapshot),
    ]


class _Wrong(NamedTuple):
    """Memories with a wrong life or wrong grants; ``others``, with links: what else is wrong."""

    lives: list[str]
    grants: list[str]
    others: list[str]


def _wrong_memories(snapshot: Snapshot) -> _Wrong:
    lives = [row[0] for row in snapshot.rows(_sql["wrong_lives"])]
    rows = snapshot.rows(_sql.form("wrong_grants", among="all"))
    grants = sorted({row[0] for row in (*rows, *snapshot.rows(_sql["unfounded_grants"]))})
    if not judged.is_needed(snapshot):
        return _Wrong(lives, grants, [])
    # Here the longest register need not count: what it says is a suspicion, and the rules decide.
    wrong = judged.wrong(snapshot, [*lives, *grants])
    lives, grants = ([one for one in found if one in set(wrong)] for found in (lives, grants))
    return _Wrong(lives, grants, [one for one in wrong if one not in {*lives, *grants}])


def _organisation_faults(snapshot: Snapshot) -> list[Fault]:
    faults: list[Fault] = []
    with closing(fresh()) as connection:
        expected = Transaction(connection, snapshot.now)
        for name in _GROUND:
            expected.many(_sql[f"put_{name}"], snapshot.rows(_sql[f"ground_{name}"]))
        expected.execute(_sql["put_global"])
        is_judged = judged.is_needed(snapshot)
        _show_all(snapshot, expected, is_judged=is_judged)
        # Links that others have a say in are judged with the memories.
        for table in _SHOWN[:-1] if is_judged else _SHOWN:
            wanted, held = (set(each.rows(_sql[f"shown_{table}"])) for each in (expected, snapshot))
            wrong = sorted({str(row[0]) for row in wanted ^ held})
            faults += _fault(wrong, f"rows of {table} that do not follow from the registers")
    return faults


def rebuild(database: Database) -> None:
    """Make everything but contents and the index follow from the registers.

    The organisation and the links are made anew at once, where anything is wrong with them. Lives
    and grants follow in turns, each memory at once.
    """
    with database.read() as snapshot:
        is_organisation_wrong = bool(_organisation_faults(snapshot))
    if is_organisation_wrong:
        with database.write() as transaction:
            _rebuild_organisation(transaction)
    with database.read() as snapshot:
        unnamed = [row[0] for row in snapshot.rows(_sql["unnamed_scopes"])]
    in_turns(database, unnamed, _name_scopes)
    with database.read() as snapshot:
        wrong = _wrong_memories(snapshot)
    in_turns(database, wrong.lives, _put_lives)
    in_turns(database, wrong.grants, _put_grants)
    judged.rebuild(database, [*wrong.lives, *wrong.grants, *wrong.others])


def _rebuild_organisation(transaction: Transaction) -> None:
    now = transaction.now
    for name in _BEFORE:
        transaction.execute(_sql[name])
    is_judged = judged.is_needed(transaction)
    _show_all(transaction, transaction, is_judged=is_judged)
    for name in _AFTER:
        transaction.execute(_sql[name])
    transaction.now = now
    if is_judged:
        # Once more: what ids commit to is who founded a team, and not who is in charge now.
        judged.organise(transaction, transaction)


def _name_scopes(transaction: Transaction, scopes: Iterator[str]) -> None:
    for scope in scopes:
        organisation.put_scope(transaction, *scope.split(":"))


def _put_lives(transaction: Transaction, memory_ids: Iterator[str]) -> None:
    for memory_id in memory_ids:
        for name in ("end_life", "begin_life"):
            transaction.execute(_sql[name], (memory_id,))


def _put_grants(transaction: Transaction, memory_ids: Iterator[str]) -> None:
    for memory_id in memory_ids:
        transaction.execute(_sql["drop_unfounded_grants"], (memory_id,))
        form = _sql.form("wrong_grants", among="one")
        for name, group, stamp, length, actor in transaction.rows(form, {"object": memory_id}):
            transaction.now = time_of(stamp)
            value = {"length": length, "by": actor}
            show(transaction, Register(name, group, "", "", stamp, 0, value, ()))


def _show_all(source: Snapshot, target: Transaction, *, is_judged: bool) -> None:
    if is_judged:
        judged.organise(source, target)
        return
    for register, _ in _organisation(source):
        if rule_of(register.group) is None:
            continue
        target.now = time_of(register.stamp)
        show(target, register)


def _organisation(snapshot: Snapshot) -> Iterator[tuple[Register, str]]:
    """Yield the registers of everything but memories, oldest first, each with its digest's name."""
    for row in snapshot.rows(_sql["organisation"]):
        name, group, author, device, stamp, seq, value, named, relies, chain, proof = row
        yield (
            Register(
                name,
                group,
                author,
                device,
                stamp,
                seq,
                json.loads(value),
                tuple(json.loads(proof or "[]")),
                json.loads(relies) if relies else {},
                None if chain is None else Chain(chain),
            ),
            named.hex() if named else "",
        )


def _fault(ids: list[str], what: str, *, is_mendable: bool = True) -> list[Fault]:
    if not ids:
        return []
    return [Fault(f"{what}: {len(ids)}", tuple(ids[:_MOST_NAMED]), is_mendable)]
