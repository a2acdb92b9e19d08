"""What the tests of upkeep share."""

from __future__ import annotations

from tests.store.upkeep.conftest import busy_fleet, fleet

__all__ = ["busy_fleet", "fleet"]
