"""A memory node for a fleet of agents.

A node keeps one SQLite file as its source of truth. Every memory has an owner and an audience,
and the audience is checked before anything is ranked.

Importing this package imports nothing else: a command that starts cold pays only for what it uses.
"""

from __future__ import annotations

__version__ = "0.1.0"
