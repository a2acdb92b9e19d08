"""Moving memories: from one of the account's agents to another, from one team to another.

What is moved to another agent is written anew, for the id of a memory commits to its owner, and
supersedes what it was. Everything here is the operator's, and written to the audit.
"""

from __future__ import annotations

from agent_memory_os.service.moves.moves import Moves
from agent_memory_os.service.moves.plan import EVERYTHING, Chosen, Plan, Reach, Step, TeamPlan

__all__ = ["EVERYTHING", "Chosen", "Moves", "Plan", "Reach", "Step", "TeamPlan"]
