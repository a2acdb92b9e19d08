"""A node's memories as files that other programs, and other nodes, can read."""

from __future__ import annotations
