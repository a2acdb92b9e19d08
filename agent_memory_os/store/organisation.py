"""Agents, teams, projects and memberships in the store: the view of their registers.

Membership is evaluated from all entries on a member whenever one more is logged, so that the
order in which they came does not matter, and it is judged again at each read: a member's leaving
is one small write, whatever it had shared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from agent_memory_os.model import register as group
from agent_memory_os.model.audience import GLOBAL
from agent_memory_os.model.organisation import Agent, Project, Team, spelt
from agent_memory_os.model.register import Register
from agent_memory_os.model.view import ADD, Entry, standing_adds
from agent_memory_os.store.database import Snapshot, Transaction
from agent_memory_os.store.file.value import fit
from agent_memory_os.store.queries import Queries
from agent_memory_os.store.registers import entries
from agent_memory_os.value import cast

_sql = Queries("organisation")

_AGENT, _TEAM = "ttttttt", "tttttt"
"""What the rows hold of an agent, and of a team or a project."""

_ID_AT, _ID_UNTIL = 4, 12
"""Where the beginning of an account's id stands in it."""

ACTIVE = "active"
REMOVED = "removed"


def put_agent(transaction: Transaction, register: Register) -> None:
    """Show an agent as its register says."""
    account, first_name = register.proof
    value = register.value
    parameters = {
        "agent": register.object,
        "account": account,
        "first_name": first_name,
        "name": value["name"],
        "kind": value["kind"],
        "display_name": value.get("display_name", ""),
        "notes": value.get("notes", ""),
        "state": value.get("state", ACTIVE),
        "at": transaction.now,
    }
    # Whoever acts by default goes on to under another name, also where another device gave it.
    transaction.execute(_sql["rename_default"], parameters)
    transaction.execute(_sql["put_agent"], parameters)
    put_scope(transaction, "agent", register.object)


def put_team(transaction: Transaction, register: Register) -> None:
    """Show a team's name; the team itself where it is new."""
    founder, nonce = register.proof
    parameters = {
        "team": register.object,
        "founder": founder,
        "nonce": nonce,
        **_named(transaction, register),
    }
    transaction.execute(_sql["put_team"], parameters)
    put_scope(transaction, "team", register.object)


def put_project(transaction: Transaction, register: Register) -> None:
    """Show a project's name; the project itself where it is new."""
    team, nonce = register.proof
    parameters = {
        "project": register.object,
        "team": team,
        "nonce": nonce,
        **_named(transaction, register),
    }
    transaction.execute(_sql["put_project"], parameters)
    put_scope(transaction, "project", register.object)


def _named(transaction: Transaction, register: Register) -> dict[str, object]:
    value = register.value
    return {"name": value["name"], "notes": value.get("notes", ""), "at": transaction.now}


def put_state(transaction: Transaction, register: Register) -> None:
    """Show that a team or project lives or is gone."""
    state = register.value["state"]
    if register.group == group.TEAM_LIFE:
        transaction.execute(_sql["set_team_state"], {"team": register.object, "state": state})
    else:
        transaction.execute(_sql["set_project_state"], {"project": register.object, "state": state})


def put_member(transaction: Transaction, register: Register) -> None:
    """Show who is a member, from all entries on this member in this scope."""
    kind, _, agent = register.group.partition(".member:")
    found = [
        _entry(name, value) for name, value in entries(transaction, register.object, register.group)
    ]
    standing = standing_adds(found)
    member = {
        "scope": transaction.value(_sql["scope_row"], {"scope": f"{kind}:{register.object}"}),
        "agent": transaction.value(_sql["agent_row"], {"id": agent}),
    }
    transaction.execute(_sql["clear_member"], member)
    for entry in found:
        if entry.digest in standing:
            add = {"digest": entry.digest, "under": entry.under, "since": transaction.now}
            transaction.execute(_sql["put_member"], {**member, **add})


def _entry(name: str, value: Mapping[str, object]) -> Entry:
    sees = cast("list[str]", value.get("sees", []))
    return Entry(name, str(value["act"]), frozenset(sees), str(value.get("under", "")))


def put_scope(transaction: Transaction, kind: str, object_id: str = "") -> None:
    """Keep an audience, so that grants may name it; ``global`` has no id.

    Nobody of its id need be known here: then it reaches nobody until somebody is.
    """
    ref = 0 if kind == GLOBAL else transaction.value(_sql[f"{kind}_row"], {"id": object_id}) or 0
    scope = GLOBAL if kind == GLOBAL else f"{kind}:{object_id}"
    transaction.execute(_sql["put_scope"], {"scope": scope, "kind": kind, "ref": ref})


