"""Recall: from a question to ranked memories, and to a context pack.

The stages are plain functions from one state to the next. ``score``, ``fuse``, ``rank``,
``arbitrate``, ``pack`` and ``explain`` are rules over values: no database, no clock, no chance.
"""

from __future__ import annotations
