"""Exchanging with peers: all of them, one, or by bundles that are carried; how that stands."""

from __future__ import annotations
