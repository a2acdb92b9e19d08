"""Who is asking.

Every read takes a :class:`Principal`. There is no default and no ``None``: a caller is an agent,
or it is the operator, and the operator's view of memories is asked for explicitly. A principal
says nothing about memberships. Those come from the database, in the transaction of the read, as
a :class:`Sight`: nobody is a member of a team because it says so.
"""

from __future__ import annotations

from agent_memory_os.value import NamedTuple


class Principal(NamedTuple):
    """An agent of this node by its id, or the operator; made by the two constructors."""

    agent: str | None
    is_operator: bool

    @classmethod
    def of_agent(cls, agent_id: str) -> Principal:
        """Return the principal of one agent; ``agent_id`` is ``agt_…``, never a name."""
        return cls(agent_id, is_operator=False)

    @classmethod
    def operator(cls) -> Principal:
        """Return the whole-node view: only the CLI on its own home and an operator key make it."""
        return cls(None, is_operator=True)


class Sight(NamedTuple):
    """What a principal may read, resolved inside one transaction.

    ``scopes`` are the grants that reach it (``agent:…``, ``team:…``, ``project:…``, ``global``),
    of live teams and projects only. The operator's sight has no scopes: it sees every row.
    """

    principal: Principal
    scopes: frozenset[str]

    @classmethod
    def of_nobody(cls) -> Sight:
        """Return the sight of an agent that is not known, or may not act any more: nothing."""
        return cls(Principal(None, is_operator=False), frozenset())