def tell_apart(transaction: Transaction, account: str | None = None) -> None:
    """Call what is of other accounts so that nothing looks like what is ours.

    Their agents always have the account behind their name, and a team has it where another team
    that lives is called so, too. An account is called as the first of its devices that is a peer,
    else by the beginning of its id. ``@`` is in no name that can be given. ``account`` is ours;
    where it is left out, the node's.
    """
    ours = account or transaction.value(_sql["account"])
    labels: dict[str, str] = dict(transaction.rows(_sql["labels"]))
    for row, name, whose in transaction.rows(_sql["called"], (ours,)):
        wanted = _called(name, whose, labels)
        if wanted != name:
            transaction.execute(_sql["call_agent"], (wanted, row))
    tell_teams_apart(transaction, ours)


def tell_teams_apart(transaction: Transaction, account: str | None = None) -> None:
    """Call teams so that no two which live look alike; see :func:`tell_apart`."""
    ours = account or transaction.value(_sql["account"])
    held = transaction.rows(_sql["teams_called"], (ours,))
    alike = Counter(name.partition("@")[0] for _, name, _ in held)
    labels: dict[str, str] = dict(transaction.rows(_sql["labels"]))
    for row, name, whose in held if ours else ():
        is_alone = alike[name.partition("@")[0]] == 1
        wanted = _called(name, None if is_alone else whose, labels)
        if wanted != name:
            transaction.execute(_sql["call_team"], (wanted, row))


def _called(name: str, account: str | None, labels: Mapping[str, str]) -> str:
    plain = name.partition("@")[0]
    if account is None:
        return plain
    return f"{plain}@{labels.get(account, account[_ID_AT:_ID_UNTIL])}"


def removals(snapshot: Snapshot, object_id: str, member_group: str) -> tuple[str, ...]:
    """Return the digests of the removals that are held of a member: what a new add must name."""
    return tuple(
        name for name, value in entries(snapshot, object_id, member_group) if value["act"] != ADD
    )


def standing_add(snapshot: Snapshot, scope: str, agent: str) -> str | None:
    """Return the digest of the add that an agent's writes rely on in a scope, if it is a member."""
    found: str | None = snapshot.value(_sql["standing_add"], {"scope": scope, "agent": agent})
    return found


def agents(snapshot: Snapshot, state: str | None = ACTIVE) -> list[Agent]:
    """Return the agents of this node's account, by name."""
    return [Agent(*fit(row, _AGENT)) for row in snapshot.rows(_sql["agents"], {"state": state})]


def others(snapshot: Snapshot) -> list[Agent]:
    """Return the active agents of other accounts that are known here, by name."""
    return [Agent(*fit(row, _AGENT)) for row in snapshot.rows(_sql["others"])]


def is_own(snapshot: Snapshot, agent: str) -> bool:
    """Say whether an agent, by its id, is of this node's account."""
    return snapshot.value(_sql["is_own"], (agent,)) is not None


def agents_named(snapshot: Snapshot, name: str) -> list[Agent]:
    """Return the agents of a name or id, active ones first."""
    return [
        Agent(*fit(row, _AGENT))
        for row in snapshot.rows(_sql["agent_named"], {"name": spelt(name)})
    ]


def teams(snapshot: Snapshot, state: str | None = ACTIVE) -> list[Team]:
    """Return the teams of this node, by name."""
    return [Team(*fit(row, _TEAM)) for row in snapshot.rows(_sql["teams"], {"state": state})]


def projects(snapshot: Snapshot, state: str | None = ACTIVE) -> list[Project]:
    """Return the projects of this node, by team and name."""
    return [Project(*fit(row, _TEAM)) for row in snapshot.rows(_sql["projects"], {"state": state})]


def members(snapshot: Snapshot, scope: str) -> list[Agent]:
    """Return the members of ``team:ID`` or ``project:ID``, by name."""
    return [
        Agent(*fit(row[:7], _AGENT)) for row in snapshot.rows(_sql["members"], {"scope": scope})
    ]


def proof_of(snapshot: Snapshot, kind: str, object_id: str) -> tuple[str, ...]:
    """Return what the id of an agent, team or project commits to."""
    found = snapshot.row(_sql[f"preimage_{kind}"], {"id": object_id})
    return () if found is None else fit(found, "tt")


def agent_row(snapshot: Snapshot, agent: str) -> int | None:
    """Return the row of an agent id."""
    found: int | None = snapshot.value(_sql["agent_row"], {"id": agent})
    return found


def agent_name(snapshot: Snapshot, agent: str) -> str:
    """Return the name of an agent that is known here."""
    found: str = snapshot.value(_sql["agent_name"], {"id": agent})
    return found
