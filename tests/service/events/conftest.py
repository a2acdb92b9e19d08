"""What the tests of events share."""

from __future__ import annotations

from tests.store.conftest import bare_fleet, fleet

__all__ = ["bare_fleet", "fleet"]
