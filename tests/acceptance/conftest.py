"""What the tests with real processes share."""

from __future__ import annotations

from tests.store.conftest import bare_fleet, fleet

__all__ = ["bare_fleet", "fleet"]
