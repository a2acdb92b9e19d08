"""Dates in text, one file for each way of writing them, over ranges of days.

`text.dates` is the door: it chooses among the ways and turns days into times.
"""

from __future__ import annotations
